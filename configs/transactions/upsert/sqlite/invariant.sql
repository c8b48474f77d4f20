SELECT count(*) FROM (SELECT day FROM sale UNION SELECT day FROM day_total) d WHERE (SELECT sum(pieces) FROM sale s WHERE s.day = d.day) IS NOT (SELECT pieces FROM day_total t WHERE t.day = d.day)
