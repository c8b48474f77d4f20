SELECT count(*) - count(DISTINCT plan_id) FROM plan_check_run
