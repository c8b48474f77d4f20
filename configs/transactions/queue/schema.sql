-- Jobs, and what workers did.
-- The number of invariant.sql must be 0: jobs that were done twice.
CREATE TABLE job (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, payload jsonb NOT NULL,
  state text NOT NULL DEFAULT 'queued');
CREATE TABLE done (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  job_id bigint NOT NULL REFERENCES job, worker int NOT NULL);
INSERT INTO job (payload) SELECT jsonb_build_object('to', i) FROM generate_series(1, 100) i;
