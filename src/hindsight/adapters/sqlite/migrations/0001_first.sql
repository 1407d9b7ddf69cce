-- The first schema. Times are milliseconds since 1970 UTC, truth values are 0 or 1, lists are JSON.
-- Text columns that hold the user's words: memories.key and value, evidence.quote, turns.content and
-- name, episodes.*, conflicts.question, proposals.value and reason, traces.body, items.terms.

CREATE TABLE meta (
  name TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE leases (
  name TEXT PRIMARY KEY,
  owner TEXT NOT NULL,
  until_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- A row stays for ever: its seq must never be given twice, even when all else was erased.
CREATE TABLE namespaces (
  number INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  seq INTEGER NOT NULL DEFAULT 0
) STRICT;

-- One row for each searchable thing. It outlives what it stood for, as a tombstone for the indexes,
-- which is also why an item's number is never given again.
CREATE TABLE items (
  item INTEGER PRIMARY KEY,
  namespace INTEGER NOT NULL REFERENCES namespaces (number),
  seq INTEGER NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('memory', 'turn', 'episode')),
  deleted INTEGER NOT NULL DEFAULT 0 CHECK (deleted IN (0, 1)),
  language TEXT NOT NULL,
  trust TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('active', 'archived', 'quarantined')),
  session INTEGER NOT NULL,
  position INTEGER NOT NULL,
  at_ms INTEGER NOT NULL,
  has_vector INTEGER NOT NULL CHECK (has_vector IN (0, 1)),
  terms BLOB NOT NULL
) STRICT;
CREATE UNIQUE INDEX items_by_change ON items (namespace, seq);
CREATE INDEX items_without_vector ON items (item)
  WHERE has_vector = 0 AND deleted = 0 AND status <> 'quarantined' AND terms <> x'';

CREATE TABLE vectors (
  item INTEGER PRIMARY KEY REFERENCES items (item),
  vector BLOB NOT NULL
) STRICT;

CREATE TABLE memories (
  item INTEGER PRIMARY KEY REFERENCES items (item),
  namespace INTEGER NOT NULL REFERENCES namespaces (number),
  id TEXT NOT NULL,
  key TEXT NOT NULL,
  value TEXT NOT NULL,
  category TEXT NOT NULL,
  language TEXT NOT NULL,
  origin TEXT NOT NULL,
  trust TEXT NOT NULL,
  confidence REAL NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('active', 'archived', 'quarantined')),
  created_ms INTEGER NOT NULL,
  updated_ms INTEGER NOT NULL,
  verified_ms INTEGER NOT NULL,
  source TEXT,
  writer TEXT,
  locator TEXT,
  valid_from_ms INTEGER,
  valid_to_ms INTEGER,
  ttl_days REAL,
  disputed_by TEXT NOT NULL,
  superseded_by TEXT,
  merged_from TEXT NOT NULL,
  endorsed_from TEXT,
  made_by TEXT NOT NULL,
  version INTEGER NOT NULL,
  UNIQUE (namespace, id)
) STRICT;
CREATE INDEX memories_by_key ON memories (namespace, key);

-- Key and value are not repeated: they never change under one id.
CREATE TABLE memory_versions (
  item INTEGER NOT NULL REFERENCES memories (item),
  version INTEGER NOT NULL,
  why TEXT NOT NULL,
  category TEXT NOT NULL,
  language TEXT NOT NULL,
  origin TEXT NOT NULL,
  trust TEXT NOT NULL,
  confidence REAL NOT NULL,
  status TEXT NOT NULL,
  created_ms INTEGER NOT NULL,
  updated_ms INTEGER NOT NULL,
  verified_ms INTEGER NOT NULL,
  source TEXT,
  writer TEXT,
  locator TEXT,
  valid_from_ms INTEGER,
  valid_to_ms INTEGER,
  ttl_days REAL,
  disputed_by TEXT NOT NULL,
  superseded_by TEXT,
  merged_from TEXT NOT NULL,
  endorsed_from TEXT,
  made_by TEXT NOT NULL,
  PRIMARY KEY (item, version)
) STRICT, WITHOUT ROWID;

-- A version's evidence is what was there by it: since_version <= version.
CREATE TABLE evidence (
  item INTEGER NOT NULL REFERENCES memories (item),
  position INTEGER NOT NULL,
  since_version INTEGER NOT NULL,
  session_id TEXT NOT NULL,
  turn_index INTEGER NOT NULL,
  quote TEXT NOT NULL,
  at_ms INTEGER NOT NULL,
  origin TEXT NOT NULL,
  turn_id TEXT,
  PRIMARY KEY (item, position)
) STRICT, WITHOUT ROWID;
CREATE INDEX evidence_by_session ON evidence (session_id, item);

-- AUTOINCREMENT: an index may still hold rows of an erased session under its number.
CREATE TABLE sessions (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  namespace INTEGER NOT NULL REFERENCES namespaces (number),
  id TEXT NOT NULL,
  turn_count INTEGER NOT NULL,
  user_turns_pending INTEGER NOT NULL,
  distilled_to INTEGER NOT NULL,
  started_ms INTEGER NOT NULL,
  last_ms INTEGER NOT NULL,
  observed_ms INTEGER NOT NULL,
  ended INTEGER NOT NULL CHECK (ended IN (0, 1)),
  time_zone TEXT,
  UNIQUE (namespace, id)
) STRICT;
CREATE INDEX sessions_by_observed ON sessions (namespace, observed_ms, number);
CREATE INDEX sessions_pending ON sessions (observed_ms) WHERE user_turns_pending > 0;

CREATE TABLE turns (
  item INTEGER PRIMARY KEY REFERENCES items (item),
  session INTEGER NOT NULL REFERENCES sessions (number),
  position INTEGER NOT NULL,
  id TEXT NOT NULL,
  role TEXT NOT NULL,
  content TEXT NOT NULL,
  at_ms INTEGER NOT NULL,
  origin TEXT NOT NULL,
  name TEXT,
  erased INTEGER NOT NULL DEFAULT 0 CHECK (erased IN (0, 1)),
  erased_digest TEXT,
  UNIQUE (session, position)
) STRICT;
CREATE INDEX turns_by_id ON turns (session, id);

CREATE TABLE episodes (
  item INTEGER PRIMARY KEY REFERENCES items (item),
  namespace INTEGER NOT NULL REFERENCES namespaces (number),
  id TEXT NOT NULL,
  session INTEGER NOT NULL REFERENCES sessions (number),
  first_index INTEGER NOT NULL,
  last_index INTEGER NOT NULL,
  language TEXT NOT NULL,
  user_said TEXT NOT NULL,
  agent_did TEXT NOT NULL,
  conclusion TEXT NOT NULL,
  entities TEXT NOT NULL,
  started_ms INTEGER NOT NULL,
  ended_ms INTEGER NOT NULL,
  created_ms INTEGER NOT NULL,
  UNIQUE (namespace, id)
) STRICT;
CREATE INDEX episodes_by_place ON episodes (session, first_index);

CREATE TABLE jobs (
  namespace INTEGER NOT NULL REFERENCES namespaces (number),
  id TEXT NOT NULL,
  kind TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('queued', 'running', 'done', 'failed')),
  created_ms INTEGER NOT NULL,
  run_after_ms INTEGER NOT NULL,
  session_id TEXT,
  first_index INTEGER NOT NULL,
  end_index INTEGER NOT NULL,
  started_by TEXT,
  attempts INTEGER NOT NULL,
  lease_owner TEXT,
  lease_until_ms INTEGER,
  finished_ms INTEGER,
  error TEXT,
  notes TEXT NOT NULL,
  written TEXT NOT NULL,
  rejected TEXT NOT NULL,
  PRIMARY KEY (namespace, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX jobs_open ON jobs (created_ms, id) WHERE state IN ('queued', 'running');
CREATE INDEX jobs_by_session ON jobs (namespace, session_id);

CREATE TABLE conflicts (
  namespace INTEGER NOT NULL REFERENCES namespaces (number),
  id TEXT NOT NULL,
  first TEXT NOT NULL,
  second TEXT NOT NULL,
  question TEXT NOT NULL,
  opened_ms INTEGER NOT NULL,
  open INTEGER NOT NULL CHECK (open IN (0, 1)),
  outcome TEXT,
  settled_ms INTEGER,
  settled_by TEXT,
  PRIMARY KEY (namespace, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX conflicts_by_first ON conflicts (namespace, first);
CREATE INDEX conflicts_by_second ON conflicts (namespace, second);

CREATE TABLE proposals (
  namespace INTEGER NOT NULL REFERENCES namespaces (number),
  id TEXT NOT NULL,
  memory_id TEXT NOT NULL,
  action TEXT NOT NULL,
  proposed_ms INTEGER NOT NULL,
  proposed_by TEXT NOT NULL,
  value TEXT,
  reason TEXT,
  PRIMARY KEY (namespace, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX proposals_by_memory ON proposals (namespace, memory_id);

CREATE TABLE traces (
  namespace INTEGER NOT NULL REFERENCES namespaces (number),
  id TEXT NOT NULL,
  at_ms INTEGER NOT NULL,
  body TEXT NOT NULL,
  PRIMARY KEY (namespace, id)
) STRICT;

CREATE TABLE requests (
  namespace INTEGER NOT NULL REFERENCES namespaces (number),
  id TEXT NOT NULL,
  digest TEXT NOT NULL,
  outcome TEXT NOT NULL,
  memory_id TEXT NOT NULL,
  PRIMARY KEY (namespace, id)
) STRICT, WITHOUT ROWID;

CREATE TABLE served (
  namespace INTEGER NOT NULL REFERENCES namespaces (number),
  fingerprint INTEGER NOT NULL,
  at_ms INTEGER NOT NULL,
  PRIMARY KEY (namespace, fingerprint)
) STRICT, WITHOUT ROWID;

CREATE TABLE tombstones (
  namespace INTEGER NOT NULL REFERENCES namespaces (number),
  digest TEXT NOT NULL,
  at_ms INTEGER NOT NULL,
  PRIMARY KEY (namespace, digest)
) STRICT, WITHOUT ROWID;

CREATE TABLE receipts (
  namespace INTEGER NOT NULL REFERENCES namespaces (number),
  id TEXT NOT NULL,
  body TEXT NOT NULL,
  PRIMARY KEY (namespace, id)
) STRICT, WITHOUT ROWID;

-- Each hash covers its line and the hash before it. The last one also stands in meta, so that a
-- shortened chain shows.
CREATE TABLE audit (
  number INTEGER PRIMARY KEY,
  namespace INTEGER NOT NULL REFERENCES namespaces (number),
  subject TEXT NOT NULL,
  line TEXT NOT NULL,
  hash TEXT NOT NULL
) STRICT;
CREATE INDEX audit_by_subject ON audit (namespace, subject);
