CREATE TABLE plan_check_run (id bigserial PRIMARY KEY, plan_id int NOT NULL, status text NOT NULL DEFAULT 'RUNNING');
