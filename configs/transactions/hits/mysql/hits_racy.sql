-- Counts a visit. The client adds, to a number that may be old.
BEGIN;
INSERT INTO visit (path) VALUES ('/shop');
SELECT hits FROM page WHERE path = '/shop' \gset
UPDATE page SET hits = :hits + 1 WHERE path = '/shop';
COMMIT;
