-- The pair is locked before it is looked for.
\set connection random(1, 20)
\set origin random(1, 100)
BEGIN;
SELECT pg_advisory_xact_lock(:connection, :origin);
SELECT id FROM event WHERE connection_id = :connection AND origin_id = 'o:origin' AND supersedes IS NULL \gset
\if :ROW_COUNT = 0
  INSERT INTO event (connection_id, origin_id, body) VALUES (:connection, 'o:origin', 'new');
\endif
COMMIT;
