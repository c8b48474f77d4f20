-- Accounts of two branches, and reports of what the branches hold.
-- The number of invariant.sql must be 0: reports whose branches do not add up to what all accounts hold.
CREATE TABLE account (id INTEGER PRIMARY KEY, branch TEXT NOT NULL, balance NUMERIC NOT NULL);
CREATE TABLE report (id INTEGER PRIMARY KEY, north NUMERIC NOT NULL, south NUMERIC NOT NULL,
  at TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP);
WITH RECURSIVE s (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM s WHERE i < 8)
  INSERT INTO account SELECT i, CASE i % 2 WHEN 0 THEN 'north' ELSE 'south' END, 100 FROM s;
