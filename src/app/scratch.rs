//! A folder for what is thrown away. It goes when it is not needed any more; what a process left that was killed
//! goes when the next one is made.

use std::fs::{File, TryLockError};
use std::io::{Error, ErrorKind};
use std::path::{Path, PathBuf};

/// Held for as long as the folder is needed: the kernel lets go of it whichever way the process ends.
const LOCK: &str = "lock";
/// Somebody who clears up may take a folder for left that is just being made.
const TRIES: usize = 16;

pub struct Scratch {
    path: PathBuf,
    _lock: File,
}

impl Scratch {
    /// A new one among those of this name.
    pub fn make(name: &str) -> std::io::Result<Self> {
        let place = std::env::temp_dir();
        clear(&place, name);
        for _ in 0..TRIES {
            if let Some(made) = Self::made(place.join(format!("{name}-{}", crate::ids::token())))? {
                return Ok(made);
            }
        }
        Err(Error::other(format!("{}: other programs clear it up all the time", place.display())))
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// None if it was cleared up while it was made.
    fn made(path: PathBuf) -> std::io::Result<Option<Self>> {
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

/// Pages and texts of runs are in it, and others on this machine have no business with them.
fn make_private(path: &Path) -> std::io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)
}

/// Removes those that nobody holds. What cannot be removed is somebody else's, and stays.
fn clear(place: &Path, name: &str) {
    let Ok(entries) = std::fs::read_dir(place) else { return };
    let ours = |found: &str| found.strip_prefix(name).is_some_and(|rest| rest.starts_with('-'));
    for entry in entries.flatten().filter(|entry| entry.file_name().to_str().is_some_and(ours)) {
        if !entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            continue;
        }
        let path = entry.path();
        let _ = match File::open(path.join(LOCK)) {
            Ok(lock) if lock.try_lock().is_ok() => std::fs::remove_dir_all(&path),
            Ok(_) => Ok(()),
            // Killed before it had one: nothing is in it.
            Err(_) => std::fs::remove_dir(&path),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_left_goes_when_the_next_is_made_and_what_is_held_stays() {
        let name = format!("askfirst-scratch-{}", crate::ids::token());
        let held = Scratch::make(&name).expect("a folder");
        std::fs::write(held.path().join("kept"), "x").expect("written");
        // As a process leaves it that is killed: with a lock that nobody holds, or before it has one.
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
