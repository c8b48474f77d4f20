-- Finds the customer with an address, or makes one. A unique key decides who makes it.
\set n random(1, 40)
BEGIN;
INSERT IGNORE INTO customer (email) VALUES ('c:n@example.org');
SELECT id AS customer FROM customer WHERE email = 'c:n@example.org' FOR UPDATE \gset
UPDATE customer SET visits = visits + 1 WHERE id = :customer;
COMMIT;
