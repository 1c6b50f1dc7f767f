-- Last step of a run whose spans a collector has; earlier spans are not sent again.

alter table runs add column exported integer not null default 0;
