-- API keys are the home's, of no namespace. The digest is that of the secret, which is kept nowhere.
-- namespaces is a JSON list, or NULL for every one; a revoked key keeps its row.

CREATE TABLE api_keys (
  id TEXT PRIMARY KEY,
  digest TEXT NOT NULL,
  label TEXT NOT NULL,
  namespaces TEXT,
  rights TEXT NOT NULL,
  highest_origin TEXT NOT NULL,
  created_ms INTEGER NOT NULL,
  expires_ms INTEGER,
  revoked_ms INTEGER
) STRICT, WITHOUT ROWID;
