-- Does the oldest job that no other worker holds.
BEGIN;
UPDATE job SET state = 'done'
  WHERE id = (SELECT id FROM job WHERE state = 'queued' ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED)
  RETURNING id AS job \gset
\if :ROW_COUNT > 0
  INSERT INTO done (job_id, worker) VALUES (:job, :client_id);
\endif
COMMIT;
