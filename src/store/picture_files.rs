//! Pictures as files named by the hash of their content, so that equal pictures are stored once, and the pictures that are
//! still being taken.

use crate::ids;
use crate::ids::RunId;
use crate::store::error::StoreError;
use sha2::{Digest, Sha256};
use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
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
}

impl Pictures {
    /// Creates the folder if it is missing.
    pub fn open(folder: PathBuf) -> io::Result<Self> {
        fs::create_dir_all(&folder)?;
        Ok(Self { folder })
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

/// Ensures that the file exists and returns its hash. Computes the hash if it is not given.
pub async fn ensure_file(
    pictures: &Arc<Pictures>,
    jpeg: &Arc<Vec<u8>>,
    hash: Option<String>,
) -> Result<String, StoreError> {
    let (pictures, jpeg) = (Arc::clone(pictures), Arc::clone(jpeg));
    let put = move || match hash {
        Some(hash) => pictures.ensure(&hash, &jpeg).map(|()| hash),
        None => pictures.put(&jpeg),
    };
    tokio::task::spawn_blocking(put)
        .await
        .map_err(|_| StoreError::Stopped)?
        .map_err(|fault| StoreError::from_io(&fault))
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
