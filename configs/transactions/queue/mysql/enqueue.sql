-- Adds a job.
INSERT INTO job (payload) VALUES (json_object('to', :client_id));
