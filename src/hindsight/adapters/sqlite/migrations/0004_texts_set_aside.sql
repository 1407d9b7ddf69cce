-- A text that the embedder fails on is set aside: it is found by its words, and the rest goes on.

ALTER TABLE items ADD COLUMN set_aside INTEGER NOT NULL DEFAULT 0 CHECK (set_aside IN (0, 1));
DROP INDEX items_without_vector;
CREATE INDEX items_without_vector ON items (item)
  WHERE has_vector = 0 AND deleted = 0 AND status <> 'quarantined' AND terms <> x'' AND set_aside = 0;
CREATE INDEX items_set_aside ON items (item) WHERE set_aside = 1;
