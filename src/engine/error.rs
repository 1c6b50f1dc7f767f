//! Errors of requests to runs.

use crate::engine::lifecycle::LifecycleRefusal;
use crate::engine::program::ProgramError;
use crate::engine::takeover::lease;
use crate::files::FilesError;
use crate::files::staged::StagedError;
use crate::ids::{QuestionId, RunId};
use crate::store::error::StoreError;

/// Reason why a request to a run failed. Each has an error code, see [`RunRequestError::code`].
#[derive(Debug, thiserror::Error)]
pub enum RunRequestError {
    #[error("there is no run {0}")]
    UnknownRun(RunId),
    #[error("run {run} was called by another run; send this request to its root run {root}")]
    NotRoot { run: RunId, root: RunId },
    #[error("run {0} has not stopped yet; try again in a moment")]
    StillRuns(RunId),
    #[error("there is no question {0}")]
    UnknownQuestion(QuestionId),
    #[error("the question has already been answered")]
    AlreadyResolved,
    #[error("the question has expired")]
    Expired,
    #[error(
        "this client started the run, so it may not answer its questions: the person answers in the page, or the \
         owner sets `gate.client_answers = true`"
    )]
    OwnQuestion,
    #[error("this answer does not fit the question: {0}")]
    BadAnswer(&'static str),
    #[error("{0}")]
    Refused(#[from] LifecycleRefusal),
    #[error("{0}")]
    Lease(#[from] lease::LeaseRefusal),
    #[error("runs of {0} do not take messages; answer their questions, or start another run")]
    TakesNoMessages(String),
    /// Carries the current version.
    #[error("the plan has changed in the meantime; read it again and repeat your change")]
    PlanChanged(String),
    #[error(transparent)]
    Files(#[from] StagedError),
    /// The page is not available.
    #[error("{0}")]
    NoPage(String),
    #[error("{0}")]
    Program(#[from] ProgramError),
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl RunRequestError {
    /// Returns the error code sent to clients (`docs/protocol.md`).
    pub fn code(&self) -> &'static str {
        match self {
            Self::UnknownRun(_) => "unknown_run",
            Self::Store(StoreError::NoRun) => "unknown_run",
            Self::NotRoot { .. } => "not_root",
            Self::UnknownQuestion(_) => "unknown_reference",
            Self::PlanChanged(_) => "changed",
            Self::Files(StagedError::Unknown(_)) => "unknown_file",
            Self::Files(StagedError::Files(FilesError::Disk(_))) => "internal",
            Self::Files(StagedError::Files(_)) => "too_large",
            Self::AlreadyResolved => "already_resolved",
            Self::Expired => "expired",
            Self::OwnQuestion => "own_question",
            Self::BadAnswer(_) => "bad_message",
            Self::Refused(_) | Self::NoPage(_) | Self::TakesNoMessages(_) | Self::StillRuns(_) => "busy",
            Self::Lease(lease::LeaseRefusal::HeldByOther | lease::LeaseRefusal::AlreadyHolding) => {
                "lease_held"
            }
            Self::Lease(lease::LeaseRefusal::NotHolding) => "no_lease",
            Self::Program(ProgramError::UnknownAgent(_) | ProgramError::FaultyAgent { .. }) => {
                "unknown_agent"
            }
            Self::Program(ProgramError::BadInput(_)) => "bad_message",
            Self::Program(
                ProgramError::Failed(_)
                | ProgramError::Unsupported(_)
                | ProgramError::Changes(_)
                | ProgramError::Store(_),
            )
            | Self::Store(_) => "internal",
        }
    }
}
