BEGIN;
SELECT id AS job FROM job WHERE status = 'PENDING' ORDER BY created_at LIMIT 1 \gset
\if :ROW_COUNT > 0
  UPDATE job SET status = 'PROCESSING', updated_at = now() WHERE id = :job;
  INSERT INTO sent (job_id) VALUES (:job);
\endif
COMMIT;
