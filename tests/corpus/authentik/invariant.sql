SELECT count(*) FROM release WHERE NOT done
