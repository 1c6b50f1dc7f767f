-- The data of runs. JSON is stored as text; times are Unix milliseconds.

create table runs (
    id              text primary key,
    root_id         text not null,
    parent_id       text,
    depth           integer not null,
    agent           text not null,
    program         text not null,
    title           text not null,
    input           text not null,
    status          text not null,
    node            text not null,
    question        text,
    created_at      integer not null,
    updated_at      integer not null,
    ended_at        integer,
    response        text,
    vars            text,
    steps           integer not null default 0,
    last_step       integer not null default 0,
    model_calls     integer not null default 0,
    input_tokens    integer not null default 0,
    cached_tokens   integer not null default 0,
    output_tokens   integer not null default 0,
    cost            real not null default 0,
    url             text,
    idempotency_key text
);
create index runs_by_age on runs (created_at);
create index runs_by_status on runs (status) where ended_at is null;
create unique index runs_by_key on runs (agent, idempotency_key) where idempotency_key is not null;

-- One row per step: the trace and, as changes, the checkpoint.
create table steps (
    run_id  text not null,
    n       integer not null,
    node    text not null,
    outcome text not null,
    at      integer not null,
    took_ms integer not null,
    changes text not null,
    primary key (run_id, n)
) without rowid;

-- Full states, so that a long run is restored from the newest one and the few changes after it.
create table snapshots (
    run_id text primary key,
    n      integer not null,
    state  text not null
) without rowid;

-- The event log that viewers follow: seq counts 1, 2, 3 … in each run tree.
create table facts (
    root_id text not null,
    seq     integer not null,
    run_id  text not null,
    at      integer not null,
    body    text not null,
    primary key (root_id, seq)
) without rowid;

-- Messages to a run that it has not read yet.
create table inbox (
    run_id text not null,
    n      integer not null,
    at     integer not null,
    text   text not null,
    primary key (run_id, n)
) without rowid;

create table questions (
    reference   text primary key,
    run_id      text not null,
    root_id     text not null,
    kind        text not null,
    frame       text not null,
    asked_at    integer not null,
    expires_at  integer,
    resolved_at integer,
    resolved_by text,
    answer      text
);
create index questions_open on questions (asked_at) where resolved_at is null;

-- Effects on the outside world, stored before (intent) and after (receipt) they happen.
create table effects (
    run_id     text not null,
    n          integer not null,
    action_id  text not null,
    action     text not null,
    intent_at  integer not null,
    receipt_at integer,
    receipt    text,
    primary key (run_id, n)
) without rowid;
create index effects_open on effects (run_id) where receipt_at is null;

create table grants (
    id         text primary key,
    scope      text not null,
    run_id     text,
    origin     text,
    rule       text not null,
    created_at integer not null,
    expires_at integer not null,
    revoked_at integer
);

create table audit (
    id      integer primary key,
    at      integer not null,
    run_id  text not null,
    root_id text not null,
    row     text not null
);
create index audit_by_run on audit (run_id);

-- Pictures are files named by content hash; this table assigns them to runs.
create table pictures (
    run_id text not null,
    n      integer not null,
    hash   text not null,
    at     integer not null,
    primary key (run_id, n)
) without rowid;

-- Snapshot from which a run tree's page is opened again in a new Chromium.
create table browsers (
    root_id  text primary key,
    snapshot text not null
) without rowid;
