//! All reasons, with their identifiers on the wire.

use crate::clock::Moment;
use crate::ids::RunId;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    Open(OpenReason),
    Ended(Ended),
}

/// Reasons of a run that has not ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OpenReason {
    /// Retry at a later time, after a failed attempt.
    BeginsLater(Moment),
    Begins,
    /// Not stepped by any run actor of this service.
    SetAside,
    /// None of the services that work on runs is alive.
    NoWorker,
    NoFreeBrowser(QueuePosition),
    /// A run below it asks a person.
    CalleeAsks {
        agent: String,
        question: String,
        page: RunPage,
    },
    CalleePaused {
        agent: String,
        page: RunPage,
    },
    Callees {
        agents: Vec<String>,
        page: RunPage,
    },
    /// A person has taken over its page.
    PersonInControl,
    Model,
    Observes,
    Acts,
    Works,
    Asks {
        kind: Asks,
        question: String,
        expires: Option<Moment>,
    },
    /// Its question is answered, but the run has not processed the answer yet.
    Answered,
    RestsWithTasks(Vec<String>),
    Rests,
    /// The person who took over its page has left.
    PageLeft,
    CallerPaused(RunPage),
    Paused,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ended {
    Succeeded,
    Partial,
    Failed,
    Skipped,
    Declined,
    Expired,
    ByCaller(RunPage),
    Stopped,
    Denied,
    Blocked,
    OutOf(Limit),
}

/// Location of a run in the page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunPage {
    pub run: RunId,
    pub root: RunId,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asks {
    Confirm,
    Manual,
    Question,
    ApprovePlan,
    Budget,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    Time,
    Runs,
    Tokens,
    Money,
    Steps,
    /// The response names the limit.
    Other,
}

impl Reason {
    /// Returns the identifier on the wire.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Open(open) => open.word(),
            Self::Ended(ended) => ended.word(),
        }
    }
}

impl OpenReason {
    fn word(&self) -> &'static str {
        match self {
            Self::BeginsLater(_) => "begins_later",
            Self::Begins => "begins",
            Self::SetAside => "set_aside",
            Self::NoWorker => "no_service",
            Self::NoFreeBrowser(_) => "no_free_browser",
            Self::CalleeAsks { .. } => "called_agent_asks",
            Self::CalleePaused { .. } => "called_agent_paused",
            Self::Callees { .. } => "called_agents",
            Self::PersonInControl => "page_in_hands",
            Self::Model => "model",
            Self::Observes => "looks",
            Self::Acts => "acts",
            Self::Works => "works",
            Self::Asks { kind, .. } => kind.word(),
            Self::Answered => "answered",
            Self::RestsWithTasks(_) => "rests_with_tasks",
            Self::Rests => "rests",
            Self::PageLeft => "page_left",
            Self::CallerPaused(_) => "caller_paused",
            Self::Paused => "paused",
        }
    }
}

impl Ended {
    fn word(&self) -> &'static str {
        match self {
            Self::Succeeded => "succeeded",
            Self::Partial => "partial",
            Self::Failed => "failed",
            Self::Skipped => "skipped",
            Self::Declined => "declined",
            Self::Expired => "expired",
            Self::ByCaller(_) => "caller_ended",
            Self::Stopped => "stopped",
            Self::Denied => "denied",
            Self::Blocked => "blocked",
            Self::OutOf(limit) => limit.word(),
        }
    }
}

impl Asks {
    fn word(self) -> &'static str {
        match self {
            Self::Confirm => "asks_confirm",
            Self::Manual => "asks_manual",
            Self::Question => "asks_question",
            Self::ApprovePlan => "asks_approve_plan",
            Self::Budget => "asks_budget",
        }
    }

    pub(crate) fn parse(kind: &str) -> Self {
        match kind {
            "confirm" => Self::Confirm,
            "manual" => Self::Manual,
            "approve_plan" => Self::ApprovePlan,
            "budget" => Self::Budget,
            _ => Self::Question,
        }
    }
}

impl Limit {
    fn word(self) -> &'static str {
        match self {
            Self::Time => "out_of_time",
            Self::Runs => "out_of_runs",
            Self::Tokens => "out_of_tokens",
            Self::Money => "out_of_money",
            Self::Steps => "out_of_steps",
            Self::Other => "out_of_limit",
        }
    }
}

/// Position in the queue for a browser.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QueuePosition {
    /// Starts at 1.
    pub position: usize,
    /// Number of browsers that may be in use at once.
    pub slots: usize,
}
