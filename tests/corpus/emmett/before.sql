BEGIN;
SELECT pos AS last FROM checkpoint WHERE name = 'projection' FOR UPDATE \gset
INSERT INTO handled SELECT pos FROM message WHERE pos > :last ORDER BY pos LIMIT 50;
UPDATE checkpoint SET pos = greatest(pos, (SELECT coalesce(max(pos), 0) FROM handled)) WHERE name = 'projection';
COMMIT;
