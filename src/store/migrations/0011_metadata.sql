-- What whoever started a run keeps with it: a JSON object.

alter table runs add column metadata text;
