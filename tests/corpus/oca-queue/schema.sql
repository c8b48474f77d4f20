CREATE TABLE job (id bigserial PRIMARY KEY, state text NOT NULL DEFAULT 'pending');
CREATE TABLE job_lock (job_id bigint PRIMARY KEY REFERENCES job);
CREATE TABLE run (id bigserial PRIMARY KEY, job_id bigint NOT NULL REFERENCES job);
INSERT INTO job SELECT FROM generate_series(1, 800);
CREATE INDEX ON job (state, id);
