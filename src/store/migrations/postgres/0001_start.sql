-- The schema of the store on PostgreSQL. Tables and columns are those of SQLite, with the differences that are told here.
--
-- JSON is stored as text, because `jsonb` drops the order of names and refuses the character NUL. Ids and names compare
-- by their bytes (`collate "C"`), whatever the locale of the database. Times are Unix milliseconds.

-- Run trees: one row per root. A write to a tree locks this row first, so that numbers within the tree have no gaps, and
-- so that a node that has lost a tree is refused at its first statement. `seq` is the number of the newest event. `owner` is
-- the node that steps the runs of the tree, and `epoch` counts its owners. `wanted` tells that something was stored for the
-- owner by another node, or that a tree without an owner has something to do.
create table trees (
    root_id text collate "C" primary key,
    seq     bigint not null default 0,
    owner   uuid,
    epoch   bigint not null default 0,
    wanted  boolean not null default true
) with (fillfactor = 50);
create index trees_by_owner on trees (owner) where owner is not null;
create index wanted_trees on trees (owner, root_id) where wanted;

-- `last_message` is the number of the newest message to the run, read or not; such numbers never come again.
create table runs (
    id                 text collate "C" primary key,
    root_id            text collate "C" not null,
    parent_id          text collate "C",
    depth              bigint not null,
    ordinal            bigint not null default 0,
    agent              text collate "C" not null,
    version            text,
    program            text not null,
    model              text,
    input              text not null,
    idempotency_key    text collate "C",
    metadata           text,
    status             text not null,
    node               text not null,
    question_reference text collate "C",
    tool_steps         bigint not null default 0,
    last_step          bigint not null default 0,
    url                text,
    plan               text,
    progress           double precision,
    created_at         bigint not null,
    updated_at         bigint not null,
    stopping           boolean not null default false,
    ended_at           bigint,
    response           text,
    vars               text,
    failure_cause      text,
    bounds             text,
    deadline           bigint,
    descendants        bigint not null default 0,
    descendant_limit   bigint,
    exceeded_limit     bigint,
    model_calls        bigint not null default 0,
    unpriced_calls     bigint not null default 0,
    input_tokens       bigint not null default 0,
    cached_tokens      bigint not null default 0,
    output_tokens      bigint not null default 0,
    cost               double precision not null default 0,
    title              text not null,
    own_title          text,
    pinned             boolean not null default false,
    archived           boolean not null default false,
    visibility         text not null default 'private',
    last_exported_step bigint not null default 0,
    last_message       bigint not null default 0
) with (fillfactor = 70);
create index runs_by_created_at on runs (created_at);
create index living_runs_by_status on runs (status, id) where ended_at is null;
create unique index runs_by_idempotency_key on runs (agent, idempotency_key) where idempotency_key is not null;
create index runs_by_parent on runs (parent_id) where parent_id is not null;
create index runs_by_root on runs (root_id);
create index living_runs_by_deadline on runs (deadline) where deadline is not null and ended_at is null;
create index runs_by_ended_at on runs (ended_at desc, id desc) where ended_at is not null;
create index root_runs_in_list_order on runs (pinned desc, id desc, archived) where parent_id is null;

create table steps (
    run_id  text collate "C" not null,
    n       bigint not null,
    node    text not null,
    outcome text not null,
    at      bigint not null,
    took_ms bigint not null,
    changes text not null,
    primary key (run_id, n)
);

create table state_snapshots (
    run_id text collate "C" primary key,
    n      bigint not null,
    state  text not null
);

create table initial_states (
    run_id text collate "C" primary key,
    state  text not null
);

create table events (
    root_id text collate "C" not null,
    seq     bigint not null,
    run_id  text collate "C" not null,
    at      bigint not null,
    body    text not null,
    primary key (root_id, seq)
);

create table inbox (
    run_id text collate "C" not null,
    n      bigint not null,
    at     bigint not null,
    kind   text not null,
    text   text not null,
    primary key (run_id, n)
);

create sequence user_command_numbers;
create table user_commands (
    run_id  text collate "C" primary key,
    n       bigint not null,
    command text not null
);

create table questions (
    reference   text collate "C" primary key,
    run_id      text collate "C" not null,
    root_id     text collate "C" not null,
    kind        text not null,
    frame       text not null,
    asked_at    bigint not null,
    expires_at  bigint,
    resolved_at bigint,
    resolved_by text,
    answer      text,
    client      text
);
create index open_questions_by_asked_at on questions (asked_at, reference) where resolved_at is null;
create index open_questions_by_expires_at on questions (expires_at) where resolved_at is null and expires_at is not null;
create index questions_by_root on questions (root_id);
create index questions_by_run on questions (run_id);

create table effects (
    run_id     text collate "C" not null,
    n          bigint not null,
    action_id  text not null,
    action     text not null,
    intent_at  bigint not null,
    receipt_at bigint,
    receipt    text,
    primary key (run_id, n)
);
create index effects_without_receipt on effects (run_id) where receipt_at is null;

create table grants (
    id         text collate "C" primary key,
    scope      text not null,
    run_id     text collate "C",
    origin     text,
    rule       text not null,
    covers     text,
    created_at bigint not null,
    expires_at bigint not null,
    revoked_at bigint
);

create table audit_log (
    id      bigint generated always as identity primary key,
    at      bigint not null,
    run_id  text collate "C" not null,
    root_id text collate "C" not null,
    entry   text not null,
    title   text
);
create index audit_log_by_run on audit_log (run_id);

create table tasks (
    id         text collate "C" primary key,
    run_id     text collate "C" not null,
    root_id    text collate "C" not null,
    action_id  text not null,
    child_id   text collate "C",
    agent      text not null,
    status     text not null,
    progress   double precision,
    display    text,
    result     text,
    error      text,
    created_at bigint not null,
    started_at bigint,
    ended_at   bigint
);
create index tasks_by_root on tasks (root_id);
create index living_tasks_by_created_at on tasks (created_at) where ended_at is null;

-- Ids of tasks that a run is about to begin.
create table reserved_task_ids (
    id     text collate "C" primary key,
    run_id text collate "C" not null
);

create table page_snapshots (
    root_id  text collate "C" primary key,
    snapshot text not null
);

create table leases (
    root_id text collate "C" primary key,
    run_id  text collate "C" not null,
    holder  text,
    paused  boolean not null
);

create table pictures (
    run_id text collate "C" not null,
    n      bigint not null,
    hash   text collate "C" not null,
    at     bigint not null,
    primary key (run_id, n)
);
create index pictures_by_hash on pictures (hash);

create table leftover_files (
    kind text not null,
    name text collate "C" not null,
    primary key (kind, name)
);

-- Recordings of model calls. A message is named by a hash of itself and of all messages before it, so that a request is
-- stored without reading what is there; `last_message` and `request_text` are such names.
create table model_calls (
    run_id        text collate "C" not null,
    n             bigint not null,
    step          bigint not null,
    role          text not null,
    model         text not null,
    at            bigint not null,
    took_ms       bigint not null,
    input_tokens  bigint not null,
    cached_tokens bigint not null,
    output_tokens bigint not null,
    cost          double precision,
    currency      text,
    error         text,
    dropped       boolean not null,
    last_message  bytea,
    request_text  bytea,
    answer        text,
    fault         text,
    primary key (run_id, n)
);
create index model_calls_by_last_message on model_calls (last_message) where last_message is not null;
create index model_calls_by_request_text on model_calls (request_text) where request_text is not null;

create table request_messages (
    hash     bytea primary key,
    previous bytea,
    text     bytea not null
);
create index request_messages_by_previous on request_messages (previous) where previous is not null;
create index request_messages_by_text on request_messages (text);

create table request_texts (
    hash bytea primary key,
    body text not null
);

create table step_inputs (
    run_id text collate "C" not null,
    step   bigint not null,
    body   text not null,
    primary key (run_id, step)
);

-- Full-text index of the list of tasks. The service splits texts into words, so that every engine finds the same.
create table search_texts (
    run_id  text collate "C" not null,
    kind    text not null,
    hash    bytea not null,
    root_id text collate "C" not null,
    words   tsvector not null,
    primary key (run_id, kind, hash)
);
create index search_texts_by_root on search_texts (root_id);
create index search_texts_by_words on search_texts using gin (words);

create table idempotency_records (
    key          text collate "C" primary key,
    request_hash text not null,
    run_id       text collate "C" not null,
    position     text not null,
    created_at   bigint not null
);
create index idempotency_records_by_created_at on idempotency_records (created_at);
create index idempotency_records_by_run on idempotency_records (run_id);

create table sign_ins (
    cookie_hash text collate "C" primary key,
    token_hash  text not null,
    expires_at  bigint not null
);

create table write_checks (
    id      bigint generated always as identity primary key,
    padding text not null
);

-- Writes that were stored, by a token of their own, with their results as JSON. A write whose reply was lost is looked up
-- here, so that it is neither stored twice nor reported as failed. Tokens begin with their time; rows are removed an hour
-- after it, unless the write is still under way.
create table applied_writes (
    token  uuid primary key,
    result text
);

-- Services that work on the runs. Each renews its row; the trees of one whose time `until` has passed are taken over, and
-- with its row it loses all of them at once. `folder` is the id of its data folder, so that it replaces its own row when it
-- starts again after a crash.
create table nodes (
    id         uuid primary key,
    folder     text not null,
    machine    text not null,
    address    text not null,
    version    text not null,
    capacity   bigint not null,
    started_at bigint not null,
    until      timestamptz not null
) with (fillfactor = 50);
