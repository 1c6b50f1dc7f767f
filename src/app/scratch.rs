//! A temporary folder, removed when it is dropped. Folders left by killed processes are removed when the next
//! one is created.

use crate::ids;
use std::fs::{File, TryLockError};
use std::io::{Error, ErrorKind};
use std::path::{Path, PathBuf};

/// Lock file, held as long as the folder is needed; the kernel releases it however the process ends.
const LOCK: &str = "lock";
/// Number of attempts, since another process may remove a folder before it is locked.
const TRIES: usize = 16;

/// A locked temporary folder. It is removed when dropped, or by the next process if this one is killed.
pub struct Scratch {
    path: PathBuf,
    _lock: File,
}

impl Scratch {
    /// Creates a folder with this name and a random suffix.
    pub fn make(name: &str) -> std::io::Result<Self> {
        let folder = std::env::temp_dir();
        clear(&folder, name);
        for _ in 0..TRIES {
            if let Some(made) = Self::create(folder.join(format!("{name}-{}", ids::token())))? {
                return Ok(made);
            }
        }
        Err(Error::other(format!("{}: another program keeps removing folders there", folder.display())))
    }

    /// Returns the path of the folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Creates and locks the folder. Returns `None` if another process removed it meanwhile.
    fn create(path: PathBuf) -> std::io::Result<Option<Self>> {
        make_private(&path)?;
        let lock = match File::create(path.join(LOCK)) {
            Ok(lock) => lock,
            Err(fault) if fault.kind() == ErrorKind::NotFound => return Ok(None),
            Err(fault) => return Err(fault),
        };
        match lock.try_lock() {
            Ok(()) => Ok(path.join(LOCK).exists().then_some(Self { path, _lock: lock })),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(fault)) => Err(fault),
        }
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        if let Err(fault) = std::fs::remove_dir_all(&self.path) {
            tracing::warn!(path = %self.path.display(), %fault, "not removed");
        }
    }
}

/// Creates a folder for the owner only: it holds pages and texts of runs.
fn make_private(path: &Path) -> std::io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)
}

/// Removes the folders of this name that no process has locked. Errors are ignored: such a folder belongs to
/// another user.
fn clear(folder: &Path, name: &str) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    let is_own = |found: &str| found.strip_prefix(name).is_some_and(|rest| rest.starts_with('-'));
    for entry in entries.flatten().filter(|entry| entry.file_name().to_str().is_some_and(is_own)) {
        if !entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            continue;
        }
        let path = entry.path();
        let _ = match File::open(path.join(LOCK)) {
            Ok(lock) if lock.try_lock().is_ok() => std::fs::remove_dir_all(&path),
            Ok(_) => Ok(()),
            // Its process was killed before it created the lock, so the folder is empty.
            Err(_) => std::fs::remove_dir(&path),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_of_dead_processes_are_removed_and_locked_ones_stay() {
        let name = format!("askfirst-scratch-{}", crate::ids::token());
        let held = Scratch::make(&name).expect("a folder");
        std::fs::write(held.path().join("kept"), "x").expect("written");
        // As a killed process leaves them: with an unlocked lock file, or before the lock was created.
        let left = ["dead", "empty"].map(|end| std::env::temp_dir().join(format!("{name}-{end}")));
        for path in &left {
            std::fs::create_dir(path).expect("made");
        }
        std::fs::create_dir(left[0].join("data")).expect("made");
        std::fs::write(left[0].join(LOCK), "").expect("written");

        let next = Scratch::make(&name).expect("a folder");
        assert!(left.iter().all(|path| !path.exists()), "{left:?}");
        assert!(held.path().join("kept").exists() && next.path().is_dir());
        let paths = [held.path().to_owned(), next.path().to_owned()];
        drop((held, next));
        assert!(paths.iter().all(|path| !path.exists()), "{paths:?}");
    }
}
