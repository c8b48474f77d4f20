CREATE TABLE deployment (id bigserial PRIMARY KEY, tripwire int NOT NULL, endpoint int NOT NULL, token text NOT NULL,
  UNIQUE (tripwire, endpoint));
