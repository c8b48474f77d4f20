CREATE TABLE beacon_state (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), node text NOT NULL, slot bigint NOT NULL,
  state_root text NOT NULL);
ALTER TABLE beacon_state ADD UNIQUE (node, slot, state_root);
