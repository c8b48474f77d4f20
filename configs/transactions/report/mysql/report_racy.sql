-- Reports what the branches hold. Money may move between the two questions.
BEGIN;
SELECT sum(balance) AS north FROM account WHERE branch = 'north' \gset
SELECT sum(balance) AS south FROM account WHERE branch = 'south' \gset
INSERT INTO report (north, south) VALUES (:north, :south);
COMMIT;
