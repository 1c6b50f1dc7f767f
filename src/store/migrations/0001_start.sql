-- The schema of the first release.
--
-- JSON is stored as text. `n` counts rows within a run, and `step` is the `n` of a step. Times (`at`, `*_at`,
-- `deadline`) are Unix milliseconds, and durations (`*_ms`) are milliseconds. Booleans are 0 or 1. Costs are in the
-- currency of the configured prices, unless a column names the currency.

-- Runs: one row per run of an agent. `root_id` is the run that began the tree, `parent_id` the run that called
-- this one.
create table runs (
    id                 text primary key,
    root_id            text not null,
    parent_id          text,
    -- Distance from the root, and the number among all runs of the tree: 0 for the root, then 1, 2, 3 …
    depth              integer not null,
    ordinal            integer not null default 0,

    -- The agent, the version of its file, the program that runs it, and the model chosen for the run and its
    -- descendants; null if none was chosen.
    agent              text not null,
    version            text,
    program            text not null,
    model              text,
    -- JSON object, and the key by which a repeated start is recognised.
    input              text not null,
    idempotency_key    text,
    -- Metadata of the person or client that started the run: a JSON object.
    metadata           text,

    -- Progress: `question_reference` names the question that the run waits for, `tool_steps` counts the uses of
    -- tools, `last_step` is the number of the newest row in `steps`, `url` is the address of the page.
    status             text not null,
    node               text not null,
    question_reference text,
    tool_steps         integer not null default 0,
    last_step          integer not null default 0,
    url                text,
    -- Plan as JSON, and progress reported by the run itself, from 0 to 1.
    plan               text,
    progress           real,
    created_at         integer not null,
    updated_at         integer not null,
    -- True if the run is to be stopped, in case the service dies before it stops it.
    stopping           integer not null default 0,

    -- End: text of the answer, outputs as a JSON object, and the machine-readable reason of a failure, with
    -- `error`, `error_type` and optionally `traceback`.
    ended_at           integer,
    response           text,
    vars               text,
    failure_cause      text,

    -- Limits passed on by the ancestors, as a JSON object, and the moment at which the run is ended.
    bounds             text,
    deadline           integer,
    -- Number of descendants so far, the most that are allowed, and the smallest `descendant_limit` of an ancestor
    -- that this run exceeds.
    descendants        integer not null default 0,
    descendant_limit   integer,
    exceeded_limit     integer,

    -- Usage of the run itself, without its descendants. `unpriced_calls` counts calls of unknown price, so that
    -- an unknown cost is not shown as zero.
    model_calls        integer not null default 0,
    unpriced_calls     integer not null default 0,
    input_tokens       integer not null default 0,
    cached_tokens      integer not null default 0,
    output_tokens      integer not null default 0,
    cost               real not null default 0,

    -- The list of tasks: the title that the run has, and a person's settings. `pinned`, `archived` and
    -- `visibility` (`private` or `team`) apply to the root of a tree.
    title              text not null,
    own_title          text,
    pinned             integer not null default 0,
    archived           integer not null default 0,
    visibility         text not null default 'private',

    -- Last step whose spans a collector has; earlier spans are not sent again.
    last_exported_step integer not null default 0
);
create index runs_by_created_at on runs (created_at);
create index living_runs_by_status on runs (status) where ended_at is null;
create unique index runs_by_idempotency_key on runs (agent, idempotency_key) where idempotency_key is not null;
create index runs_by_parent on runs (parent_id) where parent_id is not null;
create index runs_by_root on runs (root_id);
create index living_runs_by_deadline on runs (deadline) where deadline is not null and ended_at is null;
create index root_runs_in_list_order on runs (pinned desc, id desc, archived) where parent_id is null;

-- Steps of runs: the trace and, as changes, the checkpoint.
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

-- Full states, so that a long run is restored from the newest one and the few changes after it. `n` is the
-- step after which the state was taken.
create table state_snapshots (
    run_id text primary key,
    n      integer not null,
    state  text not null
) without rowid;

-- Initial state of a run, once its snapshot is of a later step.
create table initial_states (
    run_id text primary key,
    state  text not null
) without rowid;

-- The event log that viewers follow. `seq` counts 1, 2, 3 … in each run tree.
create table events (
    root_id text not null,
    seq     integer not null,
    run_id  text not null,
    at      integer not null,
    body    text not null,
    primary key (root_id, seq)
) without rowid;

-- Messages to a run that it has not read yet. `kind` is words, plan_edit, task_cancel or hand_back.
create table inbox (
    run_id text not null,
    n      integer not null,
    at     integer not null,
    kind   text not null default 'words',
    text   text not null,
    primary key (run_id, n)
) without rowid;

-- User commands that a run has not carried out yet: stop, pause or resume. A newer command replaces an older
-- one. One command to a run tree has the same number in all of its runs.
create table user_commands (
    run_id  text primary key,
    n       integer not null,
    command text not null
) without rowid;

-- Questions to people. `frame` is the question as sent, `answer` its answer, and `client` the client that
-- answered, all as JSON.
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
    answer      text,
    client      text
);
create index open_questions_by_asked_at on questions (asked_at) where resolved_at is null;
-- For the search for expired questions, twice a second.
create index open_questions_by_expires_at on questions (expires_at) where resolved_at is null and expires_at is not null;
create index questions_by_root on questions (root_id);

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
create index effects_without_receipt on effects (run_id) where receipt_at is null;

-- Remembered approvals. `scope` is `run` or `site`.
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

-- The audit log. `entry` is a JSON object; `title` is the title of the task, which stays readable when the task is
-- deleted.
create table audit_log (
    id      integer primary key,
    at      integer not null,
    run_id  text not null,
    root_id text not null,
    entry   text not null,
    title   text
);
create index audit_log_by_run on audit_log (run_id);

-- ASYNC actions. Their ids are unique among all runs. `run_id` began the task, `child_id` does the work, and
-- `progress` is from 0 to 1.
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
create index living_tasks_by_created_at on tasks (created_at) where ended_at is null;

-- Snapshot from which a run tree's page is opened again in a new Chromium.
create table page_snapshots (
    root_id  text primary key,
    snapshot text not null
) without rowid;

-- Pages taken over, so that a restart knows which runs are paused for a person who is gone. `holder` is the
-- session of that person.
create table leases (
    root_id text primary key,
    run_id  text not null,
    holder  text,
    paused  integer not null
) without rowid;

-- Pictures are files named by content hash; this table assigns them to runs.
create table pictures (
    run_id text not null,
    n      integer not null,
    hash   text not null,
    at     integer not null,
    primary key (run_id, n)
) without rowid;
create index pictures_by_hash on pictures (hash);

-- Folders of runs (`run`) and files of pictures (`picture`) whose rows are gone. Removed after the commit, or
-- at the next start of the service.
create table leftover_files (
    kind text not null,
    name text not null,
    primary key (kind, name)
) without rowid;

-- Recordings of model calls. `error` is the error as a text, `fault` the same with its kind, as JSON. The texts of a
-- call are in `request_messages` and `request_texts`.
create table model_calls (
    run_id          text not null,
    n               integer not null,
    step            integer not null,
    role            text not null,
    model           text not null,
    at              integer not null,
    took_ms         integer not null,
    input_tokens    integer not null,
    cached_tokens   integer not null,
    output_tokens   integer not null,
    cost            real,
    currency        text,
    error           text,
    -- True if the step was dropped before it was stored.
    dropped         integer not null,
    -- The last message (in `request_messages`), and the request without its messages (in `request_texts`); null if
    -- only answers are recorded.
    last_message_id integer,
    request_text_id integer,
    answer          text,
    fault           text,
    primary key (run_id, n)
) without rowid;
create index model_calls_by_last_message on model_calls (last_message_id) where last_message_id is not null;
create index model_calls_by_request_text on model_calls (request_text_id) where request_text_id is not null;

-- Messages of requests, each with the one before it (0 for the first), so that a conversation that grows by two
-- messages adds two rows.
create table request_messages (
    id          integer primary key,
    previous_id integer not null,
    text_id     integer not null,
    unique (previous_id, text_id)
);
create index request_messages_by_text on request_messages (text_id);

-- Texts of requests and messages. Equal texts are stored once.
create table request_texts (
    id   integer primary key,
    hash blob not null unique,
    body text not null
);

-- Recordings of the other inputs of steps, as JSON.
create table step_inputs (
    run_id text not null,
    step   integer not null,
    body   text not null,
    primary key (run_id, step)
) without rowid;

-- Full-text index of the list of tasks: the run of each indexed text. `kind` is title or event. A text is
-- indexed once per run, however often it occurs.
create table search_texts (
    id      integer primary key,
    root_id text not null,
    run_id  text not null,
    kind    text not null,
    hash    blob not null,
    unique (run_id, kind, hash)
);
create index search_texts_by_root on search_texts (root_id);

-- The indexed texts. `rowid` is the id in `search_texts`.
create virtual table search_index using fts5 (
    text, tokenize = "unicode61 remove_diacritics 2", prefix = '2 3 4'
);
-- Deleted texts leave the index at once, not at its next merge.
insert into search_index (search_index, rank) values ('secure-delete', 1);

-- Idempotency records: the run of a request and the position in it at which the reply begins, as JSON. The
-- request itself is stored as a hash.
create table idempotency_records (
    key          text primary key,
    request_hash text not null,
    run_id       text not null,
    position     text not null,
    created_at   integer not null
) without rowid;
create index idempotency_records_by_created_at on idempotency_records (created_at);

-- Signed-in browsers: the hash of the cookie and of the access token used to sign in.
create table sign_ins (
    cookie_hash text primary key,
    token_hash  text not null,
    expires_at  integer not null
) without rowid;

-- Written and emptied again to check that the disk accepts writes.
create table write_checks (
    id      integer primary key,
    padding blob not null
);
