-- Moves money from one branch to the other, with one statement.
\set a random(1, 8)
\set b 1 + (:a + 2 * random(0, 3)) % 8
\set amount random(1, 20)
UPDATE account SET balance = balance + CASE id WHEN :a THEN -:amount ELSE :amount END WHERE id IN (:a, :b);
