-- When a turn was taken in, which is when it came to be known: a read as of a moment before must not
-- show it, whatever time it bears. Of earlier rows it is not known, and their own time stands for it.

ALTER TABLE turns ADD COLUMN observed_ms INTEGER;
