-- Whoever comes second takes what the first one made.
\set tripwire random(1, 60)
\set endpoint random(1, 60)
BEGIN;
SELECT id FROM deployment WHERE tripwire = :tripwire AND endpoint = :endpoint \gset
\if :ROW_COUNT = 0
  INSERT INTO deployment (tripwire, endpoint, token) VALUES (:tripwire, :endpoint, md5(':tripwire'))
    ON CONFLICT (tripwire, endpoint) DO NOTHING;
  SELECT id FROM deployment WHERE tripwire = :tripwire AND endpoint = :endpoint \gset
\endif
COMMIT;
