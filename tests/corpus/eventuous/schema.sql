CREATE TABLE message (pos bigserial PRIMARY KEY, txid xid8 NOT NULL DEFAULT pg_current_xact_id(), stream int NOT NULL,
  data jsonb NOT NULL DEFAULT '{}');
CREATE TABLE checkpoint (name text PRIMARY KEY, pos bigint NOT NULL, txid xid8 NOT NULL);
CREATE TABLE handled (pos bigint PRIMARY KEY);
INSERT INTO checkpoint VALUES ('projection', 0, '0');
