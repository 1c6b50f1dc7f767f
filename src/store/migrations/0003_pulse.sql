-- Written and emptied again to check that the disk accepts writes.

create table pulse (
    id  integer primary key,
    pad blob not null
);
