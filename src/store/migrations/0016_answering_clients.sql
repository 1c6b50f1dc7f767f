-- The client that answered a question, as JSON.
alter table questions add column client text;
-- Title of the task of an audit record, which stays readable when the task is deleted.
alter table audit add column title text;
update audit set title = (select title from runs where runs.id = audit.root_id);
