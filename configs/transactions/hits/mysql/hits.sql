-- Counts a visit. The database adds.
BEGIN;
INSERT INTO visit (path) VALUES ('/shop');
UPDATE page SET hits = hits + 1 WHERE path = '/shop';
COMMIT;
