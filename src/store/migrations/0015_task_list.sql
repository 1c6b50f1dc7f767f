-- The list of tasks: how a person keeps each, what is found by words, and what is still to be removed of tasks that
-- were deleted. `pinned`, `archived` and `visibility` are of the root of a tree.

alter table runs add column own_title text;
alter table runs add column pinned integer not null default 0;
alter table runs add column archived integer not null default 0;
alter table runs add column visibility text not null default 'private';

create index runs_listed on runs (pinned desc, id desc, archived) where parent_id is null;

-- Which run a text of the index belongs to. A text is indexed once for each run, however often it is told.
create table run_texts (
    id      integer primary key,
    root_id text not null,
    run_id  text not null,
    kind    text not null,
    hash    blob not null,
    unique (run_id, kind, hash)
);
create index run_texts_by_root on run_texts (root_id);

create virtual table run_words using fts5 (
    text, tokenize = "unicode61 remove_diacritics 2", prefix = '2 3 4'
);
-- What is deleted leaves the index at once, not with its next merge.
insert into run_words (run_words, rank) values ('secure-delete', 1);

-- Folders of runs (`run`) and files of pictures (`picture`) whose rows are gone: removed after the commit, or when
-- the service starts again.
create table leftovers (
    kind text not null,
    name text not null,
    primary key (kind, name)
) without rowid;

create index pictures_by_hash on pictures (hash);
create index questions_by_root on questions (root_id);
create index calls_by_messages on calls (messages) where messages is not null;
create index calls_by_request on calls (request) where request is not null;
create index links_by_text on links (text);
