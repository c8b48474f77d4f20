-- Sends the events behind the last one that was sent.
BEGIN;
SELECT last_id FROM outbox_cursor WHERE consumer = 'mailer' \gset
INSERT INTO delivered (event_id) SELECT id FROM outbox WHERE id > :last_id ORDER BY id LIMIT 20;
UPDATE outbox_cursor SET last_id = coalesce((SELECT max(event_id) FROM delivered), 0) WHERE consumer = 'mailer';
COMMIT;
