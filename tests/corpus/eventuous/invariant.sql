SELECT count(*) FROM message m, checkpoint c WHERE m.pos <= c.pos AND m.pos NOT IN (SELECT pos FROM handled)
