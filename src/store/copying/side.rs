//! The two stores of a copy, and the reasons for which none is made.

use crate::store::copying::tables::{Cell, Cells, Table};
use crate::store::error::StoreError;
use std::path::PathBuf;

/// Location of a store.
#[derive(Clone, Debug)]
pub enum StoreLocation {
    /// A data folder with a file of SQLite.
    Folder(PathBuf),
    /// URL of a PostgreSQL database.
    Url(String),
}

/// Reason why a store was not copied. The target is as it was.
#[derive(Debug, thiserror::Error)]
pub enum CopyError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(
        "a store is named by its data folder, or by a URL that begins with postgres://; --from or --to is neither"
    )]
    Location,
    #[error(
        "there is no store to copy in {0}; name a data folder that has the file askfirst.db, or the URL of a database"
    )]
    NoStore(String),
    #[error("{0} has rows already; a store is copied only into an empty one, such as a new database")]
    NotEmpty(String),
    #[error(
        "a service works on the runs in {0}; stop it first, so that none of its steps is missing in the copy"
    )]
    InUse(String),
    #[error(
        "after the copy, the rows of {table} differ ({from} were read, {to} are there); nothing was kept"
    )]
    Different { table: &'static str, from: u64, to: u64 },
}

/// One of the two stores of a copy.
pub(super) trait Side {
    /// Name for messages, without secrets.
    fn shown(&self) -> String;
    /// Reads the next rows of a table after the one with this key, in the order of the key.
    fn read(&mut self, table: &Table, after: Option<&[Cell]>, limit: usize) -> Result<Vec<Cells>, CopyError>;
    /// Adds rows of a table.
    fn write(&mut self, table: &Table, rows: &[Cells]) -> Result<(), CopyError>;
    /// Ends the writing of a table.
    fn end_table(&mut self, table: &Table) -> Result<(), CopyError>;
    /// Stores all that was written.
    fn commit(&mut self) -> Result<(), CopyError>;
}
