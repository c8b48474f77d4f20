-- Books a room for two days if it is free. The statement that books searches, too.
\set room random(1, 3)
\set day random(1, 100)
INSERT INTO booking (room_id, starts_at, ends_at)
  SELECT :room, date('2026-01-01', :day || ' days'), date('2026-01-01', (:day + 2) || ' days')
  WHERE NOT EXISTS (SELECT 1 FROM booking WHERE room_id = :room AND starts_at < date('2026-01-01', (:day + 2) || ' days')
    AND ends_at > date('2026-01-01', :day || ' days'));
