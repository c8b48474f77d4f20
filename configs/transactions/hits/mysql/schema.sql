-- Counters of pages, and each visit for itself.
-- The number of invariant.sql must be 0: pages whose counter is not the number of visits.
CREATE TABLE page (path varchar(100) PRIMARY KEY, hits bigint NOT NULL);
CREATE TABLE visit (id bigint AUTO_INCREMENT PRIMARY KEY, path varchar(100) NOT NULL, at timestamp(6) NOT NULL DEFAULT now(6));
INSERT INTO page VALUES ('/', 0), ('/shop', 0);
