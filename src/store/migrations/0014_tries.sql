-- What a request that may be sent again led to: the run, and where in it the answer begins (JSON). Of what was asked
-- a hash is kept.

create table tries (
    key    text primary key,
    asked  text not null,
    run_id text not null,
    place  text not null,
    at     integer not null
) without rowid;
create index tries_by_age on tries (at);
