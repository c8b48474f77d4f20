\set plan random(1, 600)
BEGIN;
DELETE FROM plan_check_run WHERE plan_id = :plan;
INSERT INTO plan_check_run (plan_id) VALUES (:plan);
COMMIT;
