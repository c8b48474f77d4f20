-- Sends the oldest events that are not marked as sent, and marks them.
BEGIN;
INSERT INTO delivered (event_id) SELECT id FROM outbox WHERE sent = 0 ORDER BY id LIMIT 20;
UPDATE outbox SET sent = 1 WHERE sent = 0 AND id IN (SELECT event_id FROM delivered);
COMMIT;
