//! Errors of the store.

use futures_util::future::BoxFuture;

/// Future of a store call. Dropping it does not cancel the call.
pub type StoreFuture<T> = BoxFuture<'static, Result<T, StoreError>>;

/// Reason why a store call failed.
#[derive(Clone, Debug, thiserror::Error)]
pub enum StoreError {
    #[error("the store cannot be opened at {path}: {reason}; is the folder there and writable?")]
    Open { path: String, reason: String },
    #[error(
        "{path} is not a store of askfirst, or it is damaged ({reason}); put a backup in its place, or move it \
         away with the files beside it that begin with its name, and a new one is made"
    )]
    Damaged { path: String, reason: String },
    #[error(
        "the store {path} is missing or empty, but {runs} beside it is not; put the store back from a backup, \
         or move {runs} away to begin anew"
    )]
    Missing { path: String, runs: String },
    #[error(
        "the store {path} was created before the first release of askfirst and cannot be read; to begin anew, \
         move it away with the files beside it that begin with its name, and move {runs} away"
    )]
    Unreleased { path: String, runs: String },
    #[error(
        "the store {path} was created by a newer version of askfirst ({found} > {known}); use that version"
    )]
    Newer { path: String, found: usize, known: usize },
    #[error("store.url cannot be used: {reason}")]
    Address { reason: String },
    #[error("the database server cannot be reached: {0}; is it running, and does store.url name it?")]
    Unreachable(String),
    #[error(
        "the database server refuses access: {0}; check the user, the password and the database in store.url"
    )]
    NoAccess(String),
    #[error("the database accepts no writes: {0}; name the primary in store.url")]
    ReadOnly(String),
    #[error("the database server at {address} has version {found}; askfirst needs {oldest} or newer")]
    OldServer { address: String, found: i32, oldest: i32 },
    #[error("the database {address} has tables of another program; name an empty database in store.url")]
    ForeignDatabase { address: String },
    #[error(
        "the database {address} has the encoding {found}; create one with `encoding 'UTF8' template template0`, and name \
         it in store.url"
    )]
    Encoding { address: String, found: String },
    #[error("{0}")]
    Blobs(String),
    #[error("another node has taken over the run; this one stores nothing of it any more")]
    LeaseLost,
    #[error(
        "no other node would take the runs: start one with the same store.url, whose cluster.role is all or work, and try again"
    )]
    NoOtherNode,
    #[error("the disk of the data folder is full: nothing can be stored until there is space")]
    Full,
    #[error("the store refused: {0}")]
    Refused(String),
    #[error("the stored data of {what} cannot be read: {reason}")]
    Corrupt { what: String, reason: String },
    #[error("the run is not there any more: it was deleted, or its step before could not be stored")]
    NoRun,
    #[error("the store has stopped")]
    Stopped,
}

impl StoreError {
    /// Converts an error of the file system.
    pub fn from_io(fault: &std::io::Error) -> Self {
        match fault.kind() {
            std::io::ErrorKind::StorageFull => Self::Full,
            _ => Self::Refused(fault.to_string()),
        }
    }
}
