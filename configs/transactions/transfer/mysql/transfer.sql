-- Moves money if there is enough. The rows are locked in the order of their numbers, so that nobody waits in a circle.
\set a random(1, 6)
\set b 1 + (:a + random(0, 4)) % 6
\set amount random(1, 50)
BEGIN;
SELECT id FROM account WHERE id IN (:a, :b) ORDER BY id FOR UPDATE;
SELECT balance AS have FROM account WHERE id = :a \gset
\if :have >= :amount
  UPDATE account SET balance = balance - :amount WHERE id = :a;
  UPDATE account SET balance = balance + :amount WHERE id = :b;
\endif
COMMIT;
