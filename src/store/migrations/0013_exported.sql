-- The last step of a run whose spans a collector has: what came before is not sent again.

alter table runs add column exported integer not null default 0;
