-- The key is unique, and the conflict says that the state is there.
\set node random(1, 3)
\set slot random(1, 400)
BEGIN;
INSERT INTO beacon_state (node, slot, state_root) VALUES ('node:node', :slot, 'root:slot') ON CONFLICT DO NOTHING;
COMMIT;
