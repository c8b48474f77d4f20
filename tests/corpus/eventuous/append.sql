-- Appends three messages to a stream. Their positions are drawn before the commit.
\set stream random(1, 3)
BEGIN;
INSERT INTO message (stream) VALUES (:stream);
INSERT INTO message (stream) VALUES (:stream), (:stream);
COMMIT;
