-- Two teams of three members.
-- The number of invariant.sql must be 0: teams without a member.
PRAGMA foreign_keys = ON;
CREATE TABLE team (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
CREATE TABLE member (id INTEGER PRIMARY KEY, team_id INTEGER NOT NULL REFERENCES team, retired_at TEXT);
INSERT INTO team VALUES (1, 'team 1'), (2, 'team 2');
WITH RECURSIVE s (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM s WHERE i < 6)
  INSERT INTO member SELECT i, 1 + i % 2, NULL FROM s;
