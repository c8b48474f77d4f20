-- Counters of pages, and each visit for itself.
-- The number of invariant.sql must be 0: pages whose counter is not the number of visits.
CREATE TABLE page (path text PRIMARY KEY, hits bigint NOT NULL);
CREATE TABLE visit (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  path text NOT NULL REFERENCES page, at timestamptz NOT NULL DEFAULT now());
INSERT INTO page VALUES ('/', 0), ('/shop', 0);
