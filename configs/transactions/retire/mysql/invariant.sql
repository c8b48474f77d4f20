SELECT count(*) FROM team t WHERE NOT EXISTS (SELECT 1 FROM member WHERE team_id = t.id AND retired_at IS NULL)
