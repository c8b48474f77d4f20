-- Sells a product if it is in stock. The statement that takes the stock looks, too.
\set customer random(1, 12)
\set product random(1, 6)
\set quantity random(1, 3)
BEGIN;
UPDATE product SET stock = stock - :quantity WHERE id = :product AND stock >= :quantity;
\if :ROW_COUNT > 0
  SELECT price FROM product WHERE id = :product \gset
  INSERT INTO orders (customer_id, total) VALUES (:customer, :quantity * :price);
  INSERT INTO order_line VALUES (last_insert_id(), 1, :product, :quantity);
\endif
COMMIT;
