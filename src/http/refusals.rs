//! What the engine and the store refuse, as problems.

use super::problem::Problem;
use crate::program::ProgramError;
use crate::run::registry::RegistryError;
use crate::store::StoreError;

impl From<StoreError> for Problem {
    fn from(fault: StoreError) -> Self {
        Self::internal(&fault)
    }
}

impl From<RegistryError> for Problem {
    fn from(fault: RegistryError) -> Self {
        let (code, words) = (fault.code(), fault.to_string());
        match fault {
            RegistryError::UnknownRun(_) | RegistryError::UnknownReference(_) => Self::not_found(code, words),
            RegistryError::AlreadyResolved | RegistryError::Refused(_) => Self::conflict(code, words),
            // A late answer is a late answer, whoever or whatever came first (PROTOCOL section 6).
            RegistryError::Expired => Self::conflict("already_resolved", words).with("by", "expired"),
            RegistryError::BadAnswer(_) => Self::invalid(code, words),
            RegistryError::Program(ProgramError::UnknownAgent(_)) => Self::not_found(code, words),
            RegistryError::Program(ProgramError::BadInput(_)) => Self::invalid("bad_input", words),
            RegistryError::Program(
                ProgramError::Failed(_) | ProgramError::Changes(_) | ProgramError::Store(_),
            )
            | RegistryError::Store(_) => Self::internal(&words),
        }
    }
}
