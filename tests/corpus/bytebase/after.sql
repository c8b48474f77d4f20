-- The key is unique, and one statement writes over what is there.
\set plan random(1, 600)
BEGIN;
INSERT INTO plan_check_run (plan_id) VALUES (:plan)
  ON CONFLICT (plan_id) DO UPDATE SET status = excluded.status;
COMMIT;
