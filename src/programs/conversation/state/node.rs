//! The nodes of the conversation graph, with the properties that hold wherever a node is used. `graph` has
//! the transitions.

use crate::text::named_values::named_values;
use serde::{Deserialize, Serialize};

named_values! {
    /// A node of the conversation graph. The names are those of docs/graphs.md.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    pub enum ConversationNode {
        #[default]
        IngestUserInput = "ingest_user_input",
        MaybeObserve = "maybe_observe",
        /// Makes the plan of the task, or replaces its open items.
        MakePlan = "make_plan",
        /// Takes the answer to a plan.
        ApprovePlan = "approve_plan",
        /// Runs the agents whose results the planner is to see.
        RunPremoves = "run_premoves",
        PlanAction = "plan_action",
        ValidateAction = "validate_action",
        PolicyGate = "policy_gate",
        /// Takes the answer to a `confirm` question.
        Confirm = "confirm",
        /// Takes the answer to a question about text that goes to another site.
        FlowConsent = "flow_consent",
        /// Takes the answer to a question about requests that are held.
        HeldRequest = "held_request",
        /// Takes the page back from the person.
        Manual = "manual",
        /// Takes the answer to the agent's own question.
        Question = "question",
        ExecuteAction = "execute_action",
        /// Waits for agents that the run has called.
        AwaitCalls = "await_calls",
        MaybeStopOrContinue = "maybe_stop_or_continue",
        /// Judges whether an item of the plan is reached.
        CheckAcceptance = "check_acceptance",
        /// Takes the answer to the question about a used-up limit.
        Budget = "budget",
        /// Waits for the person, or for a task that goes on.
        Resting = "resting",
        FinalizeDone = "finalize_done",
        FinalizePartial = "finalize_partial",
        FinalizeDenied = "finalize_denied",
        FinalizeCancelled = "finalize_cancelled",
        FinalizeBlocked = "finalize_blocked",
        FinalizeLimit = "finalize_limit",
    }
}

impl ConversationNode {
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
            | Self::HeldRequest
            | Self::FlowConsent
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
            | Self::HeldRequest
            | Self::FlowConsent
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
            | Self::HeldRequest
            | Self::FlowConsent
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
