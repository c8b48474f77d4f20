CREATE TABLE room (id int PRIMARY KEY);
CREATE TABLE booking (guest int PRIMARY KEY, room int NOT NULL);
INSERT INTO room VALUES (1);
