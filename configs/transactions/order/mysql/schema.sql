-- A shop: six products, and their orders.
-- The number of invariant.sql must be 0: products whose stock is not what the orders left.
CREATE TABLE customer (id int PRIMARY KEY, name varchar(50) NOT NULL);
CREATE TABLE product (id int PRIMARY KEY, name varchar(50) NOT NULL, price decimal(10, 2) NOT NULL, stock int NOT NULL);
CREATE TABLE orders (id bigint AUTO_INCREMENT PRIMARY KEY, customer_id int NOT NULL,
  total decimal(12, 2) NOT NULL, created_at timestamp NOT NULL DEFAULT now(), FOREIGN KEY (customer_id) REFERENCES customer (id));
CREATE TABLE order_line (order_id bigint NOT NULL, line int NOT NULL, product_id int NOT NULL, quantity int NOT NULL,
  PRIMARY KEY (order_id, line), FOREIGN KEY (order_id) REFERENCES orders (id), FOREIGN KEY (product_id) REFERENCES product (id));
INSERT INTO customer WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 12) SELECT i, CONCAT('customer ', i) FROM n;
INSERT INTO product WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 6) SELECT i, CONCAT('product ', i), 9.99 + i, 1000 FROM n;
