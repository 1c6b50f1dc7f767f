-- The client that answered a question, as JSON.
alter table questions add column client text;
-- A row of the audit log says what the task was called: it is still read when the task is gone.
alter table audit add column title text;
update audit set title = (select title from runs where runs.id = audit.root_id);
