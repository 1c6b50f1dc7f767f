//! The policy file: reads the rules, and reads them again when the file has changed. A broken or missing file
//! leaves the earlier rules in force and is logged. Reads block on the disk.

use crate::gate::rules::{Rules, RulesError};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// The policy file, and the version of it that was read last.
#[derive(Clone, Debug)]
pub struct PolicyFile {
    path: PathBuf,
    /// `None` if the file did not exist.
    version: Option<FileVersion>,
}

/// Modification time and size, by which versions of the file are told apart.
type FileVersion = (Option<SystemTime>, u64);

/// Reason why the gate cannot start.
#[derive(Debug, thiserror::Error)]
pub enum PolicyFileError {
    #[error(
        "cannot read the policy {path}: {fault}; fix `gate.policy` or remove the file to use the built-in rules"
    )]
    Unreadable { path: String, fault: std::io::Error },
    #[error("the policy {path} is not valid: {fault}")]
    Wrong { path: String, fault: RulesError },
}

impl PolicyFile {
    /// Returns the file with its rules, or with the built-in rules if it does not exist.
    pub fn open(path: &Path) -> Result<(Self, Rules), PolicyFileError> {
        let version = version(path);
        let rules = match version {
            Some(_) => load(path)?,
            None => Rules::built_in().clone(),
        };
        Ok((Self { path: path.to_owned(), version }, rules))
    }

    /// Returns the rules if the file has changed since it was last read and holds valid ones.
    pub fn reload_if_changed(&mut self) -> Option<Rules> {
        let version = version(&self.path);
        if version == self.version {
            return None;
        }
        self.version = version;
        let path = self.path.display();
        match version.map(|_| load(&self.path)) {
            Some(Ok(rules)) => {
                tracing::info!(%path, "policy reloaded");
                return Some(rules);
            }
            Some(Err(fault)) => tracing::error!(%path, %fault, "policy not reloaded; the earlier rules stay"),
            None => tracing::error!(%path, "the policy file is gone; the earlier rules stay"),
        }
        None
    }
}

fn load(path: &Path) -> Result<Rules, PolicyFileError> {
    let shown = || path.display().to_string();
    let text = std::fs::read_to_string(path)
        .map_err(|fault| PolicyFileError::Unreadable { path: shown(), fault })?;
    Rules::parse(&text).map_err(|fault| PolicyFileError::Wrong { path: shown(), fault })
}

fn version(path: &Path) -> Option<FileVersion> {
    let metadata = std::fs::metadata(path).ok()?;
    Some((metadata.modified().ok(), metadata.len()))
}
