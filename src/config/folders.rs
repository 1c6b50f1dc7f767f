//! Where things are kept where no setting says so.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The platform's data folder for this service.
pub fn platform_data_dir(vars: &BTreeMap<String, String>) -> Option<PathBuf> {
    let folder = |name: &str| vars.get(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let base = if cfg!(target_os = "windows") {
        folder("APPDATA")
    } else if cfg!(target_os = "macos") {
        folder("HOME").map(|home| home.join("Library/Application Support"))
    } else {
        folder("XDG_DATA_HOME")
            .filter(|path| path.is_absolute())
            .or_else(|| folder("HOME").map(|home| home.join(".local/share")))
    };
    base.map(|base| base.join("askfirst").join("data"))
}

/// The same path from the root, so that a later change of folder cannot move the data.
pub fn absolute(path: PathBuf) -> PathBuf {
    std::path::absolute(&path).unwrap_or(path)
}

/// `agents` beside the data folder.
pub fn agents_beside(data_dir: &Path) -> PathBuf {
    match data_dir.parent() {
        Some(parent) => parent.join("agents"),
        None => data_dir.join("agents"),
    }
}
