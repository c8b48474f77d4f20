-- Three rooms, and who has them when.
-- The number of invariant.sql must be 0: pairs of bookings of one room that overlap.
CREATE TABLE room (id int PRIMARY KEY, name varchar(50) NOT NULL);
CREATE TABLE booking (id bigint AUTO_INCREMENT PRIMARY KEY, room_id int NOT NULL, starts_at datetime NOT NULL,
  ends_at datetime NOT NULL, FOREIGN KEY (room_id) REFERENCES room (id));
INSERT INTO room VALUES (1, 'room 1'), (2, 'room 2'), (3, 'room 3');
