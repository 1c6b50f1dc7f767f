//! Engines under test.

use super::Engine;
use askfirst::store::sqlite::connection::store::SqliteStore;
use askfirst::store::{Store, StoreObserver};
use futures_util::future::LocalBoxFuture;
use std::path::Path;
use std::sync::Arc;
use tempfile::TempDir;

pub struct SqliteEngine {
    folder: TempDir,
}

impl SqliteEngine {
    pub fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }
}

impl Engine for SqliteEngine {
    fn open(&self, observer: StoreObserver) -> Arc<dyn Store> {
        Arc::new(SqliteStore::open(self.folder.path(), observer).unwrap())
    }

    fn folder(&self) -> &Path {
        self.folder.path()
    }

    fn count(&self, table: &str) -> LocalBoxFuture<'_, i64> {
        let sql = format!("select count(*) from {table}");
        Box::pin(async move {
            let file = rusqlite::Connection::open(self.folder.path().join("askfirst.db")).unwrap();
            file.query_row(&sql, [], |row| row.get(0)).unwrap()
        })
    }
}
