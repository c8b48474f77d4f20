SELECT count(*) FROM product p WHERE stock < 0 OR stock <> 1000 - (SELECT coalesce(sum(quantity), 0) FROM order_line WHERE product_id = p.id)
