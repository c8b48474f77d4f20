-- Accounts of two branches, and reports of what the branches hold.
-- The number of invariant.sql must be 0: reports whose branches do not add up to what all accounts hold.
CREATE TABLE account (id int PRIMARY KEY, branch varchar(20) NOT NULL, balance decimal(12, 2) NOT NULL);
CREATE TABLE report (id bigint AUTO_INCREMENT PRIMARY KEY, north decimal(12, 2) NOT NULL, south decimal(12, 2) NOT NULL,
  at timestamp NOT NULL DEFAULT now());
INSERT INTO account WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 8) SELECT i, IF(i % 2 = 0, 'north', 'south'), 100 FROM n;
