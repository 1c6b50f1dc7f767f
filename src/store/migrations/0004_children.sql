-- Child runs: the version of the agent's file, the position among the runs of the tree (counted by the root),
-- and the limits passed on by the ancestors.

alter table runs add column version text;
alter table runs add column ordinal integer not null default 0;
alter table runs add column below integer not null default 0;
alter table runs add column bounds text;
alter table runs add column deadline integer;

create index runs_by_parent on runs (parent_id) where parent_id is not null;
create index runs_by_root on runs (root_id);
create index runs_by_deadline on runs (deadline) where deadline is not null and ended_at is null;
