-- What a grant covers: a JSON object with `origin`, `method`, `path`, `fields` and `role`. Grants from before have none
-- and cover nothing any more, since their rule alone covered too much.
alter table grants add column covers text;
