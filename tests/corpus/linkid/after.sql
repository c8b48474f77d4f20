-- One statement finds the job and marks it, past those that others hold.
BEGIN;
UPDATE job SET status = 'PROCESSING', updated_at = now() WHERE id = (SELECT id FROM job
    WHERE status = 'PENDING' AND (run_after IS NULL OR run_after <= now()) ORDER BY created_at LIMIT 1
    FOR UPDATE SKIP LOCKED)
  RETURNING id AS job \gset
\if :ROW_COUNT > 0
  INSERT INTO sent (job_id) VALUES (:job);
\endif
COMMIT;
