SELECT count(*) - count(DISTINCT (org, name)) FROM saved_field
