CREATE TABLE event (id bigserial PRIMARY KEY, connection_id int NOT NULL, origin_id text NOT NULL, body text,
  supersedes bigint UNIQUE REFERENCES event);
