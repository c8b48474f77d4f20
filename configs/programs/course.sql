CREATE TABLE course (id int PRIMARY KEY, seats int NOT NULL);
CREATE TABLE enrolled (student int PRIMARY KEY, course int NOT NULL);
INSERT INTO course VALUES (1, 2);
