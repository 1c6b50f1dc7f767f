//! The places of the conversation graph, and what is true of each wherever it is met. Which follows
//! which is `graph`'s to know.

use serde::{Deserialize, Serialize};

/// Where a conversation stands. The names are those of document 001.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Node {
    IngestUserInput,
    MaybeObserve,
    /// Makes the plan of the task, or what is left of it anew.
    MakePlan,
    /// Takes the answer to a plan.
    ApprovePlan,
    /// Looks up what the planner is to have in front of it.
    RunPremoves,
    PlanAction,
    ValidateAction,
    PolicyGate,
    /// Takes the answer to a `confirm` question.
    Confirm,
    /// Takes the page back from the person.
    Manual,
    /// Takes the answer to the agent's own question.
    Question,
    ExecuteAction,
    /// Waits for agents that it has called.
    AwaitCalls,
    MaybeStopOrContinue,
    /// Judges whether an item of the plan is reached.
    CheckAcceptance,
    /// Takes the answer to a limit that is used up.
    Budget,
    /// Waits for the person, or for a task that goes on.
    Resting,
    FinalizeDone,
    FinalizePartial,
    FinalizeDenied,
    FinalizeCancelled,
    FinalizeBlocked,
    FinalizeLimit,
}

impl Node {
    pub const ALL: &'static [Self] = &[
        Self::IngestUserInput,
        Self::MaybeObserve,
        Self::MakePlan,
        Self::ApprovePlan,
        Self::RunPremoves,
        Self::PlanAction,
        Self::ValidateAction,
        Self::PolicyGate,
        Self::Confirm,
        Self::Manual,
        Self::Question,
        Self::ExecuteAction,
        Self::AwaitCalls,
        Self::MaybeStopOrContinue,
        Self::CheckAcceptance,
        Self::Budget,
        Self::Resting,
        Self::FinalizeDone,
        Self::FinalizePartial,
        Self::FinalizeDenied,
        Self::FinalizeCancelled,
        Self::FinalizeBlocked,
        Self::FinalizeLimit,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Self::IngestUserInput => "ingest_user_input",
            Self::MaybeObserve => "maybe_observe",
            Self::MakePlan => "make_plan",
            Self::ApprovePlan => "approve_plan",
            Self::RunPremoves => "run_premoves",
            Self::PlanAction => "plan_action",
            Self::ValidateAction => "validate_action",
            Self::PolicyGate => "policy_gate",
            Self::Confirm => "confirm",
            Self::Manual => "manual",
            Self::Question => "question",
            Self::ExecuteAction => "execute_action",
            Self::AwaitCalls => "await_calls",
            Self::MaybeStopOrContinue => "maybe_stop_or_continue",
            Self::CheckAcceptance => "check_acceptance",
            Self::Budget => "budget",
            Self::Resting => "resting",
            Self::FinalizeDone => "finalize_done",
            Self::FinalizePartial => "finalize_partial",
            Self::FinalizeDenied => "finalize_denied",
            Self::FinalizeCancelled => "finalize_cancelled",
            Self::FinalizeBlocked => "finalize_blocked",
            Self::FinalizeLimit => "finalize_limit",
        }
    }

    /// Whether the run ends there.
    pub fn is_final(self) -> bool {
        match self {
            Self::FinalizeDone
            | Self::FinalizePartial
            | Self::FinalizeDenied
            | Self::FinalizeCancelled
            | Self::FinalizeBlocked
            | Self::FinalizeLimit => true,
            Self::IngestUserInput
            | Self::MaybeObserve
            | Self::MakePlan
            | Self::ApprovePlan
            | Self::PlanAction
            | Self::ValidateAction
            | Self::PolicyGate
            | Self::Confirm
            | Self::Manual
            | Self::Question
            | Self::ExecuteAction
            | Self::RunPremoves
            | Self::AwaitCalls
            | Self::MaybeStopOrContinue
            | Self::CheckAcceptance
            | Self::Budget
            | Self::Resting => false,
        }
    }

    /// Where a run goes on after the process died there: what was in hand is gone, so it looks again,
    /// but answers that wait to be taken are taken first, and ends end.
    pub fn restarted(self) -> Self {
        match self {
            Self::IngestUserInput
            | Self::MakePlan
            | Self::ApprovePlan
            | Self::Confirm
            | Self::Manual
            | Self::Question
            | Self::CheckAcceptance
            | Self::Budget
            | Self::FinalizeDone
            | Self::FinalizePartial
            | Self::FinalizeDenied
            | Self::FinalizeCancelled
            | Self::FinalizeBlocked
            | Self::FinalizeLimit
            | Self::RunPremoves
            | Self::AwaitCalls
            | Self::MaybeStopOrContinue
            | Self::Resting => self,
            Self::MaybeObserve
            | Self::PlanAction
            | Self::ValidateAction
            | Self::PolicyGate
            | Self::ExecuteAction => Self::MaybeObserve,
        }
    }

    /// The phase that a visit's time counts for; none where it is not worth a figure.
    pub fn phase(self) -> Option<&'static str> {
        match self {
            Self::MaybeObserve => Some("observe"),
            Self::PlanAction | Self::MakePlan => Some("plan"),
            Self::PolicyGate => Some("gate"),
            Self::ExecuteAction => Some("execute"),
            Self::IngestUserInput
            | Self::ApprovePlan
            | Self::ValidateAction
            | Self::Confirm
            | Self::Manual
            | Self::Question
            | Self::RunPremoves
            | Self::AwaitCalls
            | Self::MaybeStopOrContinue
            | Self::CheckAcceptance
            | Self::Budget
            | Self::Resting
            | Self::FinalizeDone
            | Self::FinalizePartial
            | Self::FinalizeDenied
            | Self::FinalizeCancelled
            | Self::FinalizeBlocked
            | Self::FinalizeLimit => None,
        }
    }
}
