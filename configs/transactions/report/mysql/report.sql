-- Reports what the branches hold. One statement sees both.
BEGIN;
SELECT sum(balance * (branch = 'north')) AS north, sum(balance * (branch = 'south')) AS south FROM account \gset
INSERT INTO report (north, south) VALUES (:north, :south);
COMMIT;
