//! Results of parallel agents by the merge strategy of their block (S3.20): when to stop waiting, the status
//! of the block, and its outputs.

use super::plan::{Merge, ParallelStep};
use super::state::{BegunStep, Decided, Slot, StepStatus};
use serde_json::{Map, Value};

/// Returns the decision of a block, with the agent that made it, if one did; `None` while the block must
/// wait. `newest` holds the indexes of the agents that have just ended, oldest end first.
pub fn decided(merge: Merge, slots: &[Slot], newest: &[usize]) -> Option<Decided> {
    let gave = slots.iter().filter(|slot| slot.gave()).count();
    let open = slots.iter().filter(|slot| slot.over().is_none()).count();
    let first = |wanted: fn(&Slot) -> bool| {
        let is = |place: &usize| slots.get(*place).is_some_and(wanted);
        newest.iter().copied().find(is).or_else(|| slots.iter().position(wanted))
    };
    match merge {
        Merge::Collect | Merge::BestEffort => None,
        Merge::FirstSuccess => first(Slot::gave).map(|by| Decided { by: Some(by) }),
        Merge::Race => first(|slot| slot.over().is_some()).map(|by| Decided { by: Some(by) }),
        Merge::Quorum(wanted) if gave >= wanted || gave + open < wanted => Some(Decided { by: None }),
        Merge::Quorum(_) => None,
    }
}

/// Returns the status of a block whose agents have all ended. A partial result is no failure: a block that
/// relies on one is `partial`.
pub fn status(merge: Merge, begun: &BegunStep) -> StepStatus {
    let slots = &begun.slots;
    let of =
        |wanted: StepStatus| slots.iter().filter_map(Slot::over).filter(|over| over.status == wanted).count();
    let (whole, gave) = (of(StepStatus::Success), of(StepStatus::Success) + of(StepStatus::Partial));
    match merge {
        Merge::Collect if gave == 0 => StepStatus::Failed,
        Merge::Collect | Merge::BestEffort if whole == slots.len() => StepStatus::Success,
        Merge::Collect | Merge::BestEffort => StepStatus::Partial,
        Merge::FirstSuccess | Merge::Race => match winner(begun).and_then(Slot::over) {
            Some(over) if over.status.gave() => over.status,
            Some(_) | None => StepStatus::Failed,
        },
        Merge::Quorum(wanted) if whole >= wanted => StepStatus::Success,
        Merge::Quorum(wanted) if gave >= wanted => StepStatus::Partial,
        Merge::Quorum(_) => StepStatus::Failed,
    }
}

/// True if the plan continues after a block whose agents have all ended. `best_effort` ignores failures.
pub fn goes_on(merge: Merge, begun: &BegunStep) -> bool {
    match merge {
        Merge::BestEffort => true,
        Merge::Collect => begun.slots.iter().all(Slot::gave),
        Merge::FirstSuccess | Merge::Race | Merge::Quorum(_) => status(merge, begun).gave(),
    }
}

/// Returns the outputs of a block: its agents' outputs by result key. If a single agent decides the block,
/// only that agent's.
pub fn merged(block: &ParallelStep, begun: &BegunStep) -> Map<String, Value> {
    let only = match block.merge {
        Merge::FirstSuccess | Merge::Race => begun.decided.and_then(|decided| decided.by),
        Merge::Collect | Merge::Quorum(_) | Merge::BestEffort => None,
    };
    let each = block.children.iter().zip(&begun.slots).enumerate();
    let wanted = each.filter(|(place, (_, slot))| slot.gave() && only.is_none_or(|only| only == *place));
    let given = wanted.filter_map(|(_, (child, slot))| {
        Some((child.result_key.clone(), Value::Object(slot.over()?.outputs.clone())))
    });
    given.collect()
}

fn winner(begun: &BegunStep) -> Option<&Slot> {
    begun.slots.get(begun.decided?.by?)
}

#[cfg(test)]
mod tests {
    use super::super::plan::AgentStep;
    use super::super::state::{AgentStatus, Over};
    use super::*;
    use crate::ids::RunId;
    use serde_json::json;

    /// Parses one letter per agent: succeeded, partial, failed, skipped, at work, waiting.
    fn slots(story: &str) -> Vec<Slot> {
        let over = |status| {
            let outputs = Map::from_iter([(String::from("x"), json!(1))]);
            AgentStatus::Over(Box::new(Over { status, run: None, outputs, error: None }))
        };
        let standing = |letter: char| match letter {
            's' => over(StepStatus::Success),
            'p' => over(StepStatus::Partial),
            'f' => over(StepStatus::Failed),
            '-' => over(StepStatus::Skipped),
            'r' => AgentStatus::Running { run: RunId::from("r") },
            _ => AgentStatus::Waiting,
        };
        story.chars().map(|letter| Slot { standing: standing(letter), ..Slot::default() }).collect()
    }

    fn by(place: usize) -> Option<Option<usize>> {
        Some(Some(place))
    }

    // The end of waiting, strategy by strategy (S3.20).
    #[test]
    fn each_strategy_says_when_the_rest_is_not_needed() {
        for (merge, story, newest, expected) in [
            (Merge::Collect, "sf", &[0, 1][..], None),
            (Merge::BestEffort, "sf", &[0, 1], None),
            (Merge::FirstSuccess, "frr", &[0], None),
            (Merge::FirstSuccess, "frs", &[2], by(2)),
            (Merge::FirstSuccess, "srs", &[2, 0], by(2)),
            (Merge::FirstSuccess, "frp", &[2], by(2)),
            (Merge::Race, "rrr", &[], None),
            (Merge::Race, "rfr", &[1], by(1)),
            (Merge::Race, "srf", &[2, 0], by(2)),
            (Merge::Quorum(2), "srw", &[0], None),
            (Merge::Quorum(2), "ssw", &[1], Some(None)),
            (Merge::Quorum(2), "ffr", &[1], Some(None)),
            (Merge::Quorum(2), "fsr", &[1], None),
        ] {
            let decided = decided(merge, &slots(story), newest).map(|decided| decided.by);
            assert_eq!(decided, expected, "{merge:?} {story}");
        }
    }

    // The status of a block whose agents have ended, and whether the plan continues (S3.8, S3.20).
    #[test]
    fn each_strategy_says_how_the_block_stands() {
        let (success, partial, failed) = (StepStatus::Success, StepStatus::Partial, StepStatus::Failed);
        for (merge, story, decided, expected, on) in [
            (Merge::Collect, "ss", None, success, true),
            (Merge::Collect, "sf", None, partial, false),
            (Merge::Collect, "sp", None, partial, true),
            (Merge::Collect, "pp", None, partial, true),
            (Merge::Collect, "spf", None, partial, false),
            (Merge::Collect, "ff", None, failed, false),
            (Merge::BestEffort, "ss", None, success, true),
            (Merge::BestEffort, "sp", None, partial, true),
            (Merge::BestEffort, "sf", None, partial, true),
            (Merge::BestEffort, "ff", None, partial, true),
            (Merge::FirstSuccess, "fs-", Some(1), success, true),
            (Merge::FirstSuccess, "fp-", Some(1), partial, true),
            (Merge::FirstSuccess, "ff", None, failed, false),
            (Merge::Race, "-s", Some(1), success, true),
            (Merge::Race, "p-", Some(0), partial, true),
            (Merge::Race, "sf", Some(1), failed, false),
            (Merge::Quorum(2), "sfs", None, success, true),
            (Merge::Quorum(2), "sps", None, success, true),
            (Merge::Quorum(2), "sp-", None, partial, true),
            (Merge::Quorum(2), "sf-", None, failed, false),
        ] {
            let decided = decided.map(|by| Decided { by: Some(by) });
            let begun = BegunStep { slots: slots(story), decided, status: None };
            let found = status(merge, &begun);
            assert_eq!((found, goes_on(merge, &begun)), (expected, on), "{merge:?} {story}");
        }
    }

    // Outputs by key; for `race` and `first_success` only the winner's (S3.20).
    #[test]
    fn a_block_gives_what_its_agents_gave_by_their_keys() {
        let child = |key: &str| AgentStep { result_key: key.to_owned(), ..AgentStep::default() };
        for (merge, decided, keys) in [
            (Merge::Collect, None, &["a", "c"][..]),
            (Merge::Quorum(1), None, &["a", "c"]),
            (Merge::FirstSuccess, Some(2), &["c"]),
            (Merge::Race, Some(1), &[]),
        ] {
            let block = ParallelStep {
                id: String::from("p"),
                children: ["a", "b", "c"].map(child).to_vec(),
                max_concurrency: None,
                merge,
                result_key: String::from("p"),
            };
            let decided = decided.map(|by| Decided { by: Some(by) });
            let begun = BegunStep { slots: slots("sfs"), decided, status: None };
            let merged = merged(&block, &begun);
            assert_eq!(merged.keys().collect::<Vec<_>>(), keys, "{merge:?}");
        }
    }
}
