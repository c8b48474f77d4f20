SELECT count(*) - count(DISTINCT (tripwire, endpoint)) FROM deployment
