-- Does the oldest job. Another worker may see it before this one marks it.
BEGIN;
SELECT id AS job FROM job WHERE state = 'queued' ORDER BY id LIMIT 1 \gset
\if :ROW_COUNT > 0
  UPDATE job SET state = 'done' WHERE id = :job;
  INSERT INTO done (job_id, worker) VALUES (:job, :client_id);
\endif
COMMIT;
