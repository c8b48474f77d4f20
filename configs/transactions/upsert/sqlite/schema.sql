-- Sales of products by the day, and each sale for itself.
-- The number of invariant.sql must be 0: days whose total is not the sum of the sales.
CREATE TABLE sale (id INTEGER PRIMARY KEY, day TEXT NOT NULL, pieces INTEGER NOT NULL);
CREATE TABLE day_total (day TEXT PRIMARY KEY, pieces INTEGER NOT NULL);
