//! State machine of an orchestration (S3.22, S3.23): nodes, events and transitions. No plan, no I/O. The
//! diagram in docs/graphs.md is drawn from it.

use serde::{Deserialize, Serialize};

/// Node of an orchestration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Node {
    PlanInit,
    /// A plan is being made, or read and checked.
    PlannerActive,
    PlanValidated,
    DispatchingStep,
    AwaitingResults,
    MergingResults,
    Completed,
    Failed,
}

/// Event of an orchestration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Event {
    StartPlan,
    /// An agent makes the plan, and the orchestration waits for it.
    PlannerStarted,
    PlannerFinished,
    /// There is no plan, or it cannot be carried out.
    ValidationFailed,
    DispatchStep,
    /// The step's agents are at work.
    StepDispatched,
    /// An agent has ended while others are at work.
    ChildFinished,
    StepSucceeded,
    StepFailed,
    ParallelComplete,
    PlanCompleted,
    Timeout,
    /// A step of the orchestration itself panicked.
    Panic,
}

/// Returns the node after `event`, or `None` if the event is impossible there. Lists every pair.
#[rustfmt::skip]
pub fn next(node: Node, event: Event) -> Option<Node> {
    use Event::*;
    match node {
        Node::PlanInit => match event {
            StartPlan                => Some(Node::PlannerActive),
            Timeout | Panic          => Some(Node::Failed),
            PlannerStarted | PlannerFinished | ValidationFailed | DispatchStep | StepDispatched | ChildFinished
            | StepSucceeded | StepFailed | ParallelComplete | PlanCompleted => None,
        },
        Node::PlannerActive => match event {
            PlannerStarted           => Some(Node::PlannerActive),
            PlannerFinished          => Some(Node::PlanValidated),
            ValidationFailed | Timeout | Panic => Some(Node::Failed),
            StartPlan | DispatchStep | StepDispatched | ChildFinished | StepSucceeded | StepFailed
            | ParallelComplete | PlanCompleted => None,
        },
        Node::PlanValidated => match event {
            DispatchStep             => Some(Node::DispatchingStep),
            Timeout | Panic          => Some(Node::Failed),
            StartPlan | PlannerStarted | PlannerFinished | ValidationFailed | StepDispatched | ChildFinished
            | StepSucceeded | StepFailed | ParallelComplete | PlanCompleted => None,
        },
        Node::DispatchingStep => match event {
            StepDispatched           => Some(Node::AwaitingResults),
            PlanCompleted            => Some(Node::Completed),
            StepFailed | Timeout | Panic => Some(Node::Failed),
            StartPlan | PlannerStarted | PlannerFinished | ValidationFailed | DispatchStep | ChildFinished
            | StepSucceeded | ParallelComplete => None,
        },
        Node::AwaitingResults => match event {
            ChildFinished            => Some(Node::AwaitingResults),
            StepSucceeded            => Some(Node::DispatchingStep),
            ParallelComplete         => Some(Node::MergingResults),
            StepFailed | Timeout | Panic => Some(Node::Failed),
            StartPlan | PlannerStarted | PlannerFinished | ValidationFailed | DispatchStep | StepDispatched
            | PlanCompleted => None,
        },
        Node::MergingResults => match event {
            StepSucceeded            => Some(Node::DispatchingStep),
            StepFailed | Timeout | Panic => Some(Node::Failed),
            StartPlan | PlannerStarted | PlannerFinished | ValidationFailed | DispatchStep | StepDispatched
            | ChildFinished | ParallelComplete | PlanCompleted => None,
        },
        Node::Completed | Node::Failed => match event {
            StartPlan | PlannerStarted | PlannerFinished | ValidationFailed | DispatchStep | StepDispatched
            | ChildFinished | StepSucceeded | StepFailed | ParallelComplete | PlanCompleted | Timeout
            | Panic => None,
        },
    }
}

impl Node {
    pub const ALL: [Self; 8] = [
        Self::PlanInit,
        Self::PlannerActive,
        Self::PlanValidated,
        Self::DispatchingStep,
        Self::AwaitingResults,
        Self::MergingResults,
        Self::Completed,
        Self::Failed,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Self::PlanInit => "plan_init",
            Self::PlannerActive => "planner_active",
            Self::PlanValidated => "plan_validated",
            Self::DispatchingStep => "dispatching_step",
            Self::AwaitingResults => "awaiting_results",
            Self::MergingResults => "merging_results",
            Self::Completed => "completed",
            Self::Failed => "failed",
        }
    }

    pub fn is_end(self) -> bool {
        matches!(self, Self::Completed | Self::Failed)
    }
}

impl Event {
    pub const ALL: [Self; 13] = [
        Self::StartPlan,
        Self::PlannerStarted,
        Self::PlannerFinished,
        Self::ValidationFailed,
        Self::DispatchStep,
        Self::StepDispatched,
        Self::ChildFinished,
        Self::StepSucceeded,
        Self::StepFailed,
        Self::ParallelComplete,
        Self::PlanCompleted,
        Self::Timeout,
        Self::Panic,
    ];

    /// Returns the name of the event in traces, logs and metrics.
    pub fn word(self) -> &'static str {
        match self {
            Self::StartPlan => "start_plan",
            Self::PlannerStarted => "planner_started",
            Self::PlannerFinished => "planner_finished",
            Self::ValidationFailed => "validation_failed",
            Self::DispatchStep => "dispatch_step",
            Self::StepDispatched => "step_dispatched",
            Self::ChildFinished => "child_finished",
            Self::StepSucceeded => "step_succeeded",
            Self::StepFailed => "step_failed",
            Self::ParallelComplete => "parallel_complete",
            Self::PlanCompleted => "plan_completed",
            Self::Timeout => "timeout",
            Self::Panic => "panic",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every transition; all other pairs have none.
    const ARROWS: [(Node, Event, Node); 26] = [
        (Node::PlanInit, Event::StartPlan, Node::PlannerActive),
        (Node::PlanInit, Event::Timeout, Node::Failed),
        (Node::PlanInit, Event::Panic, Node::Failed),
        (Node::PlannerActive, Event::PlannerStarted, Node::PlannerActive),
        (Node::PlannerActive, Event::PlannerFinished, Node::PlanValidated),
        (Node::PlannerActive, Event::ValidationFailed, Node::Failed),
        (Node::PlannerActive, Event::Timeout, Node::Failed),
        (Node::PlannerActive, Event::Panic, Node::Failed),
        (Node::PlanValidated, Event::DispatchStep, Node::DispatchingStep),
        (Node::PlanValidated, Event::Timeout, Node::Failed),
        (Node::PlanValidated, Event::Panic, Node::Failed),
        (Node::DispatchingStep, Event::StepDispatched, Node::AwaitingResults),
        (Node::DispatchingStep, Event::StepFailed, Node::Failed),
        (Node::DispatchingStep, Event::PlanCompleted, Node::Completed),
        (Node::DispatchingStep, Event::Timeout, Node::Failed),
        (Node::DispatchingStep, Event::Panic, Node::Failed),
        (Node::AwaitingResults, Event::ChildFinished, Node::AwaitingResults),
        (Node::AwaitingResults, Event::StepSucceeded, Node::DispatchingStep),
        (Node::AwaitingResults, Event::StepFailed, Node::Failed),
        (Node::AwaitingResults, Event::ParallelComplete, Node::MergingResults),
        (Node::AwaitingResults, Event::Timeout, Node::Failed),
        (Node::AwaitingResults, Event::Panic, Node::Failed),
        (Node::MergingResults, Event::StepSucceeded, Node::DispatchingStep),
        (Node::MergingResults, Event::StepFailed, Node::Failed),
        (Node::MergingResults, Event::Timeout, Node::Failed),
        (Node::MergingResults, Event::Panic, Node::Failed),
    ];

    // The whole table, pair by pair (S3.22, S3.23, S3.25).
    #[test]
    fn every_pair_of_state_and_event_leads_where_the_table_says() {
        for node in Node::ALL {
            for event in Event::ALL {
                let arrow = ARROWS.iter().find(|(from, by, _)| (*from, *by) == (node, event));
                assert_eq!(next(node, event), arrow.map(|(_, _, to)| *to), "{node:?}, {event:?}");
            }
        }
    }

    // A planner that fails ends the orchestration at once (S3.25).
    #[test]
    fn a_planner_that_fails_leads_straight_to_failed() {
        assert_eq!(next(Node::PlannerActive, Event::ValidationFailed), Some(Node::Failed));
    }

    // The results of a block are merged before anything else (S3.25).
    #[test]
    fn a_block_that_is_complete_is_merged_before_the_plan_is() {
        let merged = next(Node::AwaitingResults, Event::ParallelComplete);
        assert_eq!(merged, Some(Node::MergingResults));
        assert_eq!(next(Node::AwaitingResults, Event::PlanCompleted), None);
        assert_eq!(next(Node::MergingResults, Event::StepSucceeded), Some(Node::DispatchingStep));
        assert_eq!(next(Node::DispatchingStep, Event::PlanCompleted), Some(Node::Completed));
    }

    // Event names are unique and in snake case (S3.23).
    #[test]
    fn events_are_words_in_snake_case() {
        let words: std::collections::BTreeSet<&str> = Event::ALL.into_iter().map(Event::word).collect();
        assert_eq!(words.len(), Event::ALL.len());
        let plain = |word: &&str| word.chars().all(|c| c.is_ascii_lowercase() || c == '_');
        assert!(words.iter().all(plain), "{words:?}");
    }
}
