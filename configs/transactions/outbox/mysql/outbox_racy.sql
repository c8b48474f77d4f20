-- Sends the events behind the last one that was sent. Numbers are given before transactions commit: an event with a
-- smaller number may come later, and is passed.
BEGIN;
SELECT last_id FROM outbox_cursor WHERE consumer = 'mailer' FOR UPDATE \gset
INSERT INTO delivered (event_id) SELECT id FROM outbox WHERE id > :last_id ORDER BY id LIMIT 20;
UPDATE outbox_cursor SET last_id = coalesce((SELECT max(event_id) FROM delivered), 0) WHERE consumer = 'mailer';
COMMIT;
