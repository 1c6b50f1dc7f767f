//! What an element stands by on the page text: the words of its row or list item, of the groups around
//! it, of what comes right before it, of the heading that it is under, and of what follows.

use crate::page::{Line, Observation};

/// Lines right before and after an element that are said to be beside it.
const BEFORE: usize = 6;
const AFTER: usize = 2;

/// Words beside an element; the lower the tier, the closer they belong to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Beside<'a> {
    pub tier: u8,
    pub words: &'a str,
}

/// All that the element at this line stands by. `twins` are the lines that look the same: what is on the
/// other side of one belongs to that one.
pub fn nearby<'a>(page: &'a Observation, at: usize, twins: &[usize]) -> Vec<Beside<'a>> {
    let lines = &page.lines;
    let from = twins.iter().filter(|twin| **twin < at).max().map_or(0, |twin| twin + 1);
    let to = twins.iter().filter(|twin| **twin > at).min().copied().unwrap_or(lines.len());
    let around = holders(lines, at);
    let mut found = Vec::new();
    let mut add = |tier: u8, index: usize| {
        let line = &lines[index];
        if index != at && !line.name.is_empty() && line.role != "note" && !twins.contains(&index) {
            found.push(Beside { tier, words: &line.name });
        }
    };
    if let Some(item) = around.iter().copied().find(|index| is_item(&lines[*index])) {
        let end = end_of(lines, item);
        add(0, item);
        (item.max(from)..end.min(to)).filter(|index| *index != item).for_each(|index| add(0, index));
    }
    around.iter().for_each(|index| add(1, *index));
    (from.max(at.saturating_sub(BEFORE))..at).rev().for_each(|index| add(2, index));
    if let Some(heading) = heading_over(lines, at) {
        add(3, heading);
    }
    let depth = lines[at].depth;
    let after = (at + 1..to).take_while(|index| lines[*index].depth >= depth);
    after.filter(|index| lines[*index].depth == depth).take(AFTER).for_each(|index| add(4, index));
    found
}

/// The lines that this one stands in, the innermost first.
pub fn holders(lines: &[Line], at: usize) -> Vec<usize> {
    let mut found = Vec::new();
    let mut depth = lines[at].depth;
    for index in (0..at).rev() {
        if lines[index].depth < depth {
            depth = lines[index].depth;
            found.push(index);
        }
    }
    found
}

/// The line after the last that stands in this one.
fn end_of(lines: &[Line], at: usize) -> usize {
    let deeper = lines[at + 1..].iter().take_while(|line| line.depth > lines[at].depth).count();
    at + 1 + deeper
}

/// The last heading before it that is not inside of something else.
fn heading_over(lines: &[Line], at: usize) -> Option<usize> {
    let mut depth = lines[at].depth;
    (0..at).rev().find(|index| {
        let line = &lines[*index];
        let over = line.role == "heading" && line.depth <= depth;
        depth = depth.min(line.depth);
        over
    })
}

/// One of several of its kind, with all that belongs to it.
fn is_item(line: &Line) -> bool {
    matches!(line.role.as_str(), "listitem" | "row" | "article" | "treeitem" | "figure" | "group")
}
