\set node random(1, 3)
\set slot random(1, 400)
BEGIN;
SELECT count(*) AS there FROM beacon_state WHERE node = 'node:node' AND slot = :slot AND state_root = 'root:slot' \gset
\if :there = 0
  INSERT INTO beacon_state (node, slot, state_root) VALUES ('node:node', :slot, 'root:slot');
\endif
COMMIT;
