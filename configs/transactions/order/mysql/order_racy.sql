-- Sells a product if it is in stock. The client computes the stock that is left, from one that may be old.
\set customer random(1, 12)
\set product random(1, 6)
\set quantity random(1, 3)
BEGIN;
SELECT stock, price FROM product WHERE id = :product \gset
\if :stock >= :quantity
  INSERT INTO orders (customer_id, total) VALUES (:customer, :quantity * :price);
  INSERT INTO order_line VALUES (last_insert_id(), 1, :product, :quantity);
  UPDATE product SET stock = :stock - :quantity WHERE id = :product;
\endif
COMMIT;
