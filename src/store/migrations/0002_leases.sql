-- Pages taken over, so that a restart knows which runs are paused for a person who is gone.

create table leases (
    root_id text primary key,
    run_id  text not null,
    holder  text,
    paused  integer not null
) without rowid;
