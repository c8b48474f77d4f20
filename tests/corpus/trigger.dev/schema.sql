CREATE TABLE waitpoint (id bigserial PRIMARY KEY, run_id int NOT NULL, status text NOT NULL DEFAULT 'PENDING');
CREATE TABLE run (id int PRIMARY KEY, state text NOT NULL DEFAULT 'WAITING');
INSERT INTO run SELECT i FROM generate_series(1, 300) i;
