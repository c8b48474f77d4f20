-- Adds a sale to the total of its day, which may be the first one. One statement decides, and the database adds.
\set day random(0, 6)
\set pieces random(1, 5)
BEGIN;
INSERT INTO sale (day, pieces) VALUES (date '2026-01-05' + interval :day day, :pieces);
INSERT INTO day_total VALUES (date '2026-01-05' + interval :day day, :pieces) ON DUPLICATE KEY UPDATE pieces = pieces + :pieces;
COMMIT;
