//! The plan of a task: goals, each with the evidence that it is reached, not how to reach it (docs/plans.md).
//! Pure: the data and the choice of the next item. The tool is chosen when an item is worked on.

pub mod edit;

use crate::text::truncate::one_line;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The default number of attempts for an item (S2.1).
pub const MAX_ATTEMPTS: u32 = 3;

/// A goal of a plan (S2.1).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(default)]
pub struct Item {
    /// Position from 1, in the order in which items are worked on.
    pub position: u32,
    /// The goal to achieve.
    pub description: String,
    /// The observation that shows that the goal is reached.
    pub acceptance_criteria: String,
    /// Conditions that a machine can check. All of them must hold.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(test, ts(optional, as = "Option<Vec<Predicate>>"))]
    pub predicates: Vec<Predicate>,
    /// Positions of the items that must have succeeded before this one starts.
    pub dependencies: Vec<u32>,
    pub status: ItemStatus,
    /// The last action for this item, its input and its result.
    pub chosen_tool: Option<String>,
    pub tool_input: Option<Value>,
    pub execution_result: Option<Value>,
    /// The number of attempts: rejected claims that the item is done, failed agent calls, and the acceptance.
    pub attempts: u32,
    #[serde(default = "max_attempts")]
    pub max_attempts: u32,
    /// The reason why it was accepted or rejected.
    pub evidence: Option<Evidence>,
}

/// The status of an item. Other names are accepted as aliases (C8).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum ItemStatus {
    #[default]
    #[serde(alias = "PENDING", alias = "pending")]
    Queued,
    Running,
    #[serde(alias = "COMPLETED", alias = "completed")]
    Succeeded,
    #[serde(alias = "FAILED")]
    Failed,
    #[serde(alias = "SKIPPED")]
    Skipped,
}

/// A condition that is checked without a judge (C12).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(tag = "check", rename_all = "snake_case")]
pub enum Predicate {
    /// The address of the page contains `value`.
    Url { value: String },
    /// The page shows `value`.
    Text { value: String },
    /// The run has a file with this name.
    File { value: String },
    /// The variable or answer `name` has this value, as text.
    Variable { name: String, value: String },
}

/// The result of judging an item.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(default)]
pub struct Evidence {
    pub accepted: bool,
    /// `predicates`, `judge` or `person`.
    pub by: String,
    /// The reason, in one sentence.
    pub why: String,
    /// The page at that time: its address and the path of its picture.
    pub url: Option<String>,
    pub picture: Option<String>,
    /// The text that was seen or returned, shortened.
    pub text: Option<String>,
}

fn max_attempts() -> u32 {
    MAX_ATTEMPTS
}

impl ItemStatus {
    /// Reports whether nothing more is to be done for the item (S2.18).
    pub fn is_over(self) -> bool {
        match self {
            Self::Succeeded | Self::Skipped => true,
            Self::Queued | Self::Running | Self::Failed => false,
        }
    }

    /// Returns the status as it is written on the wire and in the store.
    pub fn word(self) -> &'static str {
        match self {
            Self::Queued => "queued",
            Self::Running => "running",
            Self::Succeeded => "succeeded",
            Self::Failed => "failed",
            Self::Skipped => "skipped",
        }
    }
}

impl Item {
    /// Reports whether the item may be tried once more.
    pub fn has_attempts(&self) -> bool {
        self.attempts < self.max_attempts
    }
}

/// Reports whether nothing is left to be done (S2.18).
pub fn is_complete(items: &[Item]) -> bool {
    items.iter().all(|item| item.status.is_over())
}

/// Returns the item to work on (S2.7): the first by position that is under way, that is open with all its
/// dependencies succeeded, or that failed with attempts left and all its dependencies succeeded. Returns
/// `None` if there is none, even if items are open: those depend on skipped or failed ones.
pub fn next_item(items: &[Item]) -> Option<&Item> {
    let reached = |position: &u32| {
        items.iter().any(|item| item.position == *position && item.status == ItemStatus::Succeeded)
    };
    let actionable = |item: &&Item| match item.status {
        ItemStatus::Running => true,
        ItemStatus::Queued => item.dependencies.iter().all(reached),
        ItemStatus::Failed => item.has_attempts() && item.dependencies.iter().all(reached),
        ItemStatus::Succeeded | ItemStatus::Skipped => false,
    };
    items.iter().filter(actionable).min_by_key(|item| item.position)
}

/// Formats the plan as a Markdown checklist (S2.17).
pub fn format_checklist(items: &[Item]) -> String {
    let line = |item: &Item| {
        let mark = match item.status {
            ItemStatus::Succeeded => "x",
            ItemStatus::Skipped => "-",
            ItemStatus::Queued | ItemStatus::Running | ItemStatus::Failed => " ",
        };
        let why = item.evidence.as_ref().map(|evidence| evidence.why.trim()).filter(|why| !why.is_empty());
        let why = why.map(|why| format!(" — {why}")).unwrap_or_default();
        let status = item.status.word();
        format!("- [{mark}] {}. {} ({status}){why}", item.position, one_line(&item.description))
    };
    items.iter().map(line).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use ItemStatus::{Failed, Queued, Running, Skipped, Succeeded};

    pub fn item(position: u32, dependencies: &[u32], status: ItemStatus) -> Item {
        Item {
            position,
            description: format!("goal {position}"),
            dependencies: dependencies.to_vec(),
            status,
            max_attempts: MAX_ATTEMPTS,
            ..Item::default()
        }
    }

    // An item that depends on a skipped or failed one is never next (S2.7, S2.18).
    #[test]
    fn the_next_item_is_chosen_by_position_and_dependencies() {
        let worn = Item { attempts: 3, ..item(1, &[], Failed) };
        let tried = Item { attempts: 2, ..item(1, &[], Failed) };
        for (items, expected, complete) in [
            (vec![item(2, &[], Queued), item(1, &[], Queued)], Some(1), false),
            (vec![item(1, &[2], Queued), item(2, &[], Queued)], Some(2), false),
            (vec![item(1, &[], Succeeded), item(2, &[1], Queued)], Some(2), false),
            (vec![item(1, &[], Skipped), item(2, &[1], Queued)], None, false),
            (vec![item(1, &[], Queued), item(2, &[], Running)], Some(1), false),
            (vec![tried, item(2, &[], Queued)], Some(1), false),
            (vec![worn.clone(), item(2, &[], Queued)], Some(2), false),
            (vec![worn, item(2, &[1], Queued)], None, false),
            (vec![item(1, &[9], Queued)], None, false),
            (vec![item(1, &[], Succeeded), item(2, &[], Skipped)], None, true),
            (vec![], None, true),
        ] {
            assert_eq!(next_item(&items).map(|item| item.position), expected, "{items:?}");
            assert_eq!(is_complete(&items), complete, "{items:?}");
        }
    }

    // Aliases and defaults are accepted, too (S2.1, C8).
    #[test]
    fn items_are_read_with_the_words_of_the_document() {
        let read: Item = serde_json::from_value(serde_json::json!({
            "position": 1, "description": "d", "acceptance_criteria": "a", "status": "PENDING",
        }))
        .unwrap();
        assert_eq!((read.status, read.attempts, read.max_attempts, read.chosen_tool), (Queued, 0, 3, None));
        for (word, status) in [("COMPLETED", Succeeded), ("FAILED", Failed), ("SKIPPED", Skipped)] {
            assert_eq!(serde_json::from_value::<ItemStatus>(serde_json::json!(word)).unwrap(), status);
        }
    }

    // The reason of the evidence follows the status (S2.17).
    #[test]
    fn a_plan_reads_as_a_checklist() {
        let judged = Evidence { why: String::from("the cart shows it"), ..Evidence::default() };
        let done = Item { evidence: Some(judged), ..item(1, &[], Succeeded) };
        let text = format_checklist(&[done, item(2, &[1], Skipped), item(3, &[], Queued)]);
        assert_eq!(
            text,
            "- [x] 1. goal 1 (succeeded) — the cart shows it\n- [-] 2. goal 2 (skipped)\n- [ ] 3. goal 3 (queued)"
        );
    }
}
