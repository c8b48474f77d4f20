SELECT count(*) FROM (SELECT day, sum(pieces) AS pieces FROM sale GROUP BY day) s FULL JOIN day_total t USING (day) WHERE s.pieces IS DISTINCT FROM t.pieces
