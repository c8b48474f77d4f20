-- A shop: six products, and their orders.
-- The number of invariant.sql must be 0: products whose stock is not what the orders left.
PRAGMA foreign_keys = ON;
CREATE TABLE customer (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
CREATE TABLE product (id INTEGER PRIMARY KEY, name TEXT NOT NULL, price NUMERIC NOT NULL, stock INTEGER NOT NULL);
CREATE TABLE orders (id INTEGER PRIMARY KEY, customer_id INTEGER NOT NULL REFERENCES customer, total NUMERIC NOT NULL,
  created_at TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP);
CREATE TABLE order_line (order_id INTEGER NOT NULL REFERENCES orders, line INTEGER NOT NULL,
  product_id INTEGER NOT NULL REFERENCES product, quantity INTEGER NOT NULL, PRIMARY KEY (order_id, line)) WITHOUT ROWID;
WITH RECURSIVE s (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM s WHERE i < 12)
  INSERT INTO customer SELECT i, 'customer ' || i FROM s;
WITH RECURSIVE s (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM s WHERE i < 6)
  INSERT INTO product SELECT i, 'product ' || i, 9.99 + i, 1000 FROM s;
