-- Idempotency records: the run of a request and the position in it at which the reply begins (JSON). The
-- request itself is stored as a hash.

create table tries (
    key    text primary key,
    asked  text not null,
    run_id text not null,
    place  text not null,
    at     integer not null
) without rowid;
create index tries_by_age on tries (at);
