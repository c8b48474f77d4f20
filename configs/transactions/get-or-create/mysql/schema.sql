-- Customers by address, which is unique, and labels, of which the table does not say so.
-- The number of invariant.sql must be 0: addresses and labels that are there twice.
CREATE TABLE customer (id bigint AUTO_INCREMENT PRIMARY KEY, email varchar(100) NOT NULL UNIQUE, visits int NOT NULL DEFAULT 0);
CREATE TABLE label (id bigint AUTO_INCREMENT PRIMARY KEY, name varchar(50) NOT NULL);
