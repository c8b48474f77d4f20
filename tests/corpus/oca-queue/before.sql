\set job 0
BEGIN;
SELECT id AS job FROM job WHERE state = 'pending' ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED \gset
UPDATE job SET state = 'started' WHERE id = :job;
INSERT INTO job_lock SELECT id FROM job WHERE id = :job ON CONFLICT DO NOTHING;
COMMIT;
BEGIN;
SELECT job_id FROM job_lock WHERE job_id = :job FOR UPDATE;
INSERT INTO run (job_id) SELECT id FROM job WHERE id = :job;
UPDATE job SET state = 'done' WHERE id = :job;
COMMIT;
