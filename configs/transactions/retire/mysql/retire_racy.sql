-- Retires a member of a team, but not the last one, or brings one back. Two members may each count on the other.
\set id random(1, 6)
\set team 1 + :id % 2
BEGIN;
SELECT count(*) AS others FROM member WHERE team_id = :team AND retired_at IS NULL AND id <> :id \gset
\if :others > 0
  UPDATE member SET retired_at = now(6) WHERE id = :id AND retired_at IS NULL;
\else
  UPDATE member SET retired_at = NULL WHERE team_id = :team AND retired_at IS NOT NULL;
\endif
COMMIT;
