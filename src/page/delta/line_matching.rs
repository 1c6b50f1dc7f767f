//! Matching of the lines of two observations under one parent.

use crate::page::delta::line_tree::{LineIdentity, LineTree};

/// Maximum number of pairs to compare between two lists of siblings; beyond it the whole page text is shown
/// instead.
const MOST_PAIRS: usize = 1_000_000;

/// Returns the pairs of siblings that are the same, in order; `None` if there are too many to compare.
pub(crate) fn pairs(
    old: &LineTree,
    was: &[usize],
    new: &LineTree,
    is: &[usize],
) -> Option<Vec<(usize, usize)>> {
    let equal = |at: &usize, new_at: &usize| old.hashes[*at] == new.hashes[*new_at];
    let head = was.iter().zip(is).take_while(|(at, new_at)| equal(at, new_at)).count();
    let tail = was[head..].iter().rev().zip(is[head..].iter().rev());
    let tail = tail.take_while(|(at, new_at)| equal(at, new_at)).count();
    let (was_end, is_end) = (was.len() - tail, is.len() - tail);
    let same: Vec<LineIdentity> = was[head..was_end].iter().map(|&node| old.same(node)).collect();
    let now: Vec<LineIdentity> = is[head..is_end].iter().map(|&node| new.same(node)).collect();
    let mut found: Vec<(usize, usize)> = (0..head).map(|at| (at, at)).collect();
    let (mut at, mut new_at) = (head, head);
    let common = longest_common(&same, &now)?.into_iter().map(|(one, other)| (one + head, other + head));
    for (next, other) in common.chain([(was_end, is_end)]) {
        // Between two matches: containers of which only the content differs.
        for (rest, &came) in (new_at..other).zip(&is[new_at..other]) {
            let alike = |at: &usize| same_container(old, was[*at], new, came);
            if let Some(one) = (at..next).find(alike) {
                found.push((one, rest));
                at = one + 1;
            }
        }
        found.push((next, other));
        (at, new_at) = (next + 1, other + 1);
    }
    found.pop();
    found.extend((0..tail).map(|back| (was_end + back, is_end + back)));
    Some(found)
}

/// Reports whether both lines are containers without an element id that read the same by themselves.
fn same_container(old: &LineTree, one: usize, new: &LineTree, other: usize) -> bool {
    let holder = |side: &LineTree, node: usize| side.eid(node).is_none() && !side.children[node].is_empty();
    holder(old, one) && holder(new, other) && old.compared_words(one) == new.compared_words(other)
}

fn longest_common(one: &[LineIdentity], other: &[LineIdentity]) -> Option<Vec<(usize, usize)>> {
    let width = other.len() + 1;
    if one.len().saturating_mul(other.len()) > MOST_PAIRS {
        return None;
    }
    // Lengths of the longest common subsequences of the suffixes from each two positions.
    let mut common = vec![0u32; (one.len() + 1) * width];
    for at in (0..one.len()).rev() {
        for new_at in (0..other.len()).rev() {
            common[at * width + new_at] = if one[at] == other[new_at] {
                common[(at + 1) * width + new_at + 1] + 1
            } else {
                common[(at + 1) * width + new_at].max(common[at * width + new_at + 1])
            };
        }
    }
    let (mut at, mut new_at, mut found) = (0, 0, Vec::new());
    while at < one.len() && new_at < other.len() {
        if one[at] == other[new_at] {
            found.push((at, new_at));
            (at, new_at) = (at + 1, new_at + 1);
        } else if common[(at + 1) * width + new_at] >= common[at * width + new_at + 1] {
            at += 1;
        } else {
            new_at += 1;
        }
    }
    Some(found)
}
