//! The stored connection: `model.json` in the data folder, readable only by the owner.

use crate::config::Structured;
use serde::{Deserialize, Serialize};
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;

const FILE: &str = "model.json";

/// The connection as stored.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StoredConnection {
    pub base_url: String,
    pub model: String,
    #[serde(default)]
    pub key: StoredKey,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub structured: Option<Structured>,
}

/// The key, never in plain text.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StoredKey {
    #[default]
    None,
    Sealed(String),
    /// Name of an environment variable.
    Env(String),
    /// The key of the settings, for the settings' own address.
    Settings,
}

/// Reads the stored connection; `None` if there is none or it cannot be read.
pub fn read(data_dir: &Path) -> Option<StoredConnection> {
    let text = match fs::read_to_string(data_dir.join(FILE)) {
        Ok(text) => text,
        Err(fault) if fault.kind() == io::ErrorKind::NotFound => return None,
        Err(fault) => {
            tracing::warn!(%fault, file = FILE, "the model that the page has set cannot be read");
            return None;
        }
    };
    let read = serde_json::from_str(&text);
    read.inspect_err(
        |fault| tracing::warn!(%fault, file = FILE, "the model that the page has set cannot be read"),
    )
    .ok()
}

/// Writes the connection atomically, by renaming a temporary file.
pub fn write(data_dir: &Path, saved: &StoredConnection) -> io::Result<()> {
    let text = serde_json::to_string_pretty(saved).map_err(io::Error::other)?;
    let beside = data_dir.join("model.json.new");
    let _ = fs::remove_file(&beside);
    let mut file = create_private(&beside)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()?;
    fs::rename(beside, data_dir.join(FILE))
}

/// Deletes the stored connection. No effect if there is none.
pub fn remove(data_dir: &Path) -> io::Result<()> {
    match fs::remove_file(data_dir.join(FILE)) {
        Err(fault) if fault.kind() == io::ErrorKind::NotFound => Ok(()),
        done => done,
    }
}

/// Creates a file that only the owner can read.
pub fn create_private(path: &Path) -> io::Result<File> {
    let mut options = File::options();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}
