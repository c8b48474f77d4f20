CREATE TABLE job (id bigserial PRIMARY KEY, status text NOT NULL DEFAULT 'PENDING', run_after timestamptz,
  created_at timestamptz NOT NULL DEFAULT now(), updated_at timestamptz);
CREATE TABLE sent (id bigserial PRIMARY KEY, job_id bigint NOT NULL REFERENCES job);
INSERT INTO job (created_at) SELECT now() + i * interval '1 ms' FROM generate_series(1, 800) i;
