-- Adds a sale to the total of its day, which may be the first one. The client looks first, and adds to a number that
-- may be old.
\set day random(0, 6)
\set pieces random(1, 5)
BEGIN;
INSERT INTO sale (day, pieces) VALUES (date '2026-01-05' + interval :day day, :pieces);
SELECT pieces AS had FROM day_total WHERE day = date '2026-01-05' + interval :day day \gset
\if :ROW_COUNT = 0
  INSERT INTO day_total VALUES (date '2026-01-05' + interval :day day, :pieces);
\else
  UPDATE day_total SET pieces = :had + :pieces WHERE day = date '2026-01-05' + interval :day day;
\endif
COMMIT;
