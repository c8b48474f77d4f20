SELECT count(*) FROM page p WHERE hits <> (SELECT count(*) FROM visit v WHERE v.path = p.path)
