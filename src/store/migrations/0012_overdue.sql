-- Questions whose time is up are looked for twice a second, among all that are open.

create index questions_by_expiry on questions (expires_at) where resolved_at is null and expires_at is not null;
