-- Recordings of steps: model calls and other inputs. Equal texts are stored once. The messages of a request
-- are a chain, each linked to the one before it, so that a conversation that grows by two messages adds two
-- links.

create table texts (
    id   integer primary key,
    hash blob not null unique,
    body text not null
);

create table links (
    id   integer primary key,
    prev integer not null,
    text integer not null,
    unique (prev, text)
);

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
    -- The last message, and the request without its messages; null if only answers are recorded.
    messages      integer,
    request       integer,
    answer        text,
    fault         text,
    primary key (run_id, n)
) without rowid;

create table heard (
    run_id text not null,
    step   integer not null,
    body   text not null,
    primary key (run_id, step)
) without rowid;

-- Initial state of a run, once its snapshot is of a later step.
create table beginnings (
    run_id text primary key,
    state  text not null
) without rowid;
