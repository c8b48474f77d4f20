-- A couple's two accounts: together they are never overdrawn.
CREATE TABLE account (id int PRIMARY KEY, balance int NOT NULL);
INSERT INTO account VALUES (0, 100), (1, 100);
