-- Sends the oldest event that is not marked as sent and that nobody else sends, and marks it.
BEGIN;
SELECT id AS event FROM outbox WHERE NOT sent ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED \gset
\if :ROW_COUNT > 0
  INSERT INTO delivered (event_id) VALUES (:event);
  UPDATE outbox SET sent = true WHERE id = :event;
\endif
COMMIT;
