-- Jobs, and what workers did.
-- The number of invariant.sql must be 0: jobs that were done twice.
PRAGMA foreign_keys = ON;
CREATE TABLE job (id INTEGER PRIMARY KEY, payload TEXT NOT NULL, state TEXT NOT NULL DEFAULT 'queued');
CREATE TABLE done (id INTEGER PRIMARY KEY, job_id INTEGER NOT NULL REFERENCES job, worker INTEGER NOT NULL);
WITH RECURSIVE s (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM s WHERE i < 100)
  INSERT INTO job (payload) SELECT json_object('to', i) FROM s;
