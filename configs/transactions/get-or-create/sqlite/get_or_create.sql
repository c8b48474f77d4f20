-- Finds the customer with an address, or makes one. A unique key decides who makes it.
\set n random(1, 40)
BEGIN;
INSERT INTO customer (email, visits) VALUES ('c:n@example.org', 1) ON CONFLICT (email) DO UPDATE SET visits = visits + 1;
SELECT id AS customer FROM customer WHERE email = 'c:n@example.org' \gset
COMMIT;
