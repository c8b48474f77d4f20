-- Adds a job.
INSERT INTO job (payload) VALUES (jsonb_build_object('to', :client_id));
