//! Pictures as files named by the hash of their content, so that equal ones are kept once.

use crate::clock::Moment;
use crate::ids::RunId;
use rusqlite::{Connection, params};
use sha2::{Digest, Sha256};
use std::fs;
use std::io;
use std::path::PathBuf;

pub struct Pictures {
    folder: PathBuf,
}

impl Pictures {
    pub fn open(folder: PathBuf) -> io::Result<Self> {
        fs::create_dir_all(&folder)?;
        Ok(Self { folder })
    }

    /// Writes the picture unless it is there, and gives its hash.
    pub fn put(&self, jpeg: &[u8]) -> io::Result<String> {
        let hash = hex(&Sha256::digest(jpeg));
        let path = self.path(&hash);
        if path.exists() {
            return Ok(hash);
        }
        if let Some(shelf) = path.parent() {
            fs::create_dir_all(shelf)?;
        }
        // Renamed into place, so that a crash never leaves half a picture under a whole hash.
        let part = path.with_extension(format!("{}.part", crate::ids::token()));
        fs::write(&part, jpeg)?;
        fs::rename(&part, &path)?;
        Ok(hash)
    }

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

/// Notes that the run has it, and gives its number there.
pub fn of_run(connection: &Connection, run: &RunId, hash: &str) -> rusqlite::Result<u64> {
    connection
        .prepare_cached(
            "insert into pictures (run_id, n, hash, at)
             values (?1, (select coalesce(max(n), 0) + 1 from pictures where run_id = ?1), ?2, ?3) returning n",
        )?
        .query_row(params![run.as_str(), hash, Moment::now().millis()], |row| row.get(0))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
