-- Written and emptied again to see whether the disk takes what is written.

create table pulse (
    id  integer primary key,
    pad blob not null
);
