//! Engines under test.

use super::Engine;
use crate::support::postgres::{TestDatabase, TestServer, connect};
use askfirst::store::postgres::connection::store::PostgresStore;
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
    pub async fn new() -> Self {
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

pub struct PostgresEngine {
    folder: TempDir,
    database: TestDatabase,
}

impl PostgresEngine {
    pub async fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap(), database: TestServer::shared().database().await }
    }
}

impl Engine for PostgresEngine {
    fn open(&self, observer: StoreObserver) -> Arc<dyn Store> {
        Arc::new(PostgresStore::open(&self.database.url, self.folder.path(), observer).unwrap())
    }

    fn folder(&self) -> &Path {
        self.folder.path()
    }

    fn count(&self, table: &str) -> LocalBoxFuture<'_, i64> {
        let sql = format!("select count(*) from {table}");
        Box::pin(async move {
            let client = connect(&self.database.url).await;
            client.query_one(&sql, &[]).await.unwrap().get(0)
        })
    }
}
