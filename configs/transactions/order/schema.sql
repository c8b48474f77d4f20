-- A shop: six products, and their orders.
-- The number of invariant.sql must be 0: products whose stock is not what the orders left.
CREATE TABLE customer (id int PRIMARY KEY, name text NOT NULL);
CREATE TABLE product (id int PRIMARY KEY, name text NOT NULL, price numeric(10, 2) NOT NULL, stock int NOT NULL);
CREATE TABLE orders (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, customer_id int NOT NULL REFERENCES customer,
  total numeric(12, 2) NOT NULL, created_at timestamptz NOT NULL DEFAULT now());
CREATE TABLE order_line (order_id bigint NOT NULL REFERENCES orders, line int NOT NULL,
  product_id int NOT NULL REFERENCES product, quantity int NOT NULL, PRIMARY KEY (order_id, line));
INSERT INTO customer SELECT i, 'customer ' || i FROM generate_series(1, 12) i;
INSERT INTO product SELECT i, 'product ' || i, 9.99 + i, 1000 FROM generate_series(1, 6) i;
