-- Six accounts with 1200 together.
-- The number of invariant.sql must be 0: accounts below zero, and one more if the sum of all has changed.
CREATE TABLE account (id int PRIMARY KEY, owner varchar(50) NOT NULL, balance decimal(12, 2) NOT NULL);
INSERT INTO account WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 6) SELECT i, CONCAT('owner ', i), 200 FROM n;
