-- Six accounts with 1200 together.
-- The number of invariant.sql must be 0: accounts below zero, and one more if the sum of all has changed.
CREATE TABLE account (id int PRIMARY KEY, owner text NOT NULL, balance numeric(12, 2) NOT NULL);
INSERT INTO account SELECT i, 'owner ' || i, 200 FROM generate_series(1, 6) i;
