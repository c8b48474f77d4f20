-- Books a room for two days if it is free. Two searches may each miss the booking of the other.
\set room random(1, 3)
\set day random(1, 100)
BEGIN;
SELECT count(*) AS taken FROM booking WHERE room_id = :room
  AND starts_at < date '2026-01-01' + interval (:day + 2) day AND ends_at > date '2026-01-01' + interval :day day \gset
\if :taken = 0
  INSERT INTO booking (room_id, starts_at, ends_at)
    VALUES (:room, date '2026-01-01' + interval :day day, date '2026-01-01' + interval (:day + 2) day);
\endif
COMMIT;
