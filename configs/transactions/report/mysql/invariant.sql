SELECT count(*) FROM report WHERE north + south <> 800
