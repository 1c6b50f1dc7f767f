//! A store in a file of SQLite, as the source or the target of a copy. It names request texts and messages by numbers where
//! the copy names them by hashes.

use crate::ids::RunId;
use crate::store::copying::side::{CopyError, Side};
use crate::store::copying::tables::{Cell, Cells, ColumnType, Table};
use crate::store::error::StoreError;
use crate::store::sqlite::connection::error::store_error;
use crate::store::sqlite::connection::open::open_writer;
use crate::store::sqlite::search_index;
use rusqlite::types::{Value, ValueRef};
use rusqlite::{Connection, OpenFlags, Row, params_from_iter};
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, HashMap};
use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};

type Hash = Vec<u8>;

/// A file of SQLite in a transaction.
pub struct SqliteSide {
    connection: Connection,
    folder: PathBuf,
    messages: Messages,
    _lock: File,
}

/// Messages of requests by hash: the one before and the text.
#[derive(Default)]
struct Messages {
    by_hash: BTreeMap<Hash, (Option<Hash>, Hash)>,
    hashes: HashMap<i64, Hash>,
    ids: HashMap<Hash, i64>,
}

impl SqliteSide {
    /// Opens a store that is read. It must not be in use.
    pub fn open_source(folder: &Path) -> Result<Self, CopyError> {
        let file = folder.join("askfirst.db");
        if !file.is_file() {
            return Err(CopyError::NoStore(folder.display().to_string()));
        }
        let lock = lock(folder)?;
        // Migrates an older one, as a start of the service would.
        drop(open_writer(&file, &folder.join("runs"))?);
        let connection =
            Connection::open_with_flags(&file, OpenFlags::SQLITE_OPEN_READ_ONLY).map_err(store_error)?;
        connection.execute_batch("begin").map_err(store_error)?;
        let messages = Messages::read(&connection).map_err(store_error)?;
        Ok(Self { connection, folder: folder.to_owned(), messages, _lock: lock })
    }

    /// Opens a store that is written, and creates it if it is missing.
    pub fn open_target(folder: &Path) -> Result<Self, CopyError> {
        std::fs::create_dir_all(folder).map_err(|fault| StoreError::from_io(&fault))?;
        let lock = lock(folder)?;
        // The folders of runs may be there: a store on a server has its files in the data folder, too.
        let connection = open_writer(&folder.join("askfirst.db"), &folder.join("no-runs"))?;
        connection.execute_batch("begin immediate").map_err(store_error)?;
        Ok(Self { connection, folder: folder.to_owned(), messages: Messages::default(), _lock: lock })
    }

    fn insert(&self, table: &Table, rows: &[Cells]) -> rusqlite::Result<()> {
        let places = vec!["?"; table.columns.len()].join(", ");
        let sql = format!("insert into {} ({}) values ({places})", table.name, stored_columns(table));
        let mut statement = self.connection.prepare_cached(&sql)?;
        for row in rows {
            let values = row.iter().enumerate().map(|(at, cell)| self.stored(table, at, cell));
            statement.execute(params_from_iter(values.collect::<rusqlite::Result<Vec<_>>>()?))?;
        }
        Ok(())
    }

    /// Converts a value for its column.
    fn stored(&self, table: &Table, at: usize, cell: &Cell) -> rusqlite::Result<Value> {
        Ok(match cell {
            Cell::Null => Value::Null,
            Cell::Text(text) => Value::Text(text.clone()),
            Cell::Integer(number) => Value::Integer(*number),
            Cell::Real(number) => Value::Real(*number),
            Cell::Boolean(is_true) => Value::Integer(i64::from(*is_true)),
            Cell::Bytes(hash) => match reference(table, at) {
                None => Value::Blob(hash.clone()),
                Some(Reference::Message) => Value::Integer(self.messages.ids.get(hash).copied().unwrap_or(0)),
                Some(Reference::Text) => Value::Integer(text_id(&self.connection, hash)?),
            },
        })
    }

    /// Indexes the texts of rows.
    fn index(&self, table: &Table, rows: &[Cells]) -> rusqlite::Result<()> {
        let text = |row: &Cells, name: &str| match table.column(name).and_then(|at| row.get(at)) {
            Some(Cell::Text(text)) => text.clone(),
            _ => String::new(),
        };
        for row in rows {
            match table.name {
                "runs" => search_index::index_title(&self.connection, &RunId::from(text(row, "id")))?,
                "events" => {
                    let (root, run) = (RunId::from(text(row, "root_id")), RunId::from(text(row, "run_id")));
                    search_index::index_event(&self.connection, &root, &run, &text(row, "body"))?;
                }
                _ => {}
            }
        }
        Ok(())
    }
}

impl Side for SqliteSide {
    fn shown(&self) -> String {
        self.folder.display().to_string()
    }

    fn read(&mut self, table: &Table, after: Option<&[Cell]>, limit: usize) -> Result<Vec<Cells>, CopyError> {
        if table.name == "request_messages" {
            return Ok(self.messages.after(after, limit));
        }
        let key = table.columns.iter().take(table.key).map(|(name, _)| *name).collect::<Vec<_>>().join(", ");
        let places = vec!["?"; table.key].join(", ");
        let condition = if after.is_some() { format!("where ({key}) > ({places})") } else { String::new() };
        let columns = read_columns(table);
        let sql = format!("select {columns} from {} {condition} order by {key} limit {limit}", table.name);
        let mut statement = self.connection.prepare_cached(&sql).map_err(store_error)?;
        let values = after.unwrap_or_default().iter().map(|cell| match cell {
            Cell::Integer(number) => Value::Integer(*number),
            Cell::Text(text) => Value::Text(text.clone()),
            Cell::Bytes(bytes) => Value::Blob(bytes.clone()),
            Cell::Null | Cell::Real(_) | Cell::Boolean(_) => Value::Null,
        });
        let cells = |row: &Row<'_>| (0..table.columns.len()).map(|at| self.cell(table, at, row)).collect();
        let rows = statement.query_map(params_from_iter(values), cells).map_err(store_error)?;
        Ok(rows.collect::<rusqlite::Result<_>>().map_err(store_error)?)
    }

    fn write(&mut self, table: &Table, rows: &[Cells]) -> Result<(), CopyError> {
        if table.name == "request_messages" {
            rows.iter().for_each(|row| self.messages.take(row));
            return Ok(());
        }
        self.insert(table, rows).map_err(store_error)?;
        Ok(self.index(table, rows).map_err(store_error)?)
    }

    fn end_table(&mut self, table: &Table) -> Result<(), CopyError> {
        if table.name == "request_messages" {
            self.messages.store(&self.connection).map_err(store_error)?;
            // Read again, so that the comparison is of what was stored.
            let ids = std::mem::take(&mut self.messages.ids);
            self.messages = Messages { ids, ..Messages::read(&self.connection).map_err(store_error)? };
        }
        Ok(())
    }

    fn commit(&mut self) -> Result<(), CopyError> {
        Ok(self.connection.execute_batch("commit").map_err(store_error)?)
    }
}

impl SqliteSide {
    fn cell(&self, table: &Table, at: usize, row: &Row<'_>) -> rusqlite::Result<Cell> {
        let value = row.get_ref(at)?;
        let kind = table.columns.get(at).map(|(_, kind)| *kind);
        Ok(match (value, kind, reference(table, at)) {
            (ValueRef::Null, ..) => Cell::Null,
            (ValueRef::Integer(id), _, Some(Reference::Message)) => {
                self.messages.hashes.get(&id).map_or(Cell::Null, |hash| Cell::Bytes(hash.clone()))
            }
            (ValueRef::Integer(number), Some(ColumnType::Boolean), _) => Cell::Boolean(number != 0),
            (ValueRef::Integer(number), Some(ColumnType::Real), _) => Cell::Real(number as f64),
            (ValueRef::Integer(number), ..) => Cell::Integer(number),
            (ValueRef::Real(number), ..) => Cell::Real(number),
            // PostgreSQL keeps no NUL in texts; its store replaces it, too.
            (ValueRef::Text(text), ..) => Cell::Text(String::from_utf8_lossy(text).replace('\0', "\u{fffd}")),
            (ValueRef::Blob(bytes), ..) => Cell::Bytes(bytes.to_vec()),
        })
    }
}

/// Row that a column names by a number.
#[derive(Clone, Copy)]
enum Reference {
    Message,
    Text,
}

fn reference(table: &Table, at: usize) -> Option<Reference> {
    match (table.name, table.columns.get(at)?.0) {
        ("model_calls", "last_message") => Some(Reference::Message),
        ("model_calls", "request_text") => Some(Reference::Text),
        _ => None,
    }
}

/// Returns the columns as they are read in SQLite.
fn read_columns(table: &Table) -> String {
    let hash = "(select hash from request_texts where id = request_text_id)";
    stored_columns(table).replace("request_text_id", hash)
}

/// Returns the columns as they are named in SQLite.
fn stored_columns(table: &Table) -> String {
    let names = table.names();
    if table.name != "model_calls" {
        return names;
    }
    // Numbers of rows, where the copy has hashes.
    names.replace("last_message", "last_message_id").replace("request_text", "request_text_id")
}

fn text_id(connection: &Connection, hash: &[u8]) -> rusqlite::Result<i64> {
    connection
        .prepare_cached("select id from request_texts where hash = ?")?
        .query_row([hash], |row| row.get(0))
}

impl Messages {
    fn read(connection: &Connection) -> rusqlite::Result<Self> {
        let sql = "select m.id, m.previous_id, t.hash from request_messages m join request_texts t on t.id = m.text_id";
        let mut statement = connection.prepare(sql)?;
        let rows = statement.query_map((), |row| Ok((row.get(0)?, (row.get(1)?, row.get(2)?))))?;
        let rows: HashMap<i64, (i64, Hash)> = rows.collect::<rusqlite::Result<_>>()?;
        let mut messages = Self::default();
        for id in rows.keys() {
            // From the first message of the request to this one.
            let (mut path, mut at) = (Vec::new(), *id);
            while let Some((previous, text)) = rows.get(&at).filter(|_| !messages.hashes.contains_key(&at)) {
                path.push((at, *previous, text));
                at = *previous;
            }
            for (id, previous, text) in path.into_iter().rev() {
                let previous = messages.hashes.get(&previous).cloned();
                let hash =
                    Sha256::new().chain_update(previous.as_deref().unwrap_or_default()).chain_update(text);
                let hash = hash.finalize().to_vec();
                messages.hashes.insert(id, hash.clone());
                messages.by_hash.insert(hash, (previous, text.clone()));
            }
        }
        Ok(messages)
    }

    fn after(&self, key: Option<&[Cell]>, limit: usize) -> Vec<Cells> {
        let after = match key {
            Some([Cell::Bytes(hash)]) => std::ops::Bound::Excluded(hash.clone()),
            _ => std::ops::Bound::Unbounded,
        };
        let rows = self.by_hash.range((after, std::ops::Bound::Unbounded)).take(limit);
        rows.map(|(hash, (previous, text))| {
            let previous = previous.clone().map_or(Cell::Null, Cell::Bytes);
            vec![Cell::Bytes(hash.clone()), previous, Cell::Bytes(text.clone())]
        })
        .collect()
    }

    fn take(&mut self, row: &Cells) {
        if let [Cell::Bytes(hash), previous, Cell::Bytes(text)] = row.as_slice() {
            let previous = match previous {
                Cell::Bytes(hash) => Some(hash.clone()),
                _ => None,
            };
            self.by_hash.insert(hash.clone(), (previous, text.clone()));
        }
    }

    /// Inserts all messages, each after the one before it.
    fn store(&mut self, connection: &Connection) -> rusqlite::Result<()> {
        let sql = "insert into request_messages (previous_id, text_id) values (?, ?) returning id";
        let mut insert = connection.prepare(sql)?;
        for hash in self.by_hash.keys() {
            let (mut path, mut at) = (Vec::new(), Some(hash));
            while let Some(hash) = at.filter(|hash| !self.ids.contains_key(*hash)) {
                let Some((previous, text)) = self.by_hash.get(hash) else { break };
                path.push((hash, previous, text));
                at = previous.as_ref();
            }
            for (hash, previous, text) in path.into_iter().rev() {
                let previous = previous.as_ref().and_then(|hash| self.ids.get(hash)).copied().unwrap_or(0);
                let id = insert.query_row((previous, text_id(connection, text)?), |row| row.get(0))?;
                self.ids.insert(hash.clone(), id);
            }
        }
        Ok(())
    }
}

/// Locks a data folder, as a service does.
fn lock(folder: &Path) -> Result<File, CopyError> {
    let file = File::create(folder.join("lock")).map_err(|fault| StoreError::from_io(&fault))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(CopyError::InUse(folder.display().to_string())),
        Err(TryLockError::Error(fault)) => Err(StoreError::from_io(&fault).into()),
    }
}
