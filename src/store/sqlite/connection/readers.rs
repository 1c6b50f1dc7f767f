//! Pool of read connections.

use crate::store::error::StoreError;
use crate::store::sqlite::connection::error::store_error;
use crate::store::sqlite::connection::open::open_reader;
use rusqlite::Connection;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Most read connections. Each has a thread and a cache; more would cost memory and save no time.
const READERS: usize = 4;

/// Pool of read connections. Connections are opened as needed and reused.
pub struct Readers {
    file: PathBuf,
    /// Permits, one per possible connection.
    permits: Arc<Semaphore>,
    // A plain mutex: held for the moment of a push or pop, never across a query.
    idle: Mutex<Vec<Connection>>,
}

impl Readers {
    /// Creates a pool without connections; they are opened when they are needed.
    pub fn new(file: PathBuf) -> Self {
        Self { file, permits: Arc::new(Semaphore::new(READERS)), idle: Mutex::new(Vec::new()) }
    }

    /// Waits for the permit to read.
    pub async fn acquire(&self) -> Result<OwnedSemaphorePermit, StoreError> {
        Arc::clone(&self.permits).acquire_owned().await.map_err(|_| StoreError::Stopped)
    }

    /// Runs `read` on an idle connection, or on a new one. Blocks; the caller holds a permit.
    pub fn with_connection<T>(
        &self,
        read: impl FnOnce(&Connection) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let connection = match idle {
            Some(connection) => connection,
            None => open_reader(&self.file).map_err(store_error)?,
        };
        let result = read(&connection);
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(connection);
        result
    }
}
