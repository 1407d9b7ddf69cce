-- What was rejected, how often each memory was put to use, what bare writes a memory has been supported
-- by, and the whole of the first answer to a request. A lesson's body holds digests and no words.

CREATE TABLE lessons (
  namespace INTEGER NOT NULL REFERENCES namespaces (number),
  id TEXT NOT NULL,
  memory_id TEXT NOT NULL,
  body TEXT NOT NULL,
  PRIMARY KEY (namespace, id)
) STRICT, WITHOUT ROWID;

CREATE TABLE uses (
  namespace INTEGER NOT NULL REFERENCES namespaces (number),
  memory_id TEXT NOT NULL,
  times INTEGER NOT NULL,
  PRIMARY KEY (namespace, memory_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX uses_by_times ON uses (namespace, times, memory_id);

ALTER TABLE memories ADD COLUMN supported_by TEXT NOT NULL DEFAULT '[]';
ALTER TABLE memory_versions ADD COLUMN supported_by TEXT NOT NULL DEFAULT '[]';

ALTER TABLE requests ADD COLUMN version INTEGER NOT NULL DEFAULT 0;
ALTER TABLE requests ADD COLUMN related TEXT NOT NULL DEFAULT '[]';
ALTER TABLE requests ADD COLUMN conflict TEXT;
