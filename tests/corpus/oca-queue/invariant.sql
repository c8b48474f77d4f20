SELECT count(*) - count(DISTINCT job_id) FROM run
