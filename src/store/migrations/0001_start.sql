-- The schema of the first release.
--
-- JSON is stored as text. Times (`at`, `*_at`, `deadline`) are Unix milliseconds, and durations (`*_ms`) are
-- milliseconds. Booleans are 0 or 1. Costs are in the currency of the configured prices, unless a column
-- names the currency.

-- Runs: one row per run of an agent. `root_id` is the run that began the tree, `parent_id` the run that called
-- this one.
create table runs (
    id              text primary key,
    root_id         text not null,
    parent_id       text,
    -- Distance from the root, and the number among all runs of the tree: 0 for the root, then 1, 2, 3 …
    depth           integer not null,
    ordinal         integer not null default 0,

    -- The agent, the version of its file, the program that runs it, and the model chosen for the run and its
    -- descendants; null if none was chosen.
    agent           text not null,
    version         text,
    program         text not null,
    model           text,
    -- JSON object, and the key by which a repeated start is recognised.
    input           text not null,
    idempotency_key text,
    -- Metadata of the person or client that started the run: a JSON object.
    metadata        text,

    -- Progress: `question` is the reference of the question that the run waits for, `steps` counts the uses of
    -- tools, `last_step` is the number of the newest row in `steps`, `url` is the address of the page.
    status          text not null,
    node            text not null,
    question        text,
    steps           integer not null default 0,
    last_step       integer not null default 0,
    url             text,
    -- Plan as JSON, and progress reported by the run itself, from 0 to 1.
    plan            text,
    progress        real,
    created_at      integer not null,
    updated_at      integer not null,
    -- True if the run is to be stopped, in case the service dies before it stops it.
    stopping        integer not null default 0,

    -- End: text of the answer, outputs as a JSON object, and the machine-readable reason of a failure, with
    -- `error`, `error_type` and optionally `traceback`.
    ended_at        integer,
    response        text,
    vars            text,
    cause           text,

    -- Limits passed on by the ancestors, as a JSON object, and the moment at which the run is ended.
    bounds          text,
    deadline        integer,
    -- Number of descendants so far, the most that are allowed, and the smallest `most` of an ancestor that this
    -- run exceeds.
    below           integer not null default 0,
    most            integer,
    beyond          integer,

    -- Usage of the run itself, without its descendants. `unpriced_calls` counts calls of unknown price, so that
    -- an unknown cost is not shown as zero.
    model_calls     integer not null default 0,
    unpriced_calls  integer not null default 0,
    input_tokens    integer not null default 0,
    cached_tokens   integer not null default 0,
    output_tokens   integer not null default 0,
    cost            real not null default 0,

    -- The list of tasks: the title that the run has, and a person's settings. `pinned`, `archived` and
    -- `visibility` (`private` or `team`) apply to the root of a tree.
    title           text not null,
    own_title       text,
    pinned          integer not null default 0,
    archived        integer not null default 0,
    visibility      text not null default 'private',

    -- Last step whose spans a collector has; earlier spans are not sent again.
    exported        integer not null default 0
);
create index runs_by_age on runs (created_at);
create index runs_by_status on runs (status) where ended_at is null;
create unique index runs_by_key on runs (agent, idempotency_key) where idempotency_key is not null;
create index runs_by_parent on runs (parent_id) where parent_id is not null;
create index runs_by_root on runs (root_id);
create index runs_by_deadline on runs (deadline) where deadline is not null and ended_at is null;
create index runs_listed on runs (pinned desc, id desc, archived) where parent_id is null;

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
create table snapshots (
    run_id text primary key,
    n      integer not null,
    state  text not null
) without rowid;

-- Initial state of a run, once its snapshot is of a later step.
create table beginnings (
    run_id text primary key,
    state  text not null
) without rowid;

-- The event log that viewers follow. `seq` counts 1, 2, 3 … in each run tree.
create table facts (
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
create table wishes (
    run_id text primary key,
    n      integer not null,
    wish   text not null
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
create index questions_open on questions (asked_at) where resolved_at is null;
-- For the search for expired questions, twice a second.
create index questions_by_expiry on questions (expires_at) where resolved_at is null and expires_at is not null;
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
create index effects_open on effects (run_id) where receipt_at is null;

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

-- The audit log. `title` is the title of the task, which stays readable when the task is deleted.
create table audit (
    id      integer primary key,
    at      integer not null,
    run_id  text not null,
    root_id text not null,
    row     text not null,
    title   text
);
create index audit_by_run on audit (run_id);

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
create index tasks_living on tasks (created_at) where ended_at is null;

-- Snapshot from which a run tree's page is opened again in a new Chromium.
create table browsers (
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
create table leftovers (
    kind text not null,
    name text not null,
    primary key (kind, name)
) without rowid;

-- Recordings of model calls. The texts of a call are in `links` and `texts`.
create table calls (
    run_id        text not null,
    n             integer not null,
    step          integer not null,
    role          text not null,
    model         text not null,
    at            integer not null,
    took_ms       integer not null,
    input_tokens  integer not null,
    cached_tokens integer not null,
    output_tokens integer not null,
    cost          real,
    currency      text,
    error         text,
    -- True if the step was dropped before it was stored.
    dropped       integer not null,
    -- The last message (in `links`), and the request without its messages (in `texts`); null if only answers
    -- are recorded.
    messages      integer,
    request       integer,
    answer        text,
    fault         text,
    primary key (run_id, n)
) without rowid;
create index calls_by_messages on calls (messages) where messages is not null;
create index calls_by_request on calls (request) where request is not null;

-- Messages of requests: a chain, each linked to the one before it (0 for the first), so that a conversation
-- that grows by two messages adds two links.
create table links (
    id   integer primary key,
    prev integer not null,
    text integer not null,
    unique (prev, text)
);
create index links_by_text on links (text);

-- Texts of requests and messages. Equal texts are stored once.
create table texts (
    id   integer primary key,
    hash blob not null unique,
    body text not null
);

-- Recordings of the other inputs of steps, as JSON.
create table heard (
    run_id text not null,
    step   integer not null,
    body   text not null,
    primary key (run_id, step)
) without rowid;

-- Full-text index of the list of tasks: the run of each indexed text. `kind` is title or said. A text is
-- indexed once per run, however often it occurs.
create table run_texts (
    id      integer primary key,
    root_id text not null,
    run_id  text not null,
    kind    text not null,
    hash    blob not null,
    unique (run_id, kind, hash)
);
create index run_texts_by_root on run_texts (root_id);

-- The indexed texts. `rowid` is the id in `run_texts`.
create virtual table run_words using fts5 (
    text, tokenize = "unicode61 remove_diacritics 2", prefix = '2 3 4'
);
-- Deleted texts leave the index at once, not at its next merge.
insert into run_words (run_words, rank) values ('secure-delete', 1);

-- Idempotency records: the run of a request and the position in it at which the reply begins (`place`, JSON).
-- The request itself is stored as a hash (`asked`).
create table tries (
    key    text primary key,
    asked  text not null,
    run_id text not null,
    place  text not null,
    at     integer not null
) without rowid;
create index tries_by_age on tries (at);

-- Signed-in browsers: the hash of the cookie (`id`) and of the access token used to sign in (`made_with`).
create table sign_ins (
    id         text primary key,
    made_with  text not null,
    expires_at integer not null
) without rowid;

-- Written and emptied again to check that the disk accepts writes.
create table pulse (
    id  integer primary key,
    pad blob not null
);
