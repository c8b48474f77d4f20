-- One transaction holds the job from its choice to its end.
BEGIN;
SELECT id AS job FROM job WHERE state = 'pending' ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED \gset
\if :ROW_COUNT > 0
  UPDATE job SET state = 'started' WHERE id = :job;
  INSERT INTO job_lock VALUES (:job) ON CONFLICT DO NOTHING;
  INSERT INTO run (job_id) VALUES (:job);
  UPDATE job SET state = 'done' WHERE id = :job;
\endif
COMMIT;
