-- The key is unique, and who comes second changes nothing.
\set org random(1, 20)
\set n random(1, 60)
INSERT INTO saved_field (org, name) VALUES (:org, 'field :n') ON CONFLICT (org, name) DO NOTHING;
