SELECT count(*) FROM (SELECT job_id FROM done GROUP BY job_id HAVING count(*) > 1) twice
