-- The most descendants of a run, counted by `below` at every ancestor, and the limit of an ancestor that the
-- run exceeds.

alter table runs add column most integer;
alter table runs add column beyond integer;
