-- Two teams of three members.
-- The number of invariant.sql must be 0: teams without a member.
CREATE TABLE team (id int PRIMARY KEY, name varchar(50) NOT NULL);
CREATE TABLE member (id int PRIMARY KEY, team_id int NOT NULL, retired_at datetime(6), FOREIGN KEY (team_id) REFERENCES team (id));
INSERT INTO team VALUES (1, 'team 1'), (2, 'team 2');
INSERT INTO member (id, team_id) WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 6) SELECT i, 1 + i % 2 FROM n;
