-- Two teams of three members.
-- The number of invariant.sql must be 0: teams without a member.
CREATE TABLE team (id int PRIMARY KEY, name text NOT NULL);
CREATE TABLE member (id int PRIMARY KEY, team_id int NOT NULL REFERENCES team, retired_at timestamptz);
INSERT INTO team SELECT i, 'team ' || i FROM generate_series(1, 2) i;
INSERT INTO member SELECT i, 1 + i % 2 FROM generate_series(1, 6) i;
