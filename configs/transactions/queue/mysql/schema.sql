-- Jobs, and what workers did.
-- The number of invariant.sql must be 0: jobs that were done twice.
CREATE TABLE job (id bigint AUTO_INCREMENT PRIMARY KEY, payload json NOT NULL, state varchar(20) NOT NULL DEFAULT 'queued');
CREATE TABLE done (id bigint AUTO_INCREMENT PRIMARY KEY, job_id bigint NOT NULL, worker int NOT NULL,
  FOREIGN KEY (job_id) REFERENCES job (id));
INSERT INTO job (payload) WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100) SELECT json_object('to', i) FROM n;
