-- Sends the oldest events that are not marked as sent, and marks them.
BEGIN;
WITH next AS (UPDATE outbox SET sent = true
    WHERE id IN (SELECT id FROM outbox WHERE NOT sent ORDER BY id LIMIT 20 FOR UPDATE SKIP LOCKED) RETURNING id)
  INSERT INTO delivered (event_id) SELECT id FROM next ORDER BY id;
COMMIT;
