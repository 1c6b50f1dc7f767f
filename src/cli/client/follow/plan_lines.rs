//! The plan of a run on a terminal: the whole list when it is new or was replaced, then a line for each item
//! whose status changed.

use crate::cli::client::terminal_language::terminal;
use crate::ids::RunId;
use crate::plan::{Item, ItemStatus};
use crate::texts::terminal::{item_attempt, item_skipped};
use std::collections::HashMap;

#[derive(Debug, Default)]
pub struct PlanTracker(HashMap<RunId, Vec<Item>>);

/// A change worth a line.
#[derive(Clone, Debug, PartialEq)]
pub enum PlanChange {
    /// A plan of so many items; their lines follow.
    Whole(usize, Vec<String>),
    /// An item and its new status.
    One(ItemStatus, String),
    Gone,
}

impl PlanTracker {
    pub fn changes(&mut self, run: &RunId, items: Vec<Item>) -> Vec<PlanChange> {
        let changes = match self.0.get(run) {
            _ if items.is_empty() => vec![PlanChange::Gone],
            Some(old) if same_goals(old, &items) => changed_items(old, &items),
            Some(_) | None => vec![PlanChange::Whole(items.len(), items.iter().map(item_line).collect())],
        };
        let had_plan = self.0.insert(run.clone(), items).is_some_and(|old| !old.is_empty());
        if changes == [PlanChange::Gone] && !had_plan { Vec::new() } else { changes }
    }
}

fn same_goals(old: &[Item], new: &[Item]) -> bool {
    old.len() == new.len() && old.iter().zip(new).all(|(old, new)| old.description == new.description)
}

fn changed_items(old: &[Item], new: &[Item]) -> Vec<PlanChange> {
    old.iter().zip(new).filter_map(|(old, new)| changed_item(old, new)).collect()
}

fn changed_item(old: &Item, new: &Item) -> Option<PlanChange> {
    // An attempt that was not accepted is mostly repeated at once, so the status alone would hide it.
    if new.attempts > old.attempts && new.status != ItemStatus::Succeeded {
        return Some(PlanChange::One(ItemStatus::Failed, rejected_attempt(new)));
    }
    let worth = old.status != new.status && new.status != ItemStatus::Queued;
    worth.then(|| PlanChange::One(new.status, item_status(new)))
}

fn item_line(item: &Item) -> String {
    let mark = match item.status {
        ItemStatus::Queued => "[ ]",
        ItemStatus::Running => "[>]",
        ItemStatus::Succeeded => "[x]",
        ItemStatus::Failed => "[!]",
        ItemStatus::Skipped => "[-]",
    };
    format!("{mark} {}. {}", item.position, item.description)
}

/// Formats the item's position and description, with the evidence if it has ended.
fn item_status(item: &Item) -> String {
    let Item { position, description, .. } = item;
    let why = item.evidence.as_ref().map(|found| format!(": {}", found.why)).unwrap_or_default();
    match item.status {
        ItemStatus::Queued | ItemStatus::Running => format!("{position}. {description}"),
        ItemStatus::Succeeded => format!("{position}. {description}{why}"),
        ItemStatus::Failed => rejected_attempt(item),
        ItemStatus::Skipped => item_skipped(&format!("{position}. {description}"), terminal()),
    }
}

/// Formats an attempt that was not accepted, with the reason.
fn rejected_attempt(Item { position, description, attempts, max_attempts, evidence, .. }: &Item) -> String {
    let why = evidence.as_ref().map(|found| format!(": {}", found.why)).unwrap_or_default();
    let item = format!("{position}. {description}");
    let attempt = item_attempt(&item, *attempts, (*max_attempts).max(1), terminal());
    format!("{attempt}{why}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::Evidence;

    fn item(position: u32, description: &str, status: ItemStatus) -> Item {
        Item { position, description: description.to_owned(), status, max_attempts: 3, ..Item::default() }
    }

    // The plan is printed once, then only its changes (S2.1, S2.13).
    #[test]
    fn a_plan_is_printed_once_and_then_its_changes() {
        let (mut plans, run) = (PlanTracker::default(), RunId::from("r"));
        assert_eq!(plans.changes(&run, Vec::new()), []);
        let plan = || vec![item(1, "open", ItemStatus::Queued), item(2, "buy", ItemStatus::Queued)];
        let whole = vec![String::from("[ ] 1. open"), String::from("[ ] 2. buy")];
        assert_eq!(plans.changes(&run, plan()), [PlanChange::Whole(2, whole)]);
        let mut next = plan();
        next[0].status = ItemStatus::Succeeded;
        next[0].evidence =
            Some(Evidence { accepted: true, why: String::from("it is open"), ..Evidence::default() });
        next[1].status = ItemStatus::Running;
        assert_eq!(
            plans.changes(&run, next.clone()),
            [
                PlanChange::One(ItemStatus::Succeeded, String::from("1. open: it is open")),
                PlanChange::One(ItemStatus::Running, String::from("2. buy")),
            ]
        );
        assert_eq!(plans.changes(&run, next.clone()), []);
        (next[1].status, next[1].attempts) = (ItemStatus::Failed, 1);
        let failed = String::from("2. buy (attempt 1 of 3)");
        assert_eq!(plans.changes(&run, next.clone()), [PlanChange::One(ItemStatus::Failed, failed)]);
        let failed = String::from("2. buy (attempt 2 of 3): no lamp");
        next[1].evidence = Some(Evidence { why: String::from("no lamp"), ..Evidence::default() });
        (next[1].status, next[1].attempts) = (ItemStatus::Running, 2);
        assert_eq!(plans.changes(&run, next.clone()), [PlanChange::One(ItemStatus::Failed, failed)]);
        next[1].description = String::from("buy elsewhere");
        let whole = vec![String::from("[x] 1. open"), String::from("[>] 2. buy elsewhere")];
        assert_eq!(plans.changes(&run, next), [PlanChange::Whole(2, whole)]);
        assert_eq!(plans.changes(&run, Vec::new()), [PlanChange::Gone]);
    }
}
