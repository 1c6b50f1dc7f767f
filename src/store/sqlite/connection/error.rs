//! SQLite errors as store errors.

use crate::store::error::StoreError;
use rusqlite::ErrorCode;

/// Converts an error of SQLite. A missing row means that there is no such run.
pub fn store_error(fault: rusqlite::Error) -> StoreError {
    if matches!(fault, rusqlite::Error::QueryReturnedNoRows) {
        return StoreError::NoRun;
    }
    match fault.sqlite_error_code() {
        Some(ErrorCode::DiskFull) => StoreError::Full,
        Some(_) | None => StoreError::Refused(fault.to_string()),
    }
}
