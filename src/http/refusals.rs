//! Converts errors of the engine, the store and the library to problems.

use crate::agent_spec::files::library::error::LibraryError;
use crate::engine::error::RunRequestError;
use crate::engine::program::ProgramError;
use crate::files::staged::StagedError;
use crate::http::problem::Problem;
use crate::http::rest::agents::faulty;
use crate::http::rest::files::files_problem as refused_file;
use crate::store::error::StoreError;
use actix_web::http::StatusCode;
use serde_json::json;

impl From<StoreError> for Problem {
    fn from(fault: StoreError) -> Self {
        match fault {
            StoreError::Full => {
                let detail =
                    format!("{fault}; free some (GET /readyz tells when there is), then send it again");
                Self::new(StatusCode::INSUFFICIENT_STORAGE, "storage_full", detail)
            }
            StoreError::NoRun => Self::not_found("unknown_run", fault.to_string()),
            StoreError::Unreachable(_)
            | StoreError::ReadOnly(_)
            | StoreError::Blobs(_)
            | StoreError::LeaseLost => {
                Self::new(StatusCode::SERVICE_UNAVAILABLE, "not_ready", fault.to_string())
            }
            StoreError::NoOtherNode => Self::conflict("no_other_node", fault.to_string()),
            StoreError::Open { .. }
            | StoreError::Damaged { .. }
            | StoreError::Missing { .. }
            | StoreError::Unreleased { .. }
            | StoreError::Newer { .. }
            | StoreError::Address { .. }
            | StoreError::NoAccess(_)
            | StoreError::Encoding { .. }
            | StoreError::OldServer { .. }
            | StoreError::ForeignDatabase { .. }
            | StoreError::Refused(_)
            | StoreError::Corrupt { .. }
            | StoreError::Stopped => Self::internal(&fault),
        }
    }
}

impl From<LibraryError> for Problem {
    fn from(fault: LibraryError) -> Self {
        let words = fault.to_string();
        match fault {
            LibraryError::Name(_) => {
                let fault = json!([{
                    "path": "name", "line": null, "message": words, "hint": null, "severity": "error",
                }]);
                Self::invalid("bad_name", words).with_member("faults", fault)
            }
            LibraryError::Own(_) => Self::conflict("own_agent", words),
            LibraryError::Unknown(name) => RunRequestError::from(ProgramError::UnknownAgent(name)).into(),
            LibraryError::Faulty { name, faults } => {
                let detail = format!("the file of agent {name} has errors; `faults` says what to fix");
                Self::invalid("bad_agent", detail).with_member("faults", json!(faults))
            }
            LibraryError::TooLarge { .. } => Self::new(StatusCode::PAYLOAD_TOO_LARGE, "too_large", words),
            LibraryError::Changed { found, .. } => {
                Self::new(StatusCode::PRECONDITION_FAILED, "changed", words)
                    .with_member("version", json!(found))
            }
            LibraryError::Comments { lines, .. } => {
                let detail = format!("{words}; send `drop_comments`: true to save all the same");
                Self::conflict("has_comments", detail).with_member("lines", json!(lines))
            }
            LibraryError::Unwritable { .. } => Self::internal(&words),
            LibraryError::Disk { .. } | LibraryError::Folder { .. } => {
                tracing::error!(fault = words, "agent not written");
                Self::new(StatusCode::INSUFFICIENT_STORAGE, "not_written", words)
            }
        }
    }
}

impl From<RunRequestError> for Problem {
    fn from(fault: RunRequestError) -> Self {
        let (code, words) = (fault.code(), fault.to_string());
        match fault {
            RunRequestError::UnknownRun(_) | RunRequestError::UnknownQuestion(_) => {
                Self::not_found(code, words)
            }
            RunRequestError::AlreadyResolved
            | RunRequestError::Refused(_)
            | RunRequestError::Lease(_)
            | RunRequestError::NoPage(_)
            | RunRequestError::StillRuns(_)
            | RunRequestError::TakesNoMessages(_) => Self::conflict(code, words),
            RunRequestError::NotRoot { root, .. } => {
                Self::conflict(code, words).with_member("root_run_id", root.as_str())
            }
            RunRequestError::PlanChanged(version) => {
                Self::new(StatusCode::PRECONDITION_FAILED, code, words).with_member("version", version)
            }
            // A late answer gets the same code, whether a person or the expiry came first (docs/protocol.md).
            RunRequestError::Expired => {
                Self::conflict("already_resolved", words).with_member("by", "expired")
            }
            RunRequestError::OwnQuestion => Self::forbidden(code, words),
            RunRequestError::BadAnswer(_) | RunRequestError::Files(StagedError::Unknown(_)) => {
                Self::invalid(code, words)
            }
            RunRequestError::Files(StagedError::Files(fault)) => refused_file(&fault),
            RunRequestError::Program(ProgramError::UnknownAgent(_)) => Self::not_found(code, words),
            RunRequestError::Program(ProgramError::FaultyAgent { agent, faults }) => faulty(&agent, faults),
            RunRequestError::Program(ProgramError::BadInput(_)) => Self::invalid("bad_input", words),
            RunRequestError::Program(ProgramError::Unsupported(_)) => {
                Self::new(StatusCode::INTERNAL_SERVER_ERROR, code, words)
            }
            RunRequestError::Program(ProgramError::Failed(_) | ProgramError::Changes(_)) => {
                Self::internal(&words)
            }
            RunRequestError::Program(ProgramError::Store(fault)) | RunRequestError::Store(fault) => {
                fault.into()
            }
        }
    }
}
