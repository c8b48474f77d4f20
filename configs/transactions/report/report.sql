-- Reports what the branches hold. One statement sees both.
BEGIN;
SELECT sum(balance) FILTER (WHERE branch = 'north') AS north, sum(balance) FILTER (WHERE branch = 'south') AS south
  FROM account \gset
INSERT INTO report (north, south) VALUES (:north, :south);
COMMIT;
