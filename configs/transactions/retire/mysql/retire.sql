-- Retires a member of a team, but not the last one, or brings one back. The row of the team is locked before the count.
\set id random(1, 6)
\set team 1 + :id % 2
BEGIN;
SELECT id FROM team WHERE id = :team FOR UPDATE;
SELECT count(*) AS others FROM member WHERE team_id = :team AND retired_at IS NULL AND id <> :id \gset
\if :others > 0
  UPDATE member SET retired_at = now(6) WHERE id = :id AND retired_at IS NULL;
\else
  UPDATE member SET retired_at = NULL WHERE team_id = :team AND retired_at IS NOT NULL;
\endif
COMMIT;
