CREATE TABLE saved_field (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), org int NOT NULL, name text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(), UNIQUE (org, name));
