//! What the engine and the store refuse, as problems.

use super::problem::Problem;
use crate::program::ProgramError;
use crate::run::error::RegistryError;
use crate::store::StoreError;
use actix_web::http::StatusCode;

impl From<StoreError> for Problem {
    fn from(fault: StoreError) -> Self {
        match fault {
            StoreError::Full => {
                let detail =
                    format!("{fault}; free some (GET /readyz tells when there is), then send it again");
                Self::new(StatusCode::INSUFFICIENT_STORAGE, "storage_full", detail)
            }
            StoreError::Open { .. }
            | StoreError::Damaged { .. }
            | StoreError::Missing { .. }
            | StoreError::Newer { .. }
            | StoreError::Refused(_)
            | StoreError::Corrupt { .. }
            | StoreError::Stopped => Self::internal(&fault),
        }
    }
}

impl From<RegistryError> for Problem {
    fn from(fault: RegistryError) -> Self {
        let (code, words) = (fault.code(), fault.to_string());
        match fault {
            RegistryError::UnknownRun(_) | RegistryError::UnknownReference(_) => Self::not_found(code, words),
            RegistryError::AlreadyResolved
            | RegistryError::Refused(_)
            | RegistryError::Lease(_)
            | RegistryError::NoPage(_)
            | RegistryError::Deaf(_) => Self::conflict(code, words),
            // A late answer is a late answer, whoever or whatever came first (PROTOCOL section 6).
            RegistryError::Expired => Self::conflict("already_resolved", words).with("by", "expired"),
            RegistryError::BadAnswer(_) => Self::invalid(code, words),
            RegistryError::Program(ProgramError::UnknownAgent(_)) => Self::not_found(code, words),
            RegistryError::Program(ProgramError::BadInput(_)) => Self::invalid("bad_input", words),
            RegistryError::Program(ProgramError::Failed(_) | ProgramError::Changes(_)) => {
                Self::internal(&words)
            }
            RegistryError::Program(ProgramError::Store(fault)) | RegistryError::Store(fault) => fault.into(),
        }
    }
}
