//! Text near an element on the page: of its row or list item, of surrounding groups, of the lines before it,
//! of its heading, and of the lines after it.

use crate::page::observation::{Line, Observation};

/// Lines before and after an element that count as near it.
const BEFORE: usize = 6;
const AFTER: usize = 2;

/// Text near an element. A lower tier is closer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NearbyText<'a> {
    pub tier: u8,
    pub words: &'a str,
}

/// Returns the text near the element at this line. `twins` are similar lines: text beyond a twin belongs to
/// the twin.
pub fn nearby<'a>(page: &'a Observation, at: usize, twins: &[usize]) -> Vec<NearbyText<'a>> {
    let lines = &page.lines;
    let from = twins.iter().filter(|twin| **twin < at).max().map_or(0, |twin| twin + 1);
    let to = twins.iter().filter(|twin| **twin > at).min().copied().unwrap_or(lines.len());
    let around = ancestors(lines, at);
    let mut found = Vec::new();
    let mut add = |tier: u8, index: usize| {
        let line = &lines[index];
        if index != at && !line.name.is_empty() && line.role != "note" && !twins.contains(&index) {
            found.push(NearbyText { tier, words: &line.name });
        }
    };
    if let Some(item) = around.iter().copied().find(|index| is_item(&lines[*index])) {
        let end = find_end(lines, item);
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

/// Returns the lines that contain this one, innermost first.
pub fn ancestors(lines: &[Line], at: usize) -> Vec<usize> {
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

/// Returns the index after the last line that this one contains.
fn find_end(lines: &[Line], at: usize) -> usize {
    let deeper = lines[at + 1..].iter().take_while(|line| line.depth > lines[at].depth).count();
    at + 1 + deeper
}

/// Returns the last heading before the line that is not inside another container.
fn heading_over(lines: &[Line], at: usize) -> Option<usize> {
    let mut depth = lines[at].depth;
    (0..at).rev().find(|index| {
        let line = &lines[*index];
        let over = line.role == "heading" && line.depth <= depth;
        depth = depth.min(line.depth);
        over
    })
}

/// True for a list item or similar, with all that it contains.
fn is_item(line: &Line) -> bool {
    matches!(line.role.as_str(), "listitem" | "row" | "article" | "treeitem" | "figure" | "group")
}
