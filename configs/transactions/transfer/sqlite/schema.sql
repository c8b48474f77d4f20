-- Six accounts with 1200 together.
-- The number of invariant.sql must be 0: accounts below zero, and one more if the sum of all has changed.
CREATE TABLE account (id INTEGER PRIMARY KEY, owner TEXT NOT NULL, balance NUMERIC NOT NULL);
WITH RECURSIVE s (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM s WHERE i < 6)
  INSERT INTO account SELECT i, 'owner ' || i, 200 FROM s;
