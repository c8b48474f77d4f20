-- Three rooms, and who has them when.
-- The number of invariant.sql must be 0: pairs of bookings of one room that overlap.
PRAGMA foreign_keys = ON;
CREATE TABLE room (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
CREATE TABLE booking (id INTEGER PRIMARY KEY, room_id INTEGER NOT NULL REFERENCES room, starts_at TEXT NOT NULL,
  ends_at TEXT NOT NULL);
INSERT INTO room VALUES (1, 'room 1'), (2, 'room 2'), (3, 'room 3');
