//! State machine of an orchestration (S3.22, S3.23): nodes, events and transitions. No plan, no I/O. The
//! diagram in docs/graphs.md is drawn from it.

use crate::text::named_values::named_values;
use serde::{Deserialize, Serialize};

named_values! {
    /// Node of an orchestration.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    pub enum OrchestrationNode {
        PlanInit = "plan_init",
        /// A plan is being made, or read and checked.
        PlannerActive = "planner_active",
        PlanValidated = "plan_validated",
        DispatchingStep = "dispatching_step",
        AwaitingResults = "awaiting_results",
        MergingResults = "merging_results",
        Completed = "completed",
        Failed = "failed",
    }
}

named_values! {
    /// Event of an orchestration, with its name in traces, logs and metrics.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    pub enum OrchestrationEvent {
        StartPlan = "start_plan",
        /// An agent makes the plan, and the orchestration waits for it.
        PlannerStarted = "planner_started",
        PlannerFinished = "planner_finished",
        /// There is no plan, or it cannot be carried out.
        ValidationFailed = "validation_failed",
        DispatchStep = "dispatch_step",
        /// The step's agents are at work.
        StepDispatched = "step_dispatched",
        /// An agent has ended while others are at work.
        ChildFinished = "child_finished",
        StepSucceeded = "step_succeeded",
        StepFailed = "step_failed",
        ParallelComplete = "parallel_complete",
        PlanCompleted = "plan_completed",
        Timeout = "timeout",
        /// A step of the orchestration itself panicked.
        Panic = "panic",
    }
}

/// Returns the node after `event`, or `None` if the event is impossible there. Lists every pair.
#[rustfmt::skip]
pub fn transition(node: OrchestrationNode, event: OrchestrationEvent) -> Option<OrchestrationNode> {
    use OrchestrationEvent::*;
    match node {
        OrchestrationNode::PlanInit => match event {
            StartPlan                => Some(OrchestrationNode::PlannerActive),
            Timeout | Panic          => Some(OrchestrationNode::Failed),
            PlannerStarted | PlannerFinished | ValidationFailed | DispatchStep | StepDispatched | ChildFinished
            | StepSucceeded | StepFailed | ParallelComplete | PlanCompleted => None,
        },
        OrchestrationNode::PlannerActive => match event {
            PlannerStarted           => Some(OrchestrationNode::PlannerActive),
            PlannerFinished          => Some(OrchestrationNode::PlanValidated),
            ValidationFailed | Timeout | Panic => Some(OrchestrationNode::Failed),
            StartPlan | DispatchStep | StepDispatched | ChildFinished | StepSucceeded | StepFailed
            | ParallelComplete | PlanCompleted => None,
        },
        OrchestrationNode::PlanValidated => match event {
            DispatchStep             => Some(OrchestrationNode::DispatchingStep),
            Timeout | Panic          => Some(OrchestrationNode::Failed),
            StartPlan | PlannerStarted | PlannerFinished | ValidationFailed | StepDispatched | ChildFinished
            | StepSucceeded | StepFailed | ParallelComplete | PlanCompleted => None,
        },
        OrchestrationNode::DispatchingStep => match event {
            StepDispatched           => Some(OrchestrationNode::AwaitingResults),
            PlanCompleted            => Some(OrchestrationNode::Completed),
            StepFailed | Timeout | Panic => Some(OrchestrationNode::Failed),
            StartPlan | PlannerStarted | PlannerFinished | ValidationFailed | DispatchStep | ChildFinished
            | StepSucceeded | ParallelComplete => None,
        },
        OrchestrationNode::AwaitingResults => match event {
            ChildFinished            => Some(OrchestrationNode::AwaitingResults),
            StepSucceeded            => Some(OrchestrationNode::DispatchingStep),
            ParallelComplete         => Some(OrchestrationNode::MergingResults),
            StepFailed | Timeout | Panic => Some(OrchestrationNode::Failed),
            StartPlan | PlannerStarted | PlannerFinished | ValidationFailed | DispatchStep | StepDispatched
            | PlanCompleted => None,
        },
        OrchestrationNode::MergingResults => match event {
            StepSucceeded            => Some(OrchestrationNode::DispatchingStep),
            StepFailed | Timeout | Panic => Some(OrchestrationNode::Failed),
            StartPlan | PlannerStarted | PlannerFinished | ValidationFailed | DispatchStep | StepDispatched
            | ChildFinished | ParallelComplete | PlanCompleted => None,
        },
        OrchestrationNode::Completed | OrchestrationNode::Failed => match event {
            StartPlan | PlannerStarted | PlannerFinished | ValidationFailed | DispatchStep | StepDispatched
            | ChildFinished | StepSucceeded | StepFailed | ParallelComplete | PlanCompleted | Timeout
            | Panic => None,
        },
    }
}

impl OrchestrationNode {
    pub fn is_end(self) -> bool {
        matches!(self, Self::Completed | Self::Failed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every transition; all other pairs have none.
    const ARROWS: [(OrchestrationNode, OrchestrationEvent, OrchestrationNode); 26] = [
        (OrchestrationNode::PlanInit, OrchestrationEvent::StartPlan, OrchestrationNode::PlannerActive),
        (OrchestrationNode::PlanInit, OrchestrationEvent::Timeout, OrchestrationNode::Failed),
        (OrchestrationNode::PlanInit, OrchestrationEvent::Panic, OrchestrationNode::Failed),
        (
            OrchestrationNode::PlannerActive,
            OrchestrationEvent::PlannerStarted,
            OrchestrationNode::PlannerActive,
        ),
        (
            OrchestrationNode::PlannerActive,
            OrchestrationEvent::PlannerFinished,
            OrchestrationNode::PlanValidated,
        ),
        (OrchestrationNode::PlannerActive, OrchestrationEvent::ValidationFailed, OrchestrationNode::Failed),
        (OrchestrationNode::PlannerActive, OrchestrationEvent::Timeout, OrchestrationNode::Failed),
        (OrchestrationNode::PlannerActive, OrchestrationEvent::Panic, OrchestrationNode::Failed),
        (
            OrchestrationNode::PlanValidated,
            OrchestrationEvent::DispatchStep,
            OrchestrationNode::DispatchingStep,
        ),
        (OrchestrationNode::PlanValidated, OrchestrationEvent::Timeout, OrchestrationNode::Failed),
        (OrchestrationNode::PlanValidated, OrchestrationEvent::Panic, OrchestrationNode::Failed),
        (
            OrchestrationNode::DispatchingStep,
            OrchestrationEvent::StepDispatched,
            OrchestrationNode::AwaitingResults,
        ),
        (OrchestrationNode::DispatchingStep, OrchestrationEvent::StepFailed, OrchestrationNode::Failed),
        (OrchestrationNode::DispatchingStep, OrchestrationEvent::PlanCompleted, OrchestrationNode::Completed),
        (OrchestrationNode::DispatchingStep, OrchestrationEvent::Timeout, OrchestrationNode::Failed),
        (OrchestrationNode::DispatchingStep, OrchestrationEvent::Panic, OrchestrationNode::Failed),
        (
            OrchestrationNode::AwaitingResults,
            OrchestrationEvent::ChildFinished,
            OrchestrationNode::AwaitingResults,
        ),
        (
            OrchestrationNode::AwaitingResults,
            OrchestrationEvent::StepSucceeded,
            OrchestrationNode::DispatchingStep,
        ),
        (OrchestrationNode::AwaitingResults, OrchestrationEvent::StepFailed, OrchestrationNode::Failed),
        (
            OrchestrationNode::AwaitingResults,
            OrchestrationEvent::ParallelComplete,
            OrchestrationNode::MergingResults,
        ),
        (OrchestrationNode::AwaitingResults, OrchestrationEvent::Timeout, OrchestrationNode::Failed),
        (OrchestrationNode::AwaitingResults, OrchestrationEvent::Panic, OrchestrationNode::Failed),
        (
            OrchestrationNode::MergingResults,
            OrchestrationEvent::StepSucceeded,
            OrchestrationNode::DispatchingStep,
        ),
        (OrchestrationNode::MergingResults, OrchestrationEvent::StepFailed, OrchestrationNode::Failed),
        (OrchestrationNode::MergingResults, OrchestrationEvent::Timeout, OrchestrationNode::Failed),
        (OrchestrationNode::MergingResults, OrchestrationEvent::Panic, OrchestrationNode::Failed),
    ];

    // The whole table, pair by pair (S3.22, S3.23, S3.25).
    #[test]
    fn every_pair_of_state_and_event_leads_where_the_table_says() {
        for &node in OrchestrationNode::ALL {
            for &event in OrchestrationEvent::ALL {
                let arrow = ARROWS.iter().find(|(from, by, _)| (*from, *by) == (node, event));
                assert_eq!(transition(node, event), arrow.map(|(_, _, to)| *to), "{node:?}, {event:?}");
            }
        }
    }

    // A planner that fails ends the orchestration at once (S3.25).
    #[test]
    fn a_planner_that_fails_leads_straight_to_failed() {
        assert_eq!(
            transition(OrchestrationNode::PlannerActive, OrchestrationEvent::ValidationFailed),
            Some(OrchestrationNode::Failed)
        );
    }

    // The results of a block are merged before anything else (S3.25).
    #[test]
    fn a_block_that_is_complete_is_merged_before_the_plan_is() {
        let merged = transition(OrchestrationNode::AwaitingResults, OrchestrationEvent::ParallelComplete);
        assert_eq!(merged, Some(OrchestrationNode::MergingResults));
        assert_eq!(transition(OrchestrationNode::AwaitingResults, OrchestrationEvent::PlanCompleted), None);
        assert_eq!(
            transition(OrchestrationNode::MergingResults, OrchestrationEvent::StepSucceeded),
            Some(OrchestrationNode::DispatchingStep)
        );
        assert_eq!(
            transition(OrchestrationNode::DispatchingStep, OrchestrationEvent::PlanCompleted),
            Some(OrchestrationNode::Completed)
        );
    }

    // Event names are unique and in snake case (S3.23).
    #[test]
    fn events_are_words_in_snake_case() {
        let words: std::collections::BTreeSet<&str> =
            OrchestrationEvent::ALL.iter().map(|event| event.word()).collect();
        assert_eq!(words.len(), OrchestrationEvent::ALL.len());
        let plain = |word: &&str| word.chars().all(|c| c.is_ascii_lowercase() || c == '_');
        assert!(words.iter().all(plain), "{words:?}");
    }
}
