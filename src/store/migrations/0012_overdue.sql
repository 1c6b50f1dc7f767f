-- Index for the search for expired questions, twice a second.

create index questions_by_expiry on questions (expires_at) where resolved_at is null and expires_at is not null;
