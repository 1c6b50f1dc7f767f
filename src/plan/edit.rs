//! Changes of a plan: an edit by the person, or a new plan for the open items. Finished items stay as they
//! are, with their evidence. Pure.

use crate::plan::{Item, ItemStatus};
use crate::text::invisible_chars;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, BTreeSet};

/// Limits of a plan: open items, and characters of one text of an item. The page has the same limit for
/// texts.
const MAX_OPEN_ITEMS: usize = 50;
const MAX_TEXT_CHARS: usize = 1_000;

/// A person's edit of a plan.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Edit {
    /// Hash of the goals that the edit was made from (`goals`). The positions in `items` refer to them.
    pub of: String,
    pub items: Vec<Wanted>,
}

/// An item of an edited plan.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Wanted {
    /// The current position; `None` for a new item.
    pub position: Option<u32>,
    pub description: String,
    pub acceptance_criteria: String,
    /// Positions in the edited list, from 1, so that new items can be named too.
    pub dependencies: Vec<u32>,
    /// True if the item is to be skipped. It then counts as finished.
    pub skip: bool,
}

/// The reason why an edit cannot be applied.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EditError {
    #[error("the plan has changed in the meantime; read it again")]
    Another,
    #[error("a plan has at most {MAX_OPEN_ITEMS} open items")]
    TooMany,
    #[error("item {0} has no description, or one of more than {MAX_TEXT_CHARS} characters")]
    Text(usize),
    #[error("item {0} has words that cannot be seen, or control characters")]
    Unseen(usize),
    #[error("the plan no longer has item {0}; read it again")]
    Unknown(u32),
    #[error("item {0} appears twice in the list")]
    Twice(u32),
    #[error("item {0} is done and cannot be changed")]
    Done(u32),
    #[error("item {0} waits for itself through the items it depends on")]
    Cycle(u32),
    #[error("item {item} depends on {on}, which is not in the list")]
    NoSuch { item: u32, on: u32 },
}

impl Edit {
    /// Creates an edit of this version of a plan.
    pub fn new(plan: &[Item], items: Vec<Wanted>) -> Self {
        Self { of: hash_goals(plan), items }
    }

    /// Returns the edited plan. Fails if the goals are no longer those that the edit was made from.
    pub fn apply_to(&self, plan: &[Item], attempts: u32) -> Result<Vec<Item>, EditError> {
        if self.of != hash_goals(plan) {
            return Err(EditError::Another);
        }
        apply_edit(plan, &self.items, attempts)
    }

    /// Returns the position that an item has after the edit; `None` if it was removed.
    pub fn new_position(&self, position: u32) -> Option<u32> {
        (1..)
            .zip(&self.items)
            .find_map(|(new_position, want)| (want.position == Some(position)).then_some(new_position))
    }
}

impl Wanted {
    fn is_long(&self) -> bool {
        self.description.trim().chars().count() > MAX_TEXT_CHARS
            || self.acceptance_criteria.chars().count() > MAX_TEXT_CHARS
    }

    /// Reports whether a text has invisible or control characters, which nobody could knowingly agree to. The
    /// criteria may be empty.
    fn has_invisible_text(&self) -> bool {
        let criteria = self.acceptance_criteria.trim();
        !invisible_chars::is_safe_text(&self.description)
            || !criteria.is_empty() && !invisible_chars::is_safe_text(criteria)
    }

    /// Reports whether the texts are the same except for surrounding white space, which a model may have
    /// written.
    fn has_same_texts(&self, item: &Item) -> bool {
        let same = |one: &str, other: &str| one.trim() == other.trim();
        same(&self.description, &item.description)
            && same(&self.acceptance_criteria, &item.acceptance_criteria)
    }
}

/// Applies an edit: open items are reworded, moved, added and removed; finished items stay unchanged,
/// wherever the list has them. A reworded item starts anew.
pub fn apply_edit(items: &[Item], wanted: &[Wanted], attempts: u32) -> Result<Vec<Item>, EditError> {
    let finished = items.iter().filter(|item| item.status.is_over()).count();
    if wanted.len().saturating_sub(finished) > MAX_OPEN_ITEMS {
        return Err(EditError::TooMany);
    }
    let mut used_positions = BTreeSet::new();
    let mut edited: Vec<Item> = Vec::new();
    let new_positions: BTreeMap<u32, u32> = wanted
        .iter()
        .zip(1..)
        .filter_map(|(want, new_position)| Some((want.position?, new_position)))
        .collect();
    for (index, want) in wanted.iter().enumerate() {
        edited.push(edit_item(items, want, index, attempts, &mut used_positions, &new_positions)?);
    }
    if let Some(missing) =
        items.iter().find(|item| item.status.is_over() && !used_positions.contains(&item.position))
    {
        return Err(EditError::Done(missing.position));
    }
    renumber_items(edited)
}

fn edit_item(
    items: &[Item],
    want: &Wanted,
    index: usize,
    attempts: u32,
    used_positions: &mut BTreeSet<u32>,
    new_positions: &BTreeMap<u32, u32>,
) -> Result<Item, EditError> {
    let text = want.description.trim();
    let old = want.position.and_then(|position| items.iter().find(|item| item.position == position));
    check_texts(want, old, index + 1)?;
    let new_item = Item {
        description: text.to_owned(),
        acceptance_criteria: want.acceptance_criteria.trim().to_owned(),
        dependencies: want.dependencies.clone(),
        status: if want.skip { ItemStatus::Skipped } else { ItemStatus::Queued },
        max_attempts: attempts,
        ..Item::default()
    };
    let Some(position) = want.position else { return Ok(new_item) };
    if !used_positions.insert(position) {
        return Err(EditError::Twice(position));
    }
    let old = old.ok_or(EditError::Unknown(position))?;
    match (old.status.is_over(), want.has_same_texts(old)) {
        (true, true) => Ok(move_finished_item(old, new_positions)),
        (true, false) => Err(EditError::Done(position)),
        (false, true) if !want.skip => {
            let failed = old.status == ItemStatus::Failed;
            let (status, attempts) =
                if failed { (ItemStatus::Queued, 0) } else { (old.status, old.attempts) };
            Ok(Item { dependencies: new_item.dependencies, status, attempts, ..old.clone() })
        }
        (false, true | false) => Ok(new_item),
    }
}

/// Checks the texts of an item. Length is not checked for finished items, and invisible characters are not
/// checked for unchanged ones, because the person did not write those.
fn check_texts(want: &Wanted, old: Option<&Item>, position: usize) -> Result<(), EditError> {
    let is_limited = !old.is_some_and(|old| old.status.is_over());
    if want.description.trim().is_empty() || (is_limited && want.is_long()) {
        return Err(EditError::Text(position));
    }
    if want.has_invisible_text() && !old.is_some_and(|old| want.has_same_texts(old)) {
        return Err(EditError::Unseen(position));
    }
    Ok(())
}

/// Moves a finished item: its dependencies get their new positions, and removed ones are dropped.
fn move_finished_item(old: &Item, new_positions: &BTreeMap<u32, u32>) -> Item {
    let on = old.dependencies.iter().filter_map(|on| new_positions.get(on).copied());
    Item { dependencies: on.collect(), ..old.clone() }
}

/// Numbers the items by their position in the list, to which their dependencies already refer.
fn renumber_items(mut items: Vec<Item>) -> Result<Vec<Item>, EditError> {
    let last = u32::try_from(items.len()).unwrap_or(u32::MAX);
    for (item, new_position) in items.iter_mut().zip(1..) {
        item.position = new_position;
        item.dependencies.sort_unstable();
        item.dependencies.dedup();
        if let Some(on) = item.dependencies.iter().find(|on| **on == 0 || **on > last) {
            return Err(EditError::NoSuch { item: new_position, on: *on });
        }
    }
    match find_cycle(&items) {
        Some(position) => Err(EditError::Cycle(position)),
        None => Ok(items),
    }
}

/// Returns a hash of everything in a plan that a person sees and could change.
pub fn hash_editable(items: &[Item]) -> String {
    hash_items(items.iter().map(|item| {
        let is_over = item.status.is_over();
        json!([item.position, item.description, item.acceptance_criteria, item.dependencies, is_over])
    }))
}

/// Returns a hash of the goals, without their status, so that an edit stays valid while the work on them goes
/// on.
pub fn hash_goals(items: &[Item]) -> String {
    hash_items(
        items.iter().map(|item| {
            json!([item.position, item.description, item.acceptance_criteria, item.dependencies])
        }),
    )
}

fn hash_items(parts: impl Iterator<Item = Value>) -> String {
    let mut hash = Sha256::new();
    parts.for_each(|item| hash.update(item.to_string()));
    hash.finalize()[..8].iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Cleans and shortens a text to what a person could have written in an item.
pub fn clean_text(text: &str) -> String {
    let text = invisible_chars::strip_display_controls(text);
    match text.char_indices().nth(MAX_TEXT_CHARS) {
        Some(_) => format!("{}…", text.chars().take(MAX_TEXT_CHARS - 1).collect::<String>().trim_end()),
        None => text,
    }
}

/// Replaces the open items of a plan by at most `MAX_OPEN_ITEMS` of `new_items`; finished items stay.
/// Dependencies of `new_items` refer to positions in `new_items`. Those on finished items, which are met, on
/// later items and on unknown positions are dropped.
pub fn replace_open_items(items: &[Item], new_items: Vec<Item>, attempts: u32) -> Vec<Item> {
    let mut result: Vec<Item> = items.iter().filter(|item| item.status.is_over()).cloned().collect();
    let renamed: BTreeMap<u32, u32> = result.iter().map(|item| item.position).zip(1..).collect();
    for (item, position) in result.iter_mut().zip(1..) {
        item.position = position;
        item.dependencies = item.dependencies.iter().filter_map(|on| renamed.get(on).copied()).collect();
    }
    let before = u32::try_from(result.len()).unwrap_or(u32::MAX);
    let mut open_items: Vec<Item> = new_items.into_iter().take(MAX_OPEN_ITEMS).collect();
    // The order in the list counts instead if a model wrote a position 0 or the same position twice.
    let positions: Vec<u32> = open_items.iter().map(|item| item.position).collect();
    let by_list_order = !positions
        .iter()
        .enumerate()
        .all(|(index, position)| positions[..index].iter().all(|o| o != position))
        || positions.contains(&0);
    let new_positions: BTreeMap<u32, u32> =
        (1..).zip(&positions).map(|(n, old)| (if by_list_order { n } else { *old }, before + n)).collect();
    for (item, n) in open_items.iter_mut().zip(1..) {
        let position = before + n;
        let on = item
            .dependencies
            .iter()
            .filter_map(|on| new_positions.get(on).copied().filter(|on| *on < position));
        let on: Vec<u32> = on.collect();
        *item = Item {
            position,
            dependencies: on,
            status: ItemStatus::Queued,
            attempts: 0,
            max_attempts: attempts,
            chosen_tool: None,
            tool_input: None,
            execution_result: None,
            evidence: None,
            ..std::mem::take(item)
        };
    }
    result.extend(open_items);
    result
}

fn find_cycle(items: &[Item]) -> Option<u32> {
    let mut open: BTreeMap<u32, BTreeSet<u32>> =
        items.iter().map(|item| (item.position, item.dependencies.iter().copied().collect())).collect();
    while let Some(free) = open.iter().find(|(_, on)| on.is_empty()).map(|(position, _)| *position) {
        open.remove(&free);
        for on in open.values_mut() {
            on.remove(&free);
        }
    }
    open.keys().next().copied()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::{Evidence, next_item};
    use proptest::prelude::{Just, Strategy};

    fn done(position: u32) -> Item {
        Item {
            position,
            description: format!("goal {position}"),
            status: ItemStatus::Succeeded,
            evidence: Some(Evidence::default()),
            max_attempts: 3,
            ..Item::default()
        }
    }

    fn open(position: u32, dependencies: &[u32]) -> Item {
        Item {
            status: ItemStatus::Running,
            dependencies: dependencies.to_vec(),
            evidence: None,
            attempts: 2,
            ..done(position)
        }
    }

    fn want(position: Option<u32>, description: &str, dependencies: &[u32]) -> Wanted {
        Wanted {
            position,
            description: description.to_owned(),
            dependencies: dependencies.to_vec(),
            ..Wanted::default()
        }
    }

    // A person adds, removes, moves and rewords open items, and changes nothing that is done (S2.1).
    #[test]
    fn a_person_rewrites_what_is_open() {
        let items = [done(1), open(2, &[1]), open(3, &[2])];
        let wanted = [
            want(Some(1), "goal 1", &[]),
            want(Some(3), "goal 3", &[1]),
            want(None, "between", &[2]),
            want(Some(2), "goal two", &[]),
        ];
        let edited = apply_edit(&items, &wanted, 3).unwrap();
        let lines: Vec<_> =
            edited.iter().map(|item| (item.position, &*item.description, &*item.dependencies)).collect();
        let expected: Vec<(u32, &str, &[u32])> =
            vec![(1, "goal 1", &[]), (2, "goal 3", &[1]), (3, "between", &[2]), (4, "goal two", &[])];
        assert_eq!(lines, expected);
        assert!(edited[0].evidence.is_some() && edited[0].status == ItemStatus::Succeeded);
        assert_eq!((edited[1].attempts, edited[3].attempts), (2, 0), "only what was reworded begins anew");
        for (wanted, fault) in [
            (vec![want(Some(2), "goal 2", &[])], EditError::Done(1)),
            (vec![want(Some(1), "another", &[])], EditError::Done(1)),
            (vec![want(Some(1), "goal 1", &[]), want(Some(1), "goal 1", &[])], EditError::Twice(1)),
            (vec![want(Some(7), "x", &[])], EditError::Unknown(7)),
            (vec![want(Some(1), " ", &[])], EditError::Text(1)),
            (
                vec![want(Some(1), "goal 1", &[]), want(Some(2), "goal 2", &[9])],
                EditError::NoSuch { item: 2, on: 9 },
            ),
            (
                vec![
                    want(Some(1), "goal 1", &[]),
                    want(Some(2), "goal 2", &[3]),
                    want(Some(3), "goal 3", &[2]),
                ],
                EditError::Cycle(2),
            ),
        ] {
            assert_eq!(super::apply_edit(&items, &wanted, 3), Err(fault), "{wanted:?}");
        }
    }

    // A text that cannot be changed must not block an edit of the rest.
    #[test]
    fn limits_of_a_plan_count_open_items_only() {
        let long = "x".repeat(MAX_TEXT_CHARS + 1);
        let mut items: Vec<Item> = (1..=50).map(done).collect();
        items[0].description = long.clone();
        items.push(open(51, &[]));
        let mut wanted: Vec<Wanted> =
            items.iter().map(|item| want(Some(item.position), &item.description, &[])).collect();
        wanted[50].description = String::from("reworded");
        assert_eq!(apply_edit(&items, &wanted, 3).map(|items| items.len()), Ok(51));
        wanted[50].description = clean_text(&long);
        assert_eq!(apply_edit(&items, &wanted, 3).map(|items| items.len()), Ok(51));
        wanted[50].description = long;
        assert_eq!(apply_edit(&items, &wanted, 3), Err(EditError::Text(51)));
    }

    // An edit stays valid for its goals, however far they have come, and for no others.
    #[test]
    fn an_edit_applies_to_the_version_it_was_made_from() {
        let edit = Edit::new(&[open(1, &[]), open(2, &[])], vec![want(Some(1), "goal 1", &[])]);
        assert_eq!(edit.apply_to(&[done(1), open(2, &[])], 3).map(|items| items.len()), Ok(1));
        let mut others = [open(1, &[]), open(2, &[])];
        others[1].description = String::from("another");
        assert_eq!(edit.apply_to(&others, 3), Err(EditError::Another));
        assert_eq!(edit.apply_to(&[open(1, &[]), done(2)], 3), Err(EditError::Done(2)));
    }

    #[test]
    fn the_version_of_a_plan_changes_with_its_editable_parts() {
        let plan = || vec![done(1), open(2, &[1])];
        let mut tried = plan();
        (tried[1].attempts, tried[1].status) = (3, ItemStatus::Failed);
        assert_eq!(hash_editable(&plan()), hash_editable(&tried));
        let mut over = plan();
        over[1].status = ItemStatus::Succeeded;
        let mut worded = plan();
        worded[1].acceptance_criteria = String::from("a number is shown");
        assert_ne!(hash_editable(&plan()), hash_editable(&over));
        assert_ne!(hash_editable(&plan()), hash_editable(&worded));
    }

    // Finished items stay, with their evidence; open ones are replaced, also if the model numbers them badly
    // (S2.13).
    #[test]
    fn a_new_plan_replaces_the_open_items() {
        let items = [open(1, &[]), done(2), open(3, &[])];
        let fresh = |position, dependencies: &[u32]| Item {
            status: ItemStatus::Succeeded,
            ..open(position, dependencies)
        };
        let plan = replace_open_items(&items, vec![fresh(1, &[]), fresh(2, &[1, 2, 9])], 3);
        let shape: Vec<_> =
            plan.iter().map(|item| (item.position, item.status, item.dependencies.clone())).collect();
        assert_eq!(
            shape,
            [
                (1, ItemStatus::Succeeded, vec![]),
                (2, ItemStatus::Queued, vec![]),
                (3, ItemStatus::Queued, vec![2]),
            ]
        );
        assert!(plan[1].attempts == 0 && plan[0].evidence.is_some());
        let same = replace_open_items(&[], vec![fresh(0, &[]), fresh(0, &[1])], 3);
        assert_eq!(same.iter().map(|item| item.dependencies.clone()).collect::<Vec<_>>(), [vec![], vec![1]]);
    }

    // New texts must be visible; an unchanged text of a model does not block an edit (S2.1).
    #[test]
    fn invisible_text_is_no_goal() {
        let items = [Item { description: String::from("a\0"), ..open(1, &[]) }];
        let untouched = want(Some(1), "a\0", &[]);
        for (description, criteria, fits) in [
            ("купи\n\tлампу", "", true),
            ("a", "it is\nthere", true),
            ("\u{200b}", "", false),
            ("a\0\u{1b}[2J", "", false),
            ("a\u{202e}b", "", false),
            ("a", "\u{200b}", false),
            ("a", "\u{1b}[2J", false),
        ] {
            let new = Wanted { acceptance_criteria: criteria.to_owned(), ..want(None, description, &[]) };
            let edited = apply_edit(&items, &[untouched.clone(), new], 3);
            assert_eq!(edited.err(), (!fits).then_some(EditError::Unseen(2)), "{description:?} {criteria:?}");
        }
        assert_eq!(clean_text("a\0\u{202e}b"), "ab");
    }

    // Finished items may stand anywhere in the list and keep their dependencies (S2.1).
    #[test]
    fn finished_items_keep_their_dependencies_when_they_move() {
        let two = Item { dependencies: vec![1], description: String::from(" goal 2\n"), ..done(2) };
        let items = [done(1), two, open(3, &[2]), open(4, &[])];
        let wanted = [
            want(Some(2), "goal 2", &[2]),
            want(Some(1), "goal 1", &[]),
            want(Some(3), "goal 3", &[1]),
            want(Some(4), "goal 4", &[]),
        ];
        let edited = apply_edit(&items, &wanted, 3).unwrap();
        let on: Vec<&[u32]> = edited.iter().map(|item| &*item.dependencies).collect();
        assert_eq!(on, [&[2][..], &[], &[1], &[]]);
        let left_out = Item { status: ItemStatus::Skipped, dependencies: vec![2], evidence: None, ..done(1) };
        let alone = super::apply_edit(&[left_out, open(2, &[])], &[want(Some(1), "goal 1", &[])], 3).unwrap();
        assert!(alone[0].dependencies.is_empty(), "what it waited for was removed");
    }

    proptest::proptest! {
        // The same items in another order, each with its dependencies, are the same plan (S2.1).
        #[test]
        fn a_plan_in_another_order_is_accepted_and_means_the_same(
            (list, order) in (1usize..8).prop_flat_map(|n| {
                let on = proptest::collection::vec(proptest::bool::ANY, n);
                let list = proptest::collection::vec((0usize..4, on), n);
                (list, Just((0..n).collect::<Vec<_>>()).prop_shuffle())
            })
        ) {
            let statuses =
                [ItemStatus::Queued, ItemStatus::Running, ItemStatus::Succeeded, ItemStatus::Skipped];
            let number = |index: usize| u32::try_from(index + 1).unwrap();
            let items: Vec<Item> = list.iter().enumerate().map(|(index, (status, on))| Item {
                status: statuses[*status],
                dependencies: (0..index).filter(|on_index| on[*on_index]).map(number).collect(),
                ..done(number(index))
            }).collect();
            let place = |old: u32| {
                number(order.iter().position(|index| number(*index) == old).unwrap())
            };
            let moved = |item: &Item| -> BTreeSet<u32> { item.dependencies.iter().map(|on| place(*on)).collect() };
            let wanted: Vec<Wanted> = order.iter().map(|index| {
                let on: Vec<u32> = moved(&items[*index]).into_iter().collect();
                want(Some(number(*index)), &items[*index].description, &on)
            }).collect();
            let edited = super::apply_edit(&items, &wanted, 3).unwrap();
            for (item, index) in edited.iter().zip(&order) {
                let old = &items[*index];
                let expected =
                    Item { position: item.position, dependencies: moved(old).into_iter().collect(), ..old.clone() };
                proptest::prop_assert_eq!(item, &expected);
            }
            proptest::prop_assert_eq!(next_item(&edited).is_some(), next_item(&items).is_some());
        }

        // A new plan has an item that can be worked on, no matter what a model wrote (S2.7).
        #[test]
        fn a_new_plan_is_never_stuck(
            list in proptest::collection::vec((0u32..6, proptest::collection::vec(0u32..6, 0..4)), 1..6)
        ) {
            let fresh = list.iter().map(|(position, on)| open(*position, on)).collect();
            let mut plan = replace_open_items(&[done(1)], fresh, 3);
            for _ in 0..plan.len() {
                let Some(position) = next_item(&plan).map(|item| item.position) else { break };
                plan[position as usize - 1].status = ItemStatus::Succeeded;
            }
            proptest::prop_assert!(crate::plan::is_complete(&plan));
        }
    }
}
