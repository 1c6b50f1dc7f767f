//! Errors of the server and of connections as store errors, and which of them a repeated call may overcome.

use crate::store::error::StoreError;
use deadpool_postgres::PoolError;
use tokio_postgres::error::{DbError, SqlState};

/// Reason why an attempt failed.
#[derive(Debug)]
pub enum Fault {
    /// The connection is gone, or the server is. Whether a write was stored is not known.
    Lost(String),
    /// Nothing was stored, and the same call may succeed now.
    Retry(String),
    Final(StoreError),
}

impl From<StoreError> for Fault {
    fn from(fault: StoreError) -> Self {
        Self::Final(fault)
    }
}

impl From<tokio_postgres::Error> for Fault {
    fn from(fault: tokio_postgres::Error) -> Self {
        match fault.as_db_error() {
            Some(reported) => from_server(reported),
            None if is_of_connection(&fault) => Self::Lost(describe(&fault)),
            None => Self::Final(StoreError::Refused(describe(&fault))),
        }
    }
}

impl From<PoolError> for Fault {
    fn from(fault: PoolError) -> Self {
        match fault {
            PoolError::Backend(fault) => match Self::from(fault) {
                // A connection that was never made has stored nothing, and an error of the address stays one.
                Self::Final(StoreError::Refused(reason)) => Self::Final(StoreError::Unreachable(reason)),
                other => other,
            },
            PoolError::Timeout(_) => Self::Retry(String::from("no connection became free in time")),
            other => Self::Final(StoreError::Unreachable(other.to_string())),
        }
    }
}

impl From<tokio_postgres::Error> for StoreError {
    fn from(fault: tokio_postgres::Error) -> Self {
        match Fault::from(fault) {
            Fault::Lost(reason) | Fault::Retry(reason) => Self::Unreachable(reason),
            Fault::Final(fault) => fault,
        }
    }
}

fn is_of_connection(fault: &tokio_postgres::Error) -> bool {
    let source = std::error::Error::source(fault);
    fault.is_closed() || source.is_some_and(|source| source.is::<std::io::Error>())
}

/// Describes an error with its causes: the client's own text names only the kind.
pub fn describe(fault: &tokio_postgres::Error) -> String {
    let mut text = fault.to_string();
    let mut source = std::error::Error::source(fault);
    while let Some(cause) = source {
        let cause_text = cause.to_string();
        if !text.contains(&cause_text) {
            text = format!("{text}: {cause_text}");
        }
        source = cause.source();
    }
    text
}

fn from_server(fault: &DbError) -> Fault {
    let (code, text) = (fault.code(), fault.message().to_owned());
    let is = |codes: &[SqlState]| codes.contains(code);
    let race =
        code == &SqlState::UNIQUE_VIOLATION && RACING_KEYS.iter().any(|key| fault.constraint() == Some(key));
    let try_again = [
        SqlState::T_R_SERIALIZATION_FAILURE,
        SqlState::T_R_DEADLOCK_DETECTED,
        SqlState::LOCK_NOT_AVAILABLE,
        // These refuse a connection, before anything is sent.
        SqlState::CANNOT_CONNECT_NOW,
        SqlState::TOO_MANY_CONNECTIONS,
    ];
    if race || is(&try_again) {
        return Fault::Retry(text);
    }
    // The server ends a connection whose transaction stands still, as that of a process that is suspended.
    let ended =
        [SqlState::ADMIN_SHUTDOWN, SqlState::CRASH_SHUTDOWN, SqlState::IDLE_IN_TRANSACTION_SESSION_TIMEOUT];
    if is(&ended) || code.code().starts_with("08") {
        return Fault::Lost(text);
    }
    Fault::Final(match *code {
        SqlState::DIVISION_BY_ZERO => StoreError::NoRun,
        SqlState::INVALID_ARGUMENT_FOR_LOG => StoreError::LeaseLost,
        SqlState::DISK_FULL => StoreError::Full,
        SqlState::INVALID_PASSWORD | SqlState::INVALID_AUTHORIZATION_SPECIFICATION => {
            StoreError::NoAccess(text)
        }
        SqlState::INSUFFICIENT_PRIVILEGE | SqlState::INVALID_CATALOG_NAME => StoreError::NoAccess(text),
        SqlState::READ_ONLY_SQL_TRANSACTION => StoreError::ReadOnly(text),
        _ => StoreError::Refused(text),
    })
}

/// Unique keys whose violation means that another write was first. The next attempt finds its row.
const RACING_KEYS: [&str; 4] =
    ["runs_by_idempotency_key", "applied_writes_pkey", "trees_pkey", "reserved_task_ids_pkey"];
