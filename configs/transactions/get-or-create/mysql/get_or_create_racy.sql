-- Makes a label if there is none of the name. No key is unique: two transactions may each make one.
\set n random(1, 40)
BEGIN;
SELECT id FROM label WHERE name = 'label :n' \gset
\if :ROW_COUNT = 0
  INSERT INTO label (name) VALUES ('label :n');
\endif
COMMIT;
