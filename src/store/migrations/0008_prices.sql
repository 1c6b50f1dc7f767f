-- How many of a run's model calls nobody knows the price of, so that what is unknown is not shown as nothing.

alter table runs add column unpriced_calls integer not null default 0;
update runs set unpriced_calls = model_calls where cost = 0;
