-- The list of tasks: a person's settings, the full-text index, and leftover files of deleted tasks. `pinned`,
-- `archived` and `visibility` apply to the root of a tree.

alter table runs add column own_title text;
alter table runs add column pinned integer not null default 0;
alter table runs add column archived integer not null default 0;
alter table runs add column visibility text not null default 'private';

create index runs_listed on runs (pinned desc, id desc, archived) where parent_id is null;

-- Run of each indexed text. A text is indexed once per run, however often it occurs.
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
-- Deleted texts leave the index at once, not at its next merge.
insert into run_words (run_words, rank) values ('secure-delete', 1);

-- Folders of runs (`run`) and files of pictures (`picture`) whose rows are gone. Removed after the commit, or
-- at the next start of the service.
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
