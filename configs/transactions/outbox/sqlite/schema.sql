-- Events that are written with what they tell of, and sent later.
-- The number of invariant.sql must be 0: events that were sent twice, or passed without being sent.
CREATE TABLE invoice (id INTEGER PRIMARY KEY, amount NUMERIC NOT NULL);
CREATE TABLE outbox (id INTEGER PRIMARY KEY, payload TEXT NOT NULL, sent INTEGER NOT NULL DEFAULT 0);
CREATE TABLE outbox_cursor (consumer TEXT PRIMARY KEY, last_id INTEGER NOT NULL);
CREATE TABLE delivered (id INTEGER PRIMARY KEY, event_id INTEGER NOT NULL);
INSERT INTO outbox_cursor VALUES ('mailer', 0);
