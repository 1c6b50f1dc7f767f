//! Errors that prevent the service from starting.

use crate::agent_spec::files::library::error::LibraryError;
use crate::config::error::ConfigError;
use crate::store::error::StoreError;

/// Error that keeps the service from starting. Each message says what to do.
#[derive(Debug, thiserror::Error)]
pub enum AppError {
    #[error(transparent)]
    Config(#[from] ConfigError),
    #[error(
        "cannot listen on {address}: {source}; is another program (or this one) there? choose another with --port"
    )]
    Listen { address: String, source: std::io::Error },
    #[error("the data folder {path} cannot be created: {source}; choose another with --data-dir")]
    DataFolder { path: String, source: std::io::Error },
    #[error(
        "another askfirst serves the data folder {path}; stop it, or choose another folder with --data-dir"
    )]
    InUse { path: String },
    #[error(
        "another askfirst holds the data folder {path}, but does not answer; stop it, or choose another folder with --data-dir"
    )]
    Silent { path: String },
    #[error(
        "no service runs with the data folder {path}; start it, or name the folder of another with --data-dir"
    )]
    NotRunning { path: String },
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Agents(#[from] LibraryError),
    #[error("the policy cannot be used: {0}")]
    Policy(String),
    #[error("{0}")]
    Blobs(String),
    #[error("the model cannot be used: {0}")]
    Model(String),
    #[error("the client for other services of the cluster cannot be set up: {0}")]
    Relay(String),
    #[error("the server failed: {0}")]
    Server(#[from] std::io::Error),
}
