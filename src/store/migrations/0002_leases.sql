-- Pages that people hold, so that a restart knows which runs stand still for somebody who is gone.

create table leases (
    root_id text primary key,
    run_id  text not null,
    holder  text,
    paused  integer not null
) without rowid;
