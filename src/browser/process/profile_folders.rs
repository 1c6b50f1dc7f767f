//! Folders of a Chromium process: its profile, temporary or lasting, and a private folder in place of the
//! system's temporary one.
//!
//! The name of a temporary folder contains its owner's process id. Outside the data folder, it also contains
//! the id of the data folder. From these a later start recognizes unused ones.

use crate::browser::error::BrowserError;
use crate::ids;
use nix::errno::Errno;
use nix::sys::signal::kill;
use nix::unistd::Pid;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::{Path, PathBuf};

/// Maximum length in bytes of a socket path, and the length of Chromium's suffix for one in its temporary
/// folder.
const SOCKET_PATH: usize = 107;
const LOCK: usize = "/org.chromium.Chromium.a1b2c3/SingletonSocket".len();

const TEMPORARY: &str = "temporary";

/// Folders that one Chromium writes to.
#[derive(Clone, Debug)]
pub struct Folders {
    pub profile: PathBuf,
    /// `TMPDIR` of the process.
    pub scratch: PathBuf,
    /// True if the profile is kept when Chromium ends.
    pub is_lasting: bool,
}

impl Folders {
    /// Creates the folders. Without a name the profile is a fresh one, removed together with its Chromium.
    pub fn make(data_dir: &Path, profile: Option<&str>) -> Result<Self, BrowserError> {
        let data_dir = std::path::absolute(data_dir).map_err(|fault| refused(data_dir, &fault))?;
        // Created before its id is computed, because the canonical path of a missing folder may differ.
        create_private_dir(&data_dir).map_err(|fault| refused(&data_dir, &fault))?;
        let own = token();
        let temporary = temporaries(&data_dir).join(format!("{TEMPORARY}-{own}"));
        let (path, is_lasting) = match profile {
            Some(name) => (profiles(&data_dir).join(name), true),
            None => (temporary.clone(), false),
        };
        // A socket path cannot be long; a folder outside the data folder is removed with this Chromium as
        // well.
        let is_short = temporary.as_os_str().len() + LOCK <= SOCKET_PATH;
        let scratch = if is_short {
            temporary
        } else {
            short_temp_dir().join(format!("{}-{own}", outside_name(&data_dir)))
        };
        for folder in [&path, &scratch] {
            create_private_dir(folder).map_err(|fault| refused(folder, &fault))?;
        }
        if is_lasting {
            remove_stale_lock(&path);
        }
        write_preferences(&path).map_err(|fault| refused(&path, &fault))?;
        Ok(Self { profile: path, scratch, is_lasting })
    }

    /// Returns the folders to remove when Chromium has ended.
    pub fn temporary(&self) -> Vec<&Path> {
        let profile = (!self.is_lasting).then_some(self.profile.as_path());
        let mut all: Vec<&Path> = profile.into_iter().chain([self.scratch.as_path()]).collect();
        all.dedup();
        all
    }
}

/// Writes the preferences of a profile: a PDF is downloaded, since the text in its viewer cannot be read.
fn write_preferences(profile: &Path) -> std::io::Result<()> {
    let folder = profile.join("Default");
    create_private_dir(&folder)?;
    let path = folder.join("Preferences");
    let kept = std::fs::read(&path).ok().and_then(|text| serde_json::from_slice(&text).ok());
    let mut all = kept.filter(Value::is_object).unwrap_or_else(|| json!({}));
    if !all["plugins"].is_object() {
        all["plugins"] = json!({});
    }
    all["plugins"]["always_open_pdf_externally"] = json!(true);
    std::fs::write(path, all.to_string())
}

/// Returns the folder of temporary profiles.
fn temporaries(data_dir: &Path) -> PathBuf {
    data_dir.join("browser")
}

/// Returns the folder of lasting profiles.
pub fn profiles(data_dir: &Path) -> PathBuf {
    data_dir.join("profiles")
}

/// Returns a short id of a data folder: eight hexadecimal digits of a hash of its path.
pub fn id(data_dir: &Path) -> String {
    let path = std::fs::canonicalize(data_dir).unwrap_or_else(|_| data_dir.to_owned());
    let hash = format!("{:x}", Sha256::digest(path.as_os_str().as_encoded_bytes()));
    hash.chars().take(8).collect()
}

/// Removes temporary folders whose owner is gone.
pub fn sweep(data_dir: &Path) {
    for (folder, prefix) in
        [(temporaries(data_dir), TEMPORARY.to_owned()), (short_temp_dir(), outside_name(data_dir))]
    {
        let Ok(entries) = std::fs::read_dir(folder) else { continue };
        for entry in entries.flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            let owner = name.strip_prefix(&prefix).and_then(|rest| rest.strip_prefix('-')?.split('-').next());
            let Some(owner) = owner else { continue };
            if owner.parse().is_ok_and(is_another_alive) {
                continue;
            }
            if let Err(fault) = std::fs::remove_dir_all(entry.path()) {
                tracing::warn!(path = %entry.path().display(), %fault, "cannot remove a stale profile");
            }
        }
    }
}

/// Reports whether another process with this id is alive. Our own id counts as gone: at startup nothing can
/// be ours yet, and in a container ids repeat.
fn is_another_alive(owner: i32) -> bool {
    u32::try_from(owner) != Ok(std::process::id()) && kill(Pid::from_raw(owner), None) != Err(Errno::ESRCH)
}

/// Returns the system's temporary folder, or `/tmp` if its path is too long.
fn short_temp_dir() -> PathBuf {
    let usual = std::env::temp_dir();
    let name = "/askfirst-00000000-4194304-00000000".len();
    if usual.as_os_str().len() + name + LOCK <= SOCKET_PATH { usual } else { PathBuf::from("/tmp") }
}

fn outside_name(data_dir: &Path) -> String {
    format!("askfirst-{}", id(data_dir))
}

fn token() -> String {
    let token: String = ids::token().chars().take(8).collect();
    format!("{}-{token}", std::process::id())
}

/// Creates a folder that only its owner can access.
fn create_private_dir(folder: &Path) -> std::io::Result<()> {
    std::fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    std::fs::set_permissions(folder, std::fs::Permissions::from_mode(0o700))
}

/// Removes the lock that a killed Chromium left in its profile. This is safe: the data folder belongs to this
/// service alone, and only one Chromium at a time uses the profile.
fn remove_stale_lock(profile: &Path) {
    for name in ["SingletonLock", "SingletonCookie", "SingletonSocket"] {
        // Usually there is none.
        let _ = std::fs::remove_file(profile.join(name));
    }
}

fn refused(path: &Path, fault: &std::io::Error) -> BrowserError {
    BrowserError::Profile { path: path.display().to_string(), reason: fault.to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_folder_of_a_socket_is_short_and_removed_with_its_chromium() {
        let data_dir = tempfile::tempdir().unwrap();
        let near = Folders::make(data_dir.path(), None).unwrap();
        assert_eq!((&near.profile, near.temporary()), (&near.scratch, vec![near.profile.as_path()]));
        let long = data_dir.path().join("a-rather-long-name-of-a-folder/".repeat(3));
        let far = Folders::make(&long, None).unwrap();
        assert!(far.scratch.as_os_str().len() + LOCK <= SOCKET_PATH, "{far:?}");
        assert_eq!(far.temporary().len(), 2);
        let lasting = Folders::make(&long, Some("shop")).unwrap();
        assert_eq!(lasting.profile, long.join("profiles/shop"));
        assert_eq!(lasting.temporary(), [lasting.scratch.as_path()]);
        // All folders are this process's own, which counts as gone at startup.
        sweep(&long);
        for gone in [&far.profile, &far.scratch, &lasting.scratch] {
            assert!(!gone.exists(), "{gone:?}");
        }
        assert!(near.profile.exists() && lasting.profile.exists(), "another's, and one that lasts");
    }
}
