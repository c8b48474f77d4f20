-- Does the oldest job. One statement finds and marks it.
BEGIN;
UPDATE job SET state = 'done' WHERE id = (SELECT min(id) FROM job WHERE state = 'queued') RETURNING id AS job \gset
\if :ROW_COUNT > 0
  INSERT INTO done (job_id, worker) VALUES (:job, :client_id);
\endif
COMMIT;
