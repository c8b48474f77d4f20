CREATE TABLE shift (id int PRIMARY KEY);
CREATE TABLE doctor (id int PRIMARY KEY, oncall int NOT NULL);
INSERT INTO shift VALUES (1);
INSERT INTO doctor VALUES (0, 1), (1, 1);
