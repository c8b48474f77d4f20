SELECT count(*) FROM message m, checkpoint c WHERE (c.txid = '0' AND m.pos <= c.pos OR (m.txid, m.pos) <= (c.txid, c.pos)) AND m.pos NOT IN (SELECT pos FROM handled)
