//! Errors of the settings.

use std::path::PathBuf;

/// Error in the settings. Each message names the key, its source, and what is expected.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    #[error("cannot read the settings file {}: {source}; check --config", path.display())]
    Unreadable { path: PathBuf, source: std::io::Error },
    #[error("{source_name} is not valid TOML: {reason}")]
    NotToml { source_name: String, reason: String },
    #[error("{source_name}: there is no setting `{key}`; {hint}")]
    UnknownKey { source_name: String, key: String, hint: String },
    #[error("{source_name}: `{key}` must be {expected}, not {found}")]
    BadValue { source_name: String, key: String, expected: String, found: String },
    #[error("secrets.{name} {reason}")]
    Secret { name: String, reason: String },
    #[error(
        "this machine defines no home folder for the data; set data_dir, ASKFIRST_DATA_DIR or --data-dir"
    )]
    NoDataFolder,
    #[error("the settings do not fit together: {0}")]
    Misfit(String),
}
