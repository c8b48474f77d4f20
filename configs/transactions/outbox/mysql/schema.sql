-- Events that are written with what they tell of, and sent later.
-- The number of invariant.sql must be 0: events that were sent twice, or passed without being sent.
CREATE TABLE invoice (id bigint AUTO_INCREMENT PRIMARY KEY, amount decimal(10, 2) NOT NULL);
CREATE TABLE outbox (id bigint AUTO_INCREMENT PRIMARY KEY, payload json NOT NULL, sent boolean NOT NULL DEFAULT false);
CREATE TABLE outbox_cursor (consumer varchar(50) PRIMARY KEY, last_id bigint NOT NULL);
CREATE TABLE delivered (id bigint AUTO_INCREMENT PRIMARY KEY, event_id bigint NOT NULL);
INSERT INTO outbox_cursor VALUES ('mailer', 0);
