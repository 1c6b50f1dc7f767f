//! `serving.json`: the address of the service of a data folder, for commands that may read the folder. The
//! file exists while the service is ready. One left by a killed service is ignored, because that service no
//! longer holds the folder's lock.

use crate::cli::client::api::Access;
use crate::config::secret::Secret;
use serde::{Deserialize, Serialize};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

const NAME: &str = "serving.json";

/// Contents of the file.
#[derive(Debug, Serialize, Deserialize)]
struct AddressFileContent {
    address: String,
    token: Option<String>,
    /// True if the token was generated at this start and may be shown to the person.
    #[serde(default)]
    printable: bool,
    pid: u32,
}

/// The file, removed when this is dropped.
#[derive(Debug)]
pub struct AddressFile(PathBuf);

impl AddressFile {
    /// Writes the file. The caller must hold the folder's lock.
    pub fn announce(
        data_dir: &Path,
        address: String,
        token: Option<&Secret>,
        printable: bool,
    ) -> io::Result<Self> {
        let path = data_dir.join(NAME);
        let token = token.map(|token| token.expose().to_owned());
        let notice = AddressFileContent { address, token, printable, pid: std::process::id() };
        let text = serde_json::to_string(&notice).map_err(io::Error::other)?;
        let beside = data_dir.join(".serving.new");
        // `create_new` sets the mode from the start, so the file must not exist.
        let _ = std::fs::remove_file(&beside);
        let mut options = std::fs::OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        options.open(&beside)?.write_all(text.as_bytes())?;
        std::fs::rename(&beside, &path)?;
        Ok(Self(path))
    }
}

impl Drop for AddressFile {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

/// Removes the file of a killed service. The caller must hold the folder's lock.
pub fn forget(data_dir: &Path) {
    let _ = std::fs::remove_file(data_dir.join(NAME));
}

/// Returns the address that the file names, if there is a file.
pub fn find(data_dir: &Path) -> Option<Access> {
    let text = std::fs::read_to_string(data_dir.join(NAME)).ok()?;
    let AddressFileContent { address, token, printable, pid } = serde_json::from_str(&text).ok()?;
    Some(Access { base: address, token: token.map(Secret::new), printable, pid })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_address_file_is_private_and_removed_with_the_service() {
        let folder = tempfile::tempdir().unwrap();
        let at = |token| {
            AddressFile::announce(folder.path(), String::from("http://127.0.0.1:9"), token, true).unwrap()
        };
        let token = Secret::new("0123456789abcdef");
        let serving = at(Some(&token));
        let found = find(folder.path()).unwrap();
        assert_eq!((found.base.as_str(), &found.token), ("http://127.0.0.1:9", &Some(token.clone())));
        assert_eq!(found.pid, std::process::id());
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = std::fs::metadata(folder.path().join(NAME)).unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o600);
        }
        drop(serving);
        assert!(find(folder.path()).is_none());
        std::fs::write(folder.path().join(NAME), "{").unwrap();
        assert!(find(folder.path()).is_none());
        drop(at(None));
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }
}
