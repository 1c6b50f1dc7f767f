//! Default folders, for when no setting names one.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Returns the platform's data folder for this service, or `None` if the environment names no home.
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

/// Makes a path absolute, so that a later change of the working directory cannot move the data.
pub fn absolute(path: PathBuf) -> PathBuf {
    std::path::absolute(&path).unwrap_or(path)
}

/// Returns the folder `agents` beside the data folder.
pub fn agents_beside(data_dir: &Path) -> PathBuf {
    match data_dir.parent() {
        Some(parent) => parent.join("agents"),
        None => data_dir.join("agents"),
    }
}
