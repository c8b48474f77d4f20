-- Four accounts with 400 together.
CREATE TABLE account (id int PRIMARY KEY, balance int NOT NULL);
INSERT INTO account SELECT i, 100 FROM generate_series(1, 4) i;
