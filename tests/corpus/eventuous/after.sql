-- Events are taken up to the first position that is not there yet.
BEGIN;
SELECT pos AS last FROM checkpoint WHERE name = 'projection' FOR UPDATE \gset
INSERT INTO handled SELECT pos FROM (SELECT pos, row_number() OVER (ORDER BY pos) AS n FROM message WHERE pos > :last) m
  WHERE pos = :last + n ORDER BY pos LIMIT 50;
UPDATE checkpoint SET pos = greatest(pos, (SELECT coalesce(max(pos), 0) FROM handled)) WHERE name = 'projection';
COMMIT;
