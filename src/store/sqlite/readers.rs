//! The connections that read.

use super::opening::connect_reader;
use super::refused;
use crate::store::StoreError;
use rusqlite::Connection;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Connections that read at once. Each has a thread and a cache: more would cost memory, not time.
const READERS: usize = 4;

/// Connections that read; as many as are read with at once, kept for the next reader.
pub struct Readers {
    file: PathBuf,
    /// One permit for each connection there may be.
    places: Arc<Semaphore>,
    // A plain mutex: held for the moment of a push or pop, never across a query.
    idle: Mutex<Vec<Connection>>,
}

impl Readers {
    pub fn of(file: PathBuf) -> Self {
        Self { file, places: Arc::new(Semaphore::new(READERS)), idle: Mutex::new(Vec::new()) }
    }

    /// The right to read, after as long as it takes.
    pub async fn place(&self) -> Result<OwnedSemaphorePermit, StoreError> {
        Arc::clone(&self.places).acquire_owned().await.map_err(|_| StoreError::Stopped)
    }

    pub fn with<T>(&self, read: impl FnOnce(&Connection) -> Result<T, StoreError>) -> Result<T, StoreError> {
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let connection = match idle {
            Some(connection) => connection,
            None => connect_reader(&self.file).map_err(refused)?,
        };
        let result = read(&connection);
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(connection);
        result
    }
}
