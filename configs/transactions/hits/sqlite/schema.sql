-- Counters of pages, and each visit for itself.
-- The number of invariant.sql must be 0: pages whose counter is not the number of visits.
PRAGMA foreign_keys = ON;
CREATE TABLE page (path TEXT PRIMARY KEY, hits INTEGER NOT NULL);
CREATE TABLE visit (id INTEGER PRIMARY KEY, path TEXT NOT NULL REFERENCES page, at TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP);
INSERT INTO page VALUES ('/', 0), ('/shop', 0);
