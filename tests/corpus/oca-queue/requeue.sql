-- Jobs that were started and whose lock nobody holds are to be done again.
BEGIN;
UPDATE job SET state = 'pending' WHERE id IN (SELECT j.id FROM job j JOIN job_lock l ON l.job_id = j.id
  WHERE j.state = 'started' FOR UPDATE SKIP LOCKED);
COMMIT;
