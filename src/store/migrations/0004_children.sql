-- Runs below runs: which version of its agent's file each keeps, its place among the runs of its tree
-- (counted by the tree's root), and what its callers leave it.

alter table runs add column version text;
alter table runs add column ordinal integer not null default 0;
alter table runs add column below integer not null default 0;
alter table runs add column bounds text;
alter table runs add column deadline integer;

create index runs_by_parent on runs (parent_id) where parent_id is not null;
create index runs_by_root on runs (root_id);
create index runs_by_deadline on runs (deadline) where deadline is not null and ended_at is null;
