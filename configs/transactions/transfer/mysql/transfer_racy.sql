-- Moves money if there is enough. The client computes both balances, from ones that may be old.
\set a random(1, 6)
\set b 1 + (:a + random(0, 4)) % 6
\set amount random(1, 50)
BEGIN;
SELECT balance AS have FROM account WHERE id = :a \gset
SELECT balance AS other FROM account WHERE id = :b \gset
\if :have >= :amount
  UPDATE account SET balance = :have - :amount WHERE id = :a;
  UPDATE account SET balance = :other + :amount WHERE id = :b;
\endif
COMMIT;
