-- Adds a sale to the total of its day, which may be the first one. The client looks first.
\set day random(10, 16)
\set pieces random(1, 5)
BEGIN;
SELECT pieces AS before FROM day_total WHERE day = '2026-01-:day' \gset
\if :ROW_COUNT = 0
  INSERT INTO day_total VALUES ('2026-01-:day', :pieces);
\else
  UPDATE day_total SET pieces = :before + :pieces WHERE day = '2026-01-:day';
\endif
INSERT INTO sale (day, pieces) VALUES ('2026-01-:day', :pieces);
COMMIT;
