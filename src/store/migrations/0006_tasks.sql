-- ASYNC actions, with ids that are unique among all runs; the plan of a run; and children marked to be
-- stopped, in case the service dies before it stops them.

create table tasks (
    id         text primary key,
    run_id     text not null,
    root_id    text not null,
    action_id  text not null,
    child_id   text,
    agent      text not null,
    status     text not null,
    progress   real,
    display    text,
    result     text,
    error      text,
    created_at integer not null,
    started_at integer,
    ended_at   integer
) without rowid;
create index tasks_by_root on tasks (root_id);
create index tasks_living on tasks (created_at) where ended_at is null;

alter table runs add column plan text;
alter table runs add column stopping integer not null default 0;
