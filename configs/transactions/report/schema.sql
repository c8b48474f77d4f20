-- Accounts of two branches, and reports of what the branches hold.
-- The number of invariant.sql must be 0: reports whose branches do not add up to what all accounts hold.
CREATE TABLE account (id int PRIMARY KEY, branch text NOT NULL, balance numeric(12, 2) NOT NULL);
CREATE TABLE report (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  north numeric(12, 2) NOT NULL, south numeric(12, 2) NOT NULL,
  at timestamptz NOT NULL DEFAULT now());
INSERT INTO account SELECT i, CASE i % 2 WHEN 0 THEN 'north' ELSE 'south' END, 100 FROM generate_series(1, 8) i;
