-- Number of a run's model calls of unknown price, so that an unknown cost is not shown as zero.

alter table runs add column unpriced_calls integer not null default 0;
update runs set unpriced_calls = model_calls where cost = 0;
