-- Customers by address, which is unique, and labels, of which the table does not say so.
-- The number of invariant.sql must be 0: addresses and labels that are there twice.
CREATE TABLE customer (id INTEGER PRIMARY KEY, email TEXT NOT NULL UNIQUE, visits INTEGER NOT NULL DEFAULT 0);
CREATE TABLE label (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
