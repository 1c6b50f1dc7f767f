//! The SQLite store: one file, one writer thread, several readers.

use crate::blobs::BlobStore;
use crate::clock::Stopwatch;
use crate::metrics;
use crate::store::StoreObserver;
use crate::store::error::{StoreError, StoreFuture};
use crate::store::picture_files::{PendingPictures, Pictures};
use crate::store::sqlite::connection::open::{open_error, open_writer};
use crate::store::sqlite::connection::readers::Readers;
use crate::store::sqlite::connection::writer::Writer;
use crate::store::sqlite::tasks;
use rusqlite::Connection;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

/// A store in one SQLite file: one writer thread, and a pool of connections for reads.
pub struct SqliteStore {
    pub(crate) writer: Writer,
    readers: Arc<Readers>,
    pub(crate) pictures: Arc<Pictures>,
    pub(crate) pending_pictures: Arc<PendingPictures>,
    /// Largest number that this process gave to a user command.
    pub(crate) last_command: Arc<AtomicU64>,
}

impl SqliteStore {
    /// Opens the store in `folder`, creating or migrating it as needed. `observer` receives every event.
    pub fn open(folder: &Path, observer: StoreObserver) -> Result<Self, StoreError> {
        Self::open_within(folder, None, observer)
    }

    /// Opens the store like `open`. With `pages` the file grows to at most that many pages of 4 KiB, as on a
    /// full disk.
    pub fn open_within(
        folder: &Path,
        pages: Option<u32>,
        observer: StoreObserver,
    ) -> Result<Self, StoreError> {
        let file = folder.join("askfirst.db");
        let path = || file.display().to_string();
        let failed = |fault: std::io::Error| StoreError::Open { path: path(), reason: fault.to_string() };
        std::fs::create_dir_all(folder).map_err(failed)?;
        let connection = open_writer(&file, &folder.join("runs"))?;
        connection.execute_batch(tasks::RESERVED_IDS).map_err(|fault| open_error(&file, fault))?;
        if let Some(pages) = pages {
            connection
                .pragma_update(None, "max_page_count", pages)
                .map_err(|fault| open_error(&file, fault))?;
        }
        let pictures = Pictures::open(folder.join("pictures")).map_err(failed)?;
        Ok(Self {
            writer: Writer::start(connection, observer).map_err(failed)?,
            readers: Arc::new(Readers::new(file)),
            pictures: Arc::new(pictures),
            pending_pictures: Arc::default(),
            last_command: Arc::default(),
        })
    }

    /// Shares pictures with other nodes, or keeps them where the next machine of this service finds them.
    pub fn share_pictures(&self, blobs: BlobStore) {
        self.pictures.share(blobs);
    }

    pub(crate) fn read<T: Send + 'static>(
        &self,
        read: impl FnOnce(&Connection) -> Result<T, StoreError> + Send + 'static,
    ) -> StoreFuture<T> {
        let readers = Arc::clone(&self.readers);
        Box::pin(async move {
            let watch = Stopwatch::start();
            let permit = readers.acquire().await?;
            let reading = tokio::task::spawn_blocking(move || {
                let _permit = permit;
                readers.with_connection(read)
            });
            let read = reading.await;
            metrics::STORE_SECONDS.observe(["read"], watch.seconds());
            read.map_err(|_| StoreError::Stopped)?
        })
    }
}
