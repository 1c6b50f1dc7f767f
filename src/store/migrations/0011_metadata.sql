-- Metadata of the person or client that started a run: a JSON object.

alter table runs add column metadata text;
