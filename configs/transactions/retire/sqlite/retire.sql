-- Retires a member of a team, but not the last one, or brings one back. The statement that retires counts, too.
\set id random(1, 6)
\set team 1 + :id % 2
BEGIN;
UPDATE member SET retired_at = CURRENT_TIMESTAMP WHERE id = :id AND retired_at IS NULL
  AND (SELECT count(*) FROM member WHERE team_id = :team AND retired_at IS NULL AND id <> :id) > 0;
\if :ROW_COUNT = 0
  UPDATE member SET retired_at = NULL WHERE team_id = :team AND retired_at IS NOT NULL;
\endif
COMMIT;
