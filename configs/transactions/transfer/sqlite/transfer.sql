-- Moves money if there is enough. The statement that takes it looks, too.
\set a random(1, 6)
\set b 1 + (:a + random(0, 4)) % 6
\set amount random(1, 50)
BEGIN;
UPDATE account SET balance = balance - :amount WHERE id = :a AND balance >= :amount;
\if :ROW_COUNT > 0
  UPDATE account SET balance = balance + :amount WHERE id = :b;
\endif
COMMIT;
