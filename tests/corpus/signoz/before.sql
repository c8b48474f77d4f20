\set org random(1, 20)
\set n random(1, 60)
BEGIN;
SELECT count(*) AS there FROM saved_field WHERE org = :org AND name = 'field :n' \gset
\if :there = 0
  INSERT INTO saved_field (org, name) VALUES (:org, 'field :n');
\endif
COMMIT;
