-- Writes an invoice, and the event that tells of it.
\set amount random(1, 90)
BEGIN;
INSERT INTO outbox (payload) VALUES (json_object('amount', :amount));
INSERT INTO invoice (amount) VALUES (:amount);
COMMIT;
