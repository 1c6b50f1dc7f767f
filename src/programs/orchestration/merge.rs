//! Results of parallel agents by the merge strategy of their block (S3.20): when to stop waiting, the status
//! of the block, and its outputs.

use crate::programs::orchestration::plan::{MergeStrategy, ParallelStep};
use crate::programs::orchestration::state::{AgentState, BegunStep, BlockDecision, StepStatus};
use serde_json::{Map, Value};

/// Returns the decision of a block, with the agent that made it, if one did; `None` while the block must
/// wait. `newest` holds the indexes of the agents that have just ended, oldest end first.
pub fn decide_block(merge: MergeStrategy, slots: &[AgentState], newest: &[usize]) -> Option<BlockDecision> {
    let with_outputs = slots.iter().filter(|slot| slot.has_outputs()).count();
    let open = slots.iter().filter(|slot| slot.result().is_none()).count();
    let first = |wanted: fn(&AgentState) -> bool| {
        let is = |index: &usize| slots.get(*index).is_some_and(wanted);
        newest.iter().copied().find(is).or_else(|| slots.iter().position(wanted))
    };
    match merge {
        MergeStrategy::Collect | MergeStrategy::BestEffort => None,
        MergeStrategy::FirstSuccess => {
            first(AgentState::has_outputs).map(|by| BlockDecision { by: Some(by) })
        }
        MergeStrategy::Race => first(|slot| slot.result().is_some()).map(|by| BlockDecision { by: Some(by) }),
        MergeStrategy::Quorum(wanted) if with_outputs >= wanted || with_outputs + open < wanted => {
            Some(BlockDecision { by: None })
        }
        MergeStrategy::Quorum(_) => None,
    }
}

/// Returns the status of a block whose agents have all ended. A partial result is no failure: a block that
/// relies on one is `partial`.
pub fn status(merge: MergeStrategy, begun: &BegunStep) -> StepStatus {
    let slots = &begun.slots;
    let count_status = |wanted: StepStatus| {
        slots.iter().filter_map(AgentState::result).filter(|result| result.status == wanted).count()
    };
    let (succeeded, with_outputs) = (
        count_status(StepStatus::Success),
        count_status(StepStatus::Success) + count_status(StepStatus::Partial),
    );
    match merge {
        MergeStrategy::Collect if with_outputs == 0 => StepStatus::Failed,
        MergeStrategy::Collect | MergeStrategy::BestEffort if succeeded == slots.len() => StepStatus::Success,
        MergeStrategy::Collect | MergeStrategy::BestEffort => StepStatus::Partial,
        MergeStrategy::FirstSuccess | MergeStrategy::Race => {
            match winning_slot(begun).and_then(AgentState::result) {
                Some(result) if result.status.has_outputs() => result.status,
                Some(_) | None => StepStatus::Failed,
            }
        }
        MergeStrategy::Quorum(wanted) if succeeded >= wanted => StepStatus::Success,
        MergeStrategy::Quorum(wanted) if with_outputs >= wanted => StepStatus::Partial,
        MergeStrategy::Quorum(_) => StepStatus::Failed,
    }
}

/// True if the plan continues after a block whose agents have all ended. `best_effort` ignores failures.
pub fn plan_continues(merge: MergeStrategy, begun: &BegunStep) -> bool {
    match merge {
        MergeStrategy::BestEffort => true,
        MergeStrategy::Collect => begun.slots.iter().all(AgentState::has_outputs),
        MergeStrategy::FirstSuccess | MergeStrategy::Race | MergeStrategy::Quorum(_) => {
            status(merge, begun).has_outputs()
        }
    }
}

/// Returns the outputs of a block: its agents' outputs by result key. If a single agent decides the block,
/// only that agent's.
pub fn block_outputs(block: &ParallelStep, begun: &BegunStep) -> Map<String, Value> {
    let winner = match block.merge {
        MergeStrategy::FirstSuccess | MergeStrategy::Race => begun.decided.and_then(|decided| decided.by),
        MergeStrategy::Collect | MergeStrategy::Quorum(_) | MergeStrategy::BestEffort => None,
    };
    let each = block.children.iter().zip(&begun.slots).enumerate();
    let wanted =
        each.filter(|(index, (_, slot))| slot.has_outputs() && winner.is_none_or(|winner| winner == *index));
    let outputs = wanted.filter_map(|(_, (child, slot))| {
        Some((child.result_key.clone(), Value::Object(slot.result()?.outputs.clone())))
    });
    outputs.collect()
}

fn winning_slot(begun: &BegunStep) -> Option<&AgentState> {
    begun.slots.get(begun.decided?.by?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::RunId;
    use crate::programs::orchestration::plan::AgentStep;
    use crate::programs::orchestration::state::{AgentResult, AgentStatus};
    use serde_json::json;

    /// Parses one letter per agent: succeeded, partial, failed, skipped, at work, waiting.
    fn slots(story: &str) -> Vec<AgentState> {
        let over = |status| {
            let outputs = Map::from_iter([(String::from("x"), json!(1))]);
            AgentStatus::Over(Box::new(AgentResult { status, run: None, outputs, error: None }))
        };
        let read_status = |letter: char| match letter {
            's' => over(StepStatus::Success),
            'p' => over(StepStatus::Partial),
            'f' => over(StepStatus::Failed),
            '-' => over(StepStatus::Skipped),
            'r' => AgentStatus::Running { run: RunId::from("r") },
            _ => AgentStatus::Waiting,
        };
        story
            .chars()
            .map(|letter| AgentState { status: read_status(letter), ..AgentState::default() })
            .collect()
    }

    fn by(index: usize) -> Option<Option<usize>> {
        Some(Some(index))
    }

    // The end of waiting, strategy by strategy (S3.20).
    #[test]
    fn each_strategy_decides_when_the_rest_is_not_needed() {
        for (merge, story, newest, expected) in [
            (MergeStrategy::Collect, "sf", &[0, 1][..], None),
            (MergeStrategy::BestEffort, "sf", &[0, 1], None),
            (MergeStrategy::FirstSuccess, "frr", &[0], None),
            (MergeStrategy::FirstSuccess, "frs", &[2], by(2)),
            (MergeStrategy::FirstSuccess, "srs", &[2, 0], by(2)),
            (MergeStrategy::FirstSuccess, "frp", &[2], by(2)),
            (MergeStrategy::Race, "rrr", &[], None),
            (MergeStrategy::Race, "rfr", &[1], by(1)),
            (MergeStrategy::Race, "srf", &[2, 0], by(2)),
            (MergeStrategy::Quorum(2), "srw", &[0], None),
            (MergeStrategy::Quorum(2), "ssw", &[1], Some(None)),
            (MergeStrategy::Quorum(2), "ffr", &[1], Some(None)),
            (MergeStrategy::Quorum(2), "fsr", &[1], None),
        ] {
            let decided = decide_block(merge, &slots(story), newest).map(|decided| decided.by);
            assert_eq!(decided, expected, "{merge:?} {story}");
        }
    }

    // The status of a block whose agents have ended, and whether the plan continues (S3.8, S3.20).
    #[test]
    fn each_strategy_sets_the_status_of_the_block() {
        let (success, partial, failed) = (StepStatus::Success, StepStatus::Partial, StepStatus::Failed);
        for (merge, story, decided, expected, on) in [
            (MergeStrategy::Collect, "ss", None, success, true),
            (MergeStrategy::Collect, "sf", None, partial, false),
            (MergeStrategy::Collect, "sp", None, partial, true),
            (MergeStrategy::Collect, "pp", None, partial, true),
            (MergeStrategy::Collect, "spf", None, partial, false),
            (MergeStrategy::Collect, "ff", None, failed, false),
            (MergeStrategy::BestEffort, "ss", None, success, true),
            (MergeStrategy::BestEffort, "sp", None, partial, true),
            (MergeStrategy::BestEffort, "sf", None, partial, true),
            (MergeStrategy::BestEffort, "ff", None, partial, true),
            (MergeStrategy::FirstSuccess, "fs-", Some(1), success, true),
            (MergeStrategy::FirstSuccess, "fp-", Some(1), partial, true),
            (MergeStrategy::FirstSuccess, "ff", None, failed, false),
            (MergeStrategy::Race, "-s", Some(1), success, true),
            (MergeStrategy::Race, "p-", Some(0), partial, true),
            (MergeStrategy::Race, "sf", Some(1), failed, false),
            (MergeStrategy::Quorum(2), "sfs", None, success, true),
            (MergeStrategy::Quorum(2), "sps", None, success, true),
            (MergeStrategy::Quorum(2), "sp-", None, partial, true),
            (MergeStrategy::Quorum(2), "sf-", None, failed, false),
        ] {
            let decided = decided.map(|by| BlockDecision { by: Some(by) });
            let begun = BegunStep { slots: slots(story), decided, status: None };
            let found = status(merge, &begun);
            assert_eq!((found, plan_continues(merge, &begun)), (expected, on), "{merge:?} {story}");
        }
    }

    // Outputs by key; for `race` and `first_success` only the winner's (S3.20).
    #[test]
    fn a_block_returns_the_outputs_of_its_agents_by_key() {
        let child = |key: &str| AgentStep { result_key: key.to_owned(), ..AgentStep::default() };
        for (merge, decided, keys) in [
            (MergeStrategy::Collect, None, &["a", "c"][..]),
            (MergeStrategy::Quorum(1), None, &["a", "c"]),
            (MergeStrategy::FirstSuccess, Some(2), &["c"]),
            (MergeStrategy::Race, Some(1), &[]),
        ] {
            let block = ParallelStep {
                id: String::from("p"),
                children: ["a", "b", "c"].map(child).to_vec(),
                max_concurrency: None,
                merge,
                result_key: String::from("p"),
            };
            let decided = decided.map(|by| BlockDecision { by: Some(by) });
            let begun = BegunStep { slots: slots("sfs"), decided, status: None };
            let merged = block_outputs(&block, &begun);
            assert_eq!(merged.keys().collect::<Vec<_>>(), keys, "{merge:?}");
        }
    }
}
