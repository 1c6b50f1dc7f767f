//! Matching of the items of two lists: by id, else by the longest common subsequence of equal items.

use crate::page::request_body::changes::opaque_tokens::{is_bookkeeping, is_version};
use crate::page::request_body::changes::value_tree::{ValueChild, ValueTree};
use std::collections::{BTreeMap, HashMap, HashSet};

/// Names of ids of items.
const ID_KEYS: &[&str] = &[
    "id",
    "_id",
    "Id",
    "ID",
    "uid",
    "uuid",
    "guid",
    "key",
    "cell_id",
    "elementId",
    "itemId",
    "blockId",
    "nodeId",
    "taskId",
    "cardId",
    "productId",
    "product_id",
    "variantId",
    "sku",
    "email",
    "username",
    "userId",
    "user_id",
];
/// Largest table for the longest common subsequence.
const TABLE: usize = 4_000_000;

/// Items of two lists that belong together, by index.
#[derive(Debug, Default, PartialEq)]
pub struct MatchedItems {
    /// Items that stand for each other but may differ.
    pub pairs: Vec<(usize, usize)>,
    pub removed: Vec<usize>,
    pub added: Vec<usize>,
    /// True if items that both lists have stand in another order.
    pub is_reordered: bool,
}

/// Matches the items of two lists.
pub fn match_items(before: &[&ValueChild], now: &[&ValueChild]) -> MatchedItems {
    match ID_KEYS.iter().find_map(|key| Some((read_ids(before, key)?, read_ids(now, key)?))) {
        Some((old, new)) => match_ids(&old, &new),
        None => match_equal(before, now),
    }
}

/// Returns the id of each item; `None` unless each has one of its own.
fn read_ids<'a>(items: &[&'a ValueChild], key: &str) -> Option<Vec<&'a str>> {
    let ids: Option<Vec<&str>> =
        items.iter().map(|item| item.tree.child_text(key).filter(|id| !id.is_empty())).collect();
    let ids = ids?;
    let unique: HashSet<&str> = ids.iter().copied().collect();
    (unique.len() == ids.len()).then_some(ids)
}

fn match_ids(before: &[&str], now: &[&str]) -> MatchedItems {
    let places: HashMap<&str, usize> = before.iter().enumerate().map(|(index, id)| (*id, index)).collect();
    let mut found = MatchedItems::default();
    for (index, id) in now.iter().enumerate() {
        match places.get(id) {
            Some(place) => found.pairs.push((*place, index)),
            None => found.added.push(index),
        }
    }
    let kept: HashSet<&str> = now.iter().copied().collect();
    found.removed = (0..before.len()).filter(|index| !kept.contains(before[*index])).collect();
    found.is_reordered = !found.pairs.is_sorted_by_key(|(old, _)| *old);
    found
}

fn match_equal(before: &[&ValueChild], now: &[&ValueChild]) -> MatchedItems {
    let mut numbers: HashMap<String, usize> = HashMap::new();
    let mut number_items = |items: &[&ValueChild]| -> Vec<usize> {
        let mut number = |item: &&ValueChild| {
            let next = numbers.len();
            *numbers.entry(write_relevant(&item.tree)).or_insert(next)
        };
        items.iter().map(&mut number).collect()
    };
    let (old, new) = (number_items(before), number_items(now));
    let equal = common_subsequence(&old, &new);
    let mut found = MatchedItems::default();
    let (mut removed, mut added) = unmatched(&equal, old.len(), new.len());
    take_moved(&mut removed, &mut added, &old, &new, &mut found);
    pair_changed(&removed, &added, before, now, &mut found);
    found
}

/// Writes an item without what counts for nothing, for comparison with others.
pub fn write_relevant(tree: &ValueTree) -> String {
    let mut out = String::new();
    write_values(tree, &mut out);
    out
}

fn write_values(tree: &ValueTree, out: &mut String) {
    if let Some(value) = &tree.value {
        out.push_str(&format!("={:?}", value.value));
    }
    let is_stateful = is_record(tree);
    for child in &tree.children {
        let counts = child.tree.value.as_ref().is_none_or(|leaf| {
            !is_bookkeeping(&leaf.name, &leaf.value, &leaf.value)
                && !is_version(&leaf.name, &leaf.value, is_stateful)
        });
        if counts {
            out.push_str(&format!("{:?}(", child.key));
            write_values(&child.tree, out);
            out.push(')');
        }
    }
}

/// Reports whether an object is a record with an id or many values, of which a version is one of bookkeeping.
pub fn is_record(tree: &ValueTree) -> bool {
    const MANY: usize = 6;
    tree.children.len() >= MANY && ID_KEYS.iter().any(|key| tree.child_text(key).is_some())
        || tree.children.len() >= 2 * MANY
}

/// Returns the pairs of a longest common subsequence. Of lists that are too long for the table, only the common
/// beginning and end are found.
fn common_subsequence(old: &[usize], new: &[usize]) -> Vec<(usize, usize)> {
    let start = old.iter().zip(new).take_while(|(one, other)| one == other).count();
    let (old_rest, new_rest) = (&old[start..], &new[start..]);
    let end =
        old_rest.iter().rev().zip(new_rest.iter().rev()).take_while(|(one, other)| one == other).count();
    let (rows, columns) = (old_rest.len() - end, new_rest.len() - end);
    let mut found: Vec<(usize, usize)> = (0..start).map(|index| (index, index)).collect();
    if rows.saturating_mul(columns) <= TABLE {
        let middle = walk_table(&old_rest[..rows], &new_rest[..columns]);
        found.extend(middle.into_iter().map(|(row, column)| (start + row, start + column)));
    }
    found.extend((0..end).map(|index| (start + rows + index, start + columns + index)));
    found
}

fn walk_table(old: &[usize], new: &[usize]) -> Vec<(usize, usize)> {
    let width = new.len() + 1;
    let mut lengths = vec![0_u32; (old.len() + 1) * width];
    for row in (0..old.len()).rev() {
        for column in (0..new.len()).rev() {
            lengths[row * width + column] = if old[row] == new[column] {
                lengths[(row + 1) * width + column + 1] + 1
            } else {
                lengths[(row + 1) * width + column].max(lengths[row * width + column + 1])
            };
        }
    }
    let (mut row, mut column, mut found) = (0, 0, Vec::new());
    while row < old.len() && column < new.len() {
        if old[row] == new[column] {
            found.push((row, column));
            (row, column) = (row + 1, column + 1);
        } else if lengths[(row + 1) * width + column] >= lengths[row * width + column + 1] {
            row += 1;
        } else {
            column += 1;
        }
    }
    found
}

/// Item without an equal one, and the number of the gap between equal items in which it stands.
type GapItem = (usize, usize);

fn unmatched(equal: &[(usize, usize)], old: usize, new: usize) -> (Vec<GapItem>, Vec<GapItem>) {
    let collect = |matched: Vec<usize>, most: usize| {
        let mut gap = 0;
        let mut found = Vec::new();
        for index in 0..most {
            if matched.get(gap) == Some(&index) {
                gap += 1;
            } else {
                found.push((gap, index));
            }
        }
        found
    };
    let (rows, columns) = equal.iter().copied().unzip();
    (collect(rows, old), collect(columns, new))
}

/// Takes out items that stand elsewhere unchanged.
fn take_moved(
    removed: &mut Vec<GapItem>,
    added: &mut Vec<GapItem>,
    old: &[usize],
    new: &[usize],
    found: &mut MatchedItems,
) {
    let mut spare: HashMap<usize, usize> = HashMap::new();
    removed.iter().for_each(|(_, index)| *spare.entry(old[*index]).or_default() += 1);
    let mut moved: HashMap<usize, usize> = HashMap::new();
    added.retain(|(_, index)| match spare.get_mut(&new[*index]).filter(|count| **count > 0) {
        Some(count) => {
            *count -= 1;
            *moved.entry(new[*index]).or_default() += 1;
            false
        }
        None => true,
    });
    found.is_reordered = !moved.is_empty();
    removed.retain(|(_, index)| match moved.get_mut(&old[*index]).filter(|count| **count > 0) {
        Some(count) => {
            *count -= 1;
            false
        }
        None => true,
    });
}

/// Pairs changed items of the same gap: one by one if there are as many before as now, else by likeness.
fn pair_changed(
    removed: &[GapItem],
    added: &[GapItem],
    before: &[&ValueChild],
    now: &[&ValueChild],
    found: &mut MatchedItems,
) {
    let mut gaps: BTreeMap<usize, (Vec<usize>, Vec<usize>)> = BTreeMap::new();
    removed.iter().for_each(|(gap, index)| gaps.entry(*gap).or_default().0.push(*index));
    added.iter().for_each(|(gap, index)| gaps.entry(*gap).or_default().1.push(*index));
    for (mut old, new) in gaps.into_values() {
        if old.len() == new.len() {
            found.pairs.extend(old.into_iter().zip(new));
            continue;
        }
        for index in new {
            match find_alike(&old, before, &now[index].tree) {
                Some(place) => found.pairs.push((old.remove(place), index)),
                None => found.added.push(index),
            }
        }
        found.removed.extend(old);
    }
}

/// Returns the place of the first object that has at least half of the values of another.
fn find_alike(candidates: &[usize], before: &[&ValueChild], item: &ValueTree) -> Option<usize> {
    const LOOKED_AT: usize = 12;
    let values = |tree: &ValueTree| tree.children.iter().filter(|child| child.tree.value.is_some()).count();
    let wanted = values(item);
    candidates.iter().take(LOOKED_AT).position(|candidate| {
        let shared = count_shared(&before[*candidate].tree, item);
        shared > 0 && shared * 2 >= wanted
    })
}

fn count_shared(one: &ValueTree, other: &ValueTree) -> usize {
    let is_shared = |child: &&ValueChild| {
        let same = one.find_child(&child.key).and_then(|same| same.value.as_ref());
        child.tree.value.as_ref().is_some_and(|value| same.is_some_and(|same| same.value == value.value))
    };
    other.children.iter().filter(is_shared).count()
}
