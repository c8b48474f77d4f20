-- At the server itself, so that one session has the lock.
SELECT pg_advisory_lock(4711);
UPDATE migration SET applied = applied + 1 WHERE id = 1;
SELECT pg_advisory_unlock(4711) AS done \gset
INSERT INTO release (done) VALUES (':done');
