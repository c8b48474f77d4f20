-- The lock is one of the transaction.
BEGIN;
SELECT pg_advisory_xact_lock(4711);
UPDATE migration SET applied = applied + 1 WHERE id = 1;
COMMIT;
