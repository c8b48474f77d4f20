-- Sells a product if it is in stock. The statement that takes the stock looks, too.
\set customer random(1, 12)
\set product random(1, 6)
\set quantity random(1, 3)
BEGIN;
UPDATE product SET stock = stock - :quantity WHERE id = :product AND stock >= :quantity RETURNING price \gset
\if :ROW_COUNT > 0
  INSERT INTO orders (customer_id, total) VALUES (:customer, :quantity * :price) RETURNING id AS order_id \gset
  INSERT INTO order_line VALUES (:order_id, 1, :product, :quantity);
\endif
COMMIT;
