-- Customers by address, which is unique, and labels, of which the table does not say so.
-- The number of invariant.sql must be 0: addresses and labels that are there twice.
CREATE TABLE customer (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  email text NOT NULL UNIQUE, visits int NOT NULL DEFAULT 0);
CREATE TABLE label (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, name text NOT NULL);
