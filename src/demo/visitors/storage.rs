//! Storage of the shop in the data folder: `demo.json`, a list of visitors, the least recently seen first.
//! The file is replaced by rename, so a crash leaves either the old or the new one. An unreadable file is
//! renamed to `demo.broken.json`, and the shop starts empty.

use crate::demo::visitors::visitor::Visitor;
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::PathBuf;

pub struct ShopFile {
    folder: PathBuf,
}

#[derive(Debug, thiserror::Error)]
enum FileError {
    #[error("demo.json in the data folder: {0}")]
    Io(#[from] io::Error),
    #[error("demo.json in the data folder is not what the shop wrote: {0}")]
    Json(#[from] serde_json::Error),
}

impl ShopFile {
    pub fn new(folder: PathBuf) -> Self {
        Self { folder }
    }

    pub fn read(&self) -> Vec<(String, Visitor)> {
        match self.try_read() {
            Ok(visitors) => visitors,
            Err(error) => {
                let aside = fs::rename(self.path("demo.json"), self.path("demo.broken.json"));
                tracing::warn!(%error, set_aside = aside.is_ok(), "demo shop starts empty");
                Vec::new()
            }
        }
    }

    fn try_read(&self) -> Result<Vec<(String, Visitor)>, FileError> {
        match fs::read(self.path("demo.json")) {
            Ok(json) => Ok(serde_json::from_slice(&json)?),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
            Err(error) => Err(error.into()),
        }
    }

    /// Writes all visitors. On an error the shop continues in memory.
    pub fn write(&self, visitors: &[(&str, &Visitor)]) {
        if let Err(error) = self.try_write(visitors) {
            tracing::warn!(%error, "demo shop will not outlive a restart");
        }
    }

    fn try_write(&self, visitors: &[(&str, &Visitor)]) -> Result<(), FileError> {
        let json = serde_json::to_vec(visitors)?;
        let beside = self.path("demo.json.part");
        fs::create_dir_all(&self.folder)?;
        let mut file =
            OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&beside)?;
        file.write_all(&json)?;
        fs::rename(&beside, self.path("demo.json"))?;
        Ok(())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }
}
