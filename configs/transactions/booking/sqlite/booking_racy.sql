-- Books a room for two days if it is free. The search comes first.
\set room random(1, 3)
\set day random(10, 98)
\set end :day + 2
BEGIN;
SELECT count(*) AS taken FROM booking WHERE room_id = :room AND starts_at < 'day :end' AND ends_at > 'day :day' \gset
\if :taken = 0
  INSERT INTO booking (room_id, starts_at, ends_at) VALUES (:room, 'day :day', 'day :end');
\endif
COMMIT;
