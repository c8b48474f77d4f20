SELECT (SELECT count(*) FROM (SELECT email FROM customer GROUP BY email HAVING count(*) > 1) twice) + (SELECT count(*) FROM (SELECT name FROM label GROUP BY name HAVING count(*) > 1) twice)
