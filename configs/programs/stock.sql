-- One article, of which one is left, and what three buyers have got.
CREATE TABLE article (id int PRIMARY KEY, stock int NOT NULL);
CREATE TABLE sold (buyer int PRIMARY KEY, articles int NOT NULL);
INSERT INTO article VALUES (1, 1);
INSERT INTO sold (buyer, articles) VALUES (0, 0), (1, 0), (2, 0);
