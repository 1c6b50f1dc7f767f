//! The index of notes: their passages, with a full-text search. Everything in it is derived from the files,
//! so a damaged index is deleted and rebuilt.

use crate::knowledge::chunks;
use crate::knowledge::note_folder::{Note, NoteFolder};
use crate::knowledge::passage::{KnowledgeList, Passage, RefusedNote, Relic};
use crate::text::word_forms::unify_spelling;
use rusqlite::{Connection, OptionalExtension, params};
use std::collections::BTreeMap;
use std::path::Path;

/// File name in the data folder.
pub const FILE: &str = "knowledge.sqlite";

/// Schema version. An index of another version is rebuilt.
const VERSION: i64 = 1;

const TABLES: &str = "
create table relics (
    id integer primary key, folder text not null, name text not null, title text not null,
    stamp text not null, hash text not null, unique (folder, name)
);
create table passages (
    id integer primary key, relic integer not null, heading text not null, text text not null
);
create index passages_of on passages (relic);
create virtual table words using fts5 (
    name, heading, text, tokenize = \"unicode61 remove_diacritics 2\", prefix = '3 4 5'
);";

/// Full-text index of notes.
#[derive(Debug)]
pub struct Index {
    connection: Connection,
}

impl Index {
    /// Opens the index in the data folder, or creates one in memory if the folder is not writable.
    pub fn open(data: &Path) -> rusqlite::Result<Self> {
        let opened = Connection::open(data.join(FILE)).and_then(Self::prepare);
        opened
            .or_else(|fault| {
                tracing::warn!(%fault, "the index of knowledge is made anew");
                Self::delete_file(data);
                Connection::open(data.join(FILE)).and_then(Self::prepare)
            })
            .or_else(|_| Connection::open_in_memory().and_then(Self::prepare))
    }

    /// Deletes the index file.
    pub fn delete_file(data: &Path) {
        for ending in ["", "-wal", "-shm", "-journal"] {
            let _ = std::fs::remove_file(data.join(format!("{FILE}{ending}")));
        }
    }

    fn prepare(connection: Connection) -> rusqlite::Result<Self> {
        let version: i64 = connection.query_row("pragma user_version", [], |row| row.get(0))?;
        // Lost data is read again from the files.
        connection.pragma_update(None, "synchronous", "OFF")?;
        if version != VERSION {
            connection.execute_batch(
                "drop table if exists words; drop table if exists passages; drop table if exists relics;",
            )?;
            connection.execute_batch(TABLES)?;
            connection.pragma_update(None, "user_version", VERSION)?;
        }
        Ok(Self { connection })
    }

    /// Updates the index from changed files of these folders. Returns the notes that exist, and their ids in
    /// the index.
    pub fn refresh(
        &self,
        folders: &[NoteFolder],
        only: Option<&[String]>,
    ) -> rusqlite::Result<(KnowledgeList, BTreeMap<String, i64>)> {
        let transaction = self.connection.unchecked_transaction()?;
        let (mut known, mut ids) = (KnowledgeList::default(), BTreeMap::new());
        for folder in folders {
            let (notes, refused) = folder.notes();
            known.refused.extend(refused);
            self.drop_gone(&folder.key, &notes)?;
            for note in notes.iter().filter(|note| only.is_none_or(|only| only.contains(&note.name))) {
                match self.take(&folder.key, note)? {
                    Ok((id, title)) if !ids.contains_key(&note.name) => {
                        ids.insert(note.name.clone(), id);
                        known.relics.push(Relic { name: note.name.clone(), title });
                    }
                    Ok(_) => {}
                    Err(why) => known.refused.push(RefusedNote { name: format!("{}.md", note.name), why }),
                }
            }
        }
        transaction.commit()?;
        known.relics.sort_by(|one, other| one.name.cmp(&other.name));
        Ok((known, ids))
    }

    /// Updates one note: it is read if its stamp changed, and split again if its text did.
    fn take(&self, folder: &str, note: &Note) -> rusqlite::Result<Result<(i64, String), String>> {
        let before: Option<(i64, String, String, String)> = self
            .connection
            .prepare_cached("select id, title, stamp, hash from relics where folder = ? and name = ?")?
            .query_row(params![folder, note.name], |row| {
                Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?))
            })
            .optional()?;
        if let Some((id, title, stamp, _)) = &before
            && *stamp == note.stamp
            && !stamp.is_empty()
        {
            return Ok(Ok((*id, title.clone())));
        }
        let (text, hash) = match note.read() {
            Ok(read) => read,
            Err(fault) => {
                if let Some((id, ..)) = before {
                    self.drop_relic(id)?;
                }
                return Ok(Err(fault.to_string()));
            }
        };
        if let Some((id, title, _, kept)) = before {
            if kept == hash {
                self.connection
                    .execute("update relics set stamp = ? where id = ?", params![note.stamp, id])?;
                return Ok(Ok((id, title)));
            }
            self.drop_relic(id)?;
        }
        self.add(folder, note, &text, &hash).map(Ok)
    }

    fn add(&self, folder: &str, note: &Note, text: &str, hash: &str) -> rusqlite::Result<(i64, String)> {
        let title = chunks::title(text);
        self.connection.execute(
            "insert into relics (folder, name, title, stamp, hash) values (?, ?, ?, ?, ?)",
            params![folder, note.name, title, note.stamp, hash],
        )?;
        let relic = self.connection.last_insert_rowid();
        let name = unify_spelling(&note.name);
        for chunk in chunks::split_note(text) {
            self.connection
                .prepare_cached("insert into passages (relic, heading, text) values (?, ?, ?)")?
                .execute(params![relic, chunk.heading, chunk.text])?;
            let id = self.connection.last_insert_rowid();
            self.connection
                .prepare_cached("insert into words (rowid, name, heading, text) values (?, ?, ?, ?)")?
                .execute(params![id, name, unify_spelling(&chunk.heading), unify_spelling(&chunk.text)])?;
        }
        Ok((relic, title))
    }

    fn drop_gone(&self, folder: &str, notes: &[Note]) -> rusqlite::Result<()> {
        let mut select = self.connection.prepare_cached("select id, name from relics where folder = ?")?;
        let rows = select.query_map([folder], |row| Ok((row.get(0)?, row.get(1)?)))?;
        let kept: Vec<(i64, String)> = rows.collect::<Result<_, _>>()?;
        for (id, name) in kept {
            if notes.iter().all(|note| note.name != name) {
                self.drop_relic(id)?;
            }
        }
        Ok(())
    }

    /// Removes notes that no longer exist, and compacts the file, so that none of their text remains in it.
    pub fn clear(&self, there: impl Fn(&str, &str) -> bool) -> rusqlite::Result<()> {
        let mut select = self.connection.prepare("select id, folder, name from relics")?;
        let rows = select.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
        let kept: Vec<(i64, String, String)> = rows.collect::<Result<_, _>>()?;
        let mut gone = kept.iter().filter(|(_, folder, name)| !there(folder, name)).peekable();
        if gone.peek().is_none() {
            return Ok(());
        }
        gone.try_for_each(|(id, ..)| self.drop_relic(*id))?;
        self.connection.execute_batch("insert into words (words) values ('optimize'); vacuum;")
    }

    fn drop_relic(&self, id: i64) -> rusqlite::Result<()> {
        self.connection
            .execute("delete from words where rowid in (select id from passages where relic = ?)", [id])?;
        self.connection.execute("delete from passages where relic = ?", [id])?;
        self.connection.execute("delete from relics where id = ?", [id])?;
        Ok(())
    }

    /// Finds the best passages among these notes. Matches in names and headings weigh more.
    pub fn find(&self, expression: &str, among: &[i64], most: usize) -> rusqlite::Result<Vec<Passage>> {
        let sql = format!(
            "select relics.name, passages.heading, passages.text from words
             join passages on passages.id = words.rowid join relics on relics.id = passages.relic
             where words match ? and relics.id in ({})
             order by bm25(words, 3.0, 4.0, 1.0), passages.id limit ?",
            sql_list(among)
        );
        self.passages(&sql, params![expression, most])
    }

    /// Returns the first passages of these notes.
    pub fn first_passages(&self, among: &[i64], most: usize) -> rusqlite::Result<Vec<Passage>> {
        let sql = format!(
            "select relics.name, passages.heading, passages.text from passages
             join relics on relics.id = passages.relic
             where relics.id in ({}) order by passages.id limit ?",
            sql_list(among)
        );
        self.passages(&sql, params![most])
    }

    fn passages(&self, sql: &str, given: impl rusqlite::Params) -> rusqlite::Result<Vec<Passage>> {
        let mut select = self.connection.prepare(sql)?;
        let rows = select.query_map(given, |row| {
            Ok(Passage { relic: row.get(0)?, heading: row.get(1)?, text: row.get(2)? })
        })?;
        rows.collect()
    }
}

/// Formats ids as a SQL list. They are numbers from the index itself, so there is nothing to escape.
fn sql_list(ids: &[i64]) -> String {
    ids.iter().map(i64::to_string).collect::<Vec<_>>().join(", ")
}
