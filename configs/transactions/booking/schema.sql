-- Three rooms, and who has them when.
-- The number of invariant.sql must be 0: pairs of bookings of one room that overlap.
CREATE TABLE room (id int PRIMARY KEY, name text NOT NULL);
CREATE TABLE booking (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, room_id int NOT NULL REFERENCES room,
  starts_at timestamptz NOT NULL, ends_at timestamptz NOT NULL);
INSERT INTO room SELECT i, 'room ' || i FROM generate_series(1, 3) i;
