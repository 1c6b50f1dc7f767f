//! Pictures as files named by the hash of their content, so that equal pictures are stored once, and the pictures that are
//! still being taken.

use crate::blobs::{BlobError, BlobStore, Patience};
use crate::ids;
use crate::ids::RunId;
use crate::store::error::StoreError;
use sha2::{Digest, Sha256};
use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;
use std::{fs, io};
use tokio::sync::Notify;

/// Hash of a reserved number without a picture.
pub const NO_HASH: &str = "";
/// Time limit for a picture that is still being taken.
const LONGEST_WAIT: Duration = Duration::from_secs(10);

/// Folder of JPEG files, named after the SHA-256 of their content.
pub struct Pictures {
    folder: PathBuf,
    /// The store in which other nodes find the pictures, once it is set.
    shared: OnceLock<BlobStore>,
}

impl Pictures {
    /// Creates the folder if it is missing.
    pub fn open(folder: PathBuf) -> io::Result<Self> {
        fs::create_dir_all(&folder)?;
        Ok(Self { folder, shared: OnceLock::new() })
    }

    /// Shares the pictures with other nodes from now on.
    pub fn share(&self, blobs: BlobStore) {
        // Set once, when the service starts.
        let _ = self.shared.set(blobs);
    }

    /// Stores a picture where other nodes find it, unless it is there.
    async fn publish(&self, hash: &str, jpeg: &[u8]) -> Result<(), StoreError> {
        let Some(store) = self.shared.get() else { return Ok(()) };
        let name = blob_name(hash);
        let put = async || match store.has(&name).await? {
            true => Ok(()),
            false => store.put(&name, jpeg.to_vec()).await,
        };
        let patience = Patience::start();
        while let Err(fault) = put().await {
            patience.pause_after(fault).await.map_err(|fault| blob_error(&fault))?;
        }
        Ok(())
    }

    /// Removes pictures from where other nodes find them.
    pub async fn remove_published(&self, hashes: &[String]) {
        let Some(blobs) = self.shared.get() else { return };
        for hash in hashes {
            if let Err(fault) = blobs.remove(&blob_name(hash)).await {
                tracing::warn!(%hash, %fault, "picture of a deleted run not removed from the store of blobs");
            }
        }
    }

    /// Writes the picture unless it exists, and returns its hash.
    pub fn put(&self, jpeg: &[u8]) -> io::Result<String> {
        let hash = format!("{:x}", Sha256::digest(jpeg));
        self.ensure(&hash, jpeg)?;
        Ok(hash)
    }

    /// Writes the picture under this hash unless it exists.
    fn ensure(&self, hash: &str, jpeg: &[u8]) -> io::Result<()> {
        let path = self.path(hash);
        if path.exists() {
            return Ok(());
        }
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        // Rename, so that a crash never leaves a partial picture under a hash.
        let part = path.with_extension(format!("{}.part", ids::token()));
        fs::write(&part, jpeg)?;
        fs::rename(&part, &path)
    }

    /// Removes the file. A missing file is no error.
    pub fn remove(&self, hash: &str) -> io::Result<()> {
        match fs::remove_file(self.path(hash)) {
            Err(fault) if fault.kind() != io::ErrorKind::NotFound => Err(fault),
            Ok(()) | Err(_) => Ok(()),
        }
    }

    /// Reads a picture; `None` if there is none.
    pub fn get(&self, hash: &str) -> io::Result<Option<Vec<u8>>> {
        match fs::read(self.path(hash)) {
            Ok(jpeg) => Ok(Some(jpeg)),
            Err(fault) if fault.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(fault) => Err(fault),
        }
    }

    fn path(&self, hash: &str) -> PathBuf {
        self.folder.join(&hash[..2.min(hash.len())]).join(format!("{hash}.jpg"))
    }
}

fn blob_name(hash: &str) -> String {
    format!("pictures/{}/{hash}.jpg", &hash[..2.min(hash.len())])
}

fn blob_error(fault: &BlobError) -> StoreError {
    StoreError::Blobs(fault.to_string())
}

/// Reads a picture, also one of another node, which is kept here then; `None` if there is none.
pub async fn read_file(pictures: &Arc<Pictures>, hash: String) -> Result<Option<Vec<u8>>, StoreError> {
    let (local, name) = (Arc::clone(pictures), hash.clone());
    let read =
        tokio::task::spawn_blocking(move || local.get(&name)).await.map_err(|_| StoreError::Stopped)?;
    let read = read.map_err(|fault| StoreError::Corrupt {
        what: format!("picture {hash}"),
        reason: fault.to_string(),
    })?;
    let (None, Some(blobs)) = (&read, pictures.shared.get()) else { return Ok(read) };
    let found = blobs.get(&blob_name(&hash)).await.map_err(|fault| blob_error(&fault))?;
    if let Some(jpeg) = &found {
        let (local, jpeg) = (Arc::clone(pictures), jpeg.clone());
        // A copy that cannot be kept is fetched again.
        let _ = tokio::task::spawn_blocking(move || local.ensure(&hash, &jpeg)).await;
    }
    Ok(found)
}

/// Ensures that the file exists, here and where other nodes find it, and returns its hash. Computes the hash if it is not given.
pub async fn ensure_file(
    pictures: &Arc<Pictures>,
    jpeg: &Arc<Vec<u8>>,
    hash: Option<String>,
) -> Result<String, StoreError> {
    let (local, content) = (Arc::clone(pictures), Arc::clone(jpeg));
    let put = move || match hash {
        Some(hash) => local.ensure(&hash, &content).map(|()| hash),
        None => local.put(&content),
    };
    let hash = tokio::task::spawn_blocking(put)
        .await
        .map_err(|_| StoreError::Stopped)?
        .map_err(|fault| StoreError::from_io(&fault))?;
    pictures.publish(&hash, jpeg).await?;
    Ok(hash)
}

/// Pictures of this process that are being taken.
#[derive(Default)]
pub struct PendingPictures {
    numbers: Mutex<HashSet<(RunId, u64)>>,
    filled: Notify,
}

impl PendingPictures {
    pub fn add(&self, run: &RunId, n: u64) {
        self.lock_numbers().insert((run.clone(), n));
    }

    /// Returns a guard that marks the picture as filled when it is dropped.
    pub fn remove_on_drop(self: Arc<Self>, run: RunId, n: u64) -> impl Drop {
        FilledOnDrop { pictures: self, number: (run, n) }
    }

    /// Waits until the picture is filled, up to [`LONGEST_WAIT`].
    pub async fn wait_until_filled(&self, run: &RunId, n: u64) {
        let number = (run.clone(), n);
        let waiting = async {
            loop {
                let filled = self.filled.notified();
                if !self.lock_numbers().contains(&number) {
                    return;
                }
                filled.await;
            }
        };
        let _ = tokio::time::timeout(LONGEST_WAIT, waiting).await;
    }

    fn lock_numbers(&self) -> std::sync::MutexGuard<'_, HashSet<(RunId, u64)>> {
        self.numbers.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

struct FilledOnDrop {
    pictures: Arc<PendingPictures>,
    number: (RunId, u64),
}

impl Drop for FilledOnDrop {
    fn drop(&mut self) {
        self.pictures.lock_numbers().remove(&self.number);
        self.pictures.filled.notify_waiters();
    }
}
