-- Sales of products by the day, and each sale for itself.
-- The number of invariant.sql must be 0: days whose total is not the sum of the sales.
CREATE TABLE sale (id bigint AUTO_INCREMENT PRIMARY KEY, day date NOT NULL, pieces int NOT NULL);
CREATE TABLE day_total (day date PRIMARY KEY, pieces bigint NOT NULL);
