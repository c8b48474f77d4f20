-- A transaction that may write is one of the primary's.
\set run random(1, 300)
BEGIN;
UPDATE run SET state = 'WAITING' WHERE id = :run;
INSERT INTO waitpoint (run_id) VALUES (:run);
COMMIT;
BEGIN;
SELECT count(*) AS pending FROM waitpoint WHERE run_id = :run AND status = 'PENDING' \gset
\if :pending = 0
  UPDATE run SET state = 'CONTINUED' WHERE id = :run;
\endif
COMMIT;
