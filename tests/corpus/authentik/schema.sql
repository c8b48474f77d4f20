CREATE TABLE migration (id int PRIMARY KEY, applied int NOT NULL);
CREATE TABLE release (id bigserial PRIMARY KEY, done boolean NOT NULL);
INSERT INTO migration VALUES (1, 0);
