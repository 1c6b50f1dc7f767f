//! The nodes of the conversation graph, with the properties that hold wherever a node is used. `graph` has
//! the transitions.

use serde::{Deserialize, Serialize};

/// A node of the conversation graph. The names are those of docs/graphs.md.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ConversationNode {
    #[default]
    IngestUserInput,
    MaybeObserve,
    /// Makes the plan of the task, or replaces its open items.
    MakePlan,
    /// Takes the answer to a plan.
    ApprovePlan,
    /// Runs the agents whose results the planner is to see.
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
    /// Waits for agents that the run has called.
    AwaitCalls,
    MaybeStopOrContinue,
    /// Judges whether an item of the plan is reached.
    CheckAcceptance,
    /// Takes the answer to the question about a used-up limit.
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

impl ConversationNode {
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

    /// Reports whether the run ends at this node.
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

    /// Returns the node at which a run continues after the process died at this one. The working set is lost,
    /// so the run observes the page again; pending answers are taken first, and final nodes stay.
    pub fn after_restart(self) -> Self {
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

    /// Returns the phase for the metric of a visit's time; `None` if it is not measured.
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
