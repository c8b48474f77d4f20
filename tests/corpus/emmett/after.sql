-- Messages are ordered by their transactions, and taken once no earlier transaction is open.
BEGIN;
SELECT pos AS last, txid AS tx FROM checkpoint WHERE name = 'projection' FOR UPDATE \gset
INSERT INTO handled SELECT pos FROM message WHERE (txid, pos) > (':tx', :last)
  AND txid < pg_snapshot_xmin(pg_current_snapshot()) ORDER BY txid, pos LIMIT 50;
UPDATE checkpoint c SET pos = m.pos, txid = m.txid FROM (SELECT pos, txid FROM message
    WHERE pos IN (SELECT pos FROM handled) ORDER BY txid DESC, pos DESC LIMIT 1) m WHERE c.name = 'projection';
COMMIT;
