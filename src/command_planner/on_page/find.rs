//! Finds the element that a command names, by its accessible name and by the intended action. Of equal
//! candidates, one in the viewport wins, then the first on the page.

use crate::command_planner::grammar::command::ElementRef;
use crate::page::observation::{Line, Observation};
use crate::text::likeness::{NameMatch, match_name, nearness};
use std::cmp::Reverse;

/// Action that a command intends with an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ElementUse {
    Click,
    Type,
    Select,
    Check,
    /// Upload a file: a file field, or an element that opens a file chooser.
    Upload,
    Any,
}

/// Result of a search by name.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum FindResult<'a> {
    One(&'a Line, NameMatch),
    /// Found, but disabled at the moment.
    Disabled(&'a Line),
    Nothing,
}

impl ElementUse {
    /// Rates the role for the action, 1 or 0; `None` if the action is impossible.
    fn suits(self, line: &Line) -> Option<u8> {
        let role = line.role.as_str();
        let strong = match self {
            Self::Click => matches!(
                role,
                "button"
                    | "link"
                    | "tab"
                    | "menuitem"
                    | "checkbox"
                    | "radio"
                    | "option"
                    | "switch"
                    | "summary"
                    | "treeitem"
                    | "menuitemcheckbox"
                    | "menuitemradio"
            ),
            Self::Type if is_editable(line) => true,
            Self::Select if matches!(role, "combobox" | "listbox") => true,
            Self::Check if matches!(role, "checkbox" | "switch" | "menuitemcheckbox") => true,
            Self::Check if matches!(role, "radio" | "menuitemradio" | "option") => false,
            Self::Upload if role == "file" => true,
            Self::Upload if matches!(role, "button" | "link" | "summary" | "menuitem") => false,
            Self::Type | Self::Select | Self::Check | Self::Upload => return None,
            Self::Any => true,
        };
        Some(u8::from(strong))
    }
}

/// True if the element accepts typed text.
pub fn is_editable(line: &Line) -> bool {
    let native = matches!(line.role.as_str(), "textbox" | "searchbox" | "spinbutton" | "slider");
    (line.attributes.editable || native) && !line.attributes.readonly
}

/// True if the element is an enabled file field.
pub fn is_file_field(line: &Line) -> bool {
    line.role == "file" && line.eid.is_some() && !line.attributes.disabled
}

/// Returns the best element of this name.
pub fn find<'a>(page: &'a Observation, name: &ElementRef, want: ElementUse) -> FindResult<'a> {
    if name.near.is_some() {
        // `Search for flights` may be a complete name.
        let whole = ElementRef { text: name.full.clone(), near: None, ..name.clone() };
        if let found @ FindResult::One(_, fit) = find(page, &whole, want)
            && fit >= NameMatch::Contains
        {
            return found;
        }
    }
    let mut fitting: Vec<(Rank, usize, &Line, NameMatch)> = Vec::new();
    let mut disabled: Option<(Rank, &Line)> = None;
    for (index, line) in page.lines.iter().enumerate() {
        let Some((rank, fit)) = rank(line, name, want) else { continue };
        if line.attributes.disabled {
            if disabled.is_none_or(|(best, _)| rank > best) {
                disabled = Some((rank, line));
            }
        } else {
            fitting.push((rank, index, line, fit));
        }
    }
    let best = fitting.iter().map(|(rank, ..)| *rank).max();
    match (choose(page, name, fitting), disabled) {
        // A disabled element with a better fit is probably the intended one, and may become enabled.
        (Some(_), Some((rank, line))) if best.is_some_and(|best| rank.fit > best.fit) => {
            FindResult::Disabled(line)
        }
        (Some((line, fit)), _) => FindResult::One(line, fit),
        (None, Some((_, line))) => FindResult::Disabled(line),
        (None, None) => FindResult::Nothing,
    }
}

/// Criteria for choosing between elements, the most important first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Rank {
    fit: NameMatch,
    /// True if the command named this kind of element.
    kind: bool,
    role: u8,
    visible: bool,
    /// A shorter remainder of the name is better.
    short: Reverse<usize>,
}

fn rank(line: &Line, name: &ElementRef, want: ElementUse) -> Option<(Rank, NameMatch)> {
    line.eid?;
    let role = want.suits(line)?;
    let kind = name.kind.is_some_and(|kind| kind.fits(&line.role));
    let fit = if name.text.is_empty() {
        kind.then_some(NameMatch::Exact)
    } else {
        match_name(&name.text, &line.name).max(match_name(&name.full, &line.name))
    }?;
    let visible = line.attributes.in_view();
    let short = Reverse(if fit >= NameMatch::Spaces { 0 } else { line.name.chars().count() });
    Some((Rank { fit, kind, role, visible, short }, fit))
}

fn choose<'a>(
    page: &Observation,
    name: &ElementRef,
    mut fitting: Vec<(Rank, usize, &'a Line, NameMatch)>,
) -> Option<(&'a Line, NameMatch)> {
    // The sort is stable: equal elements keep the order of the page.
    fitting.sort_by_key(|(rank, ..)| Reverse(*rank));
    let best = fitting.first()?.0;
    if let Some(near) = &name.near {
        let inside = fitting.iter().filter(|(rank, ..)| rank.fit == best.fit);
        let indices: Vec<usize> = inside.map(|(_, index, ..)| *index).collect();
        let index = nearest_to(page, near, &indices)?;
        return fitting.iter().find(|(_, at, ..)| *at == index).map(|(_, _, line, fit)| (*line, *fit));
    }
    let Some(nth) = name.nth else {
        return fitting.first().map(|(_, _, line, fit)| (*line, *fit));
    };
    // Ordinals count in the order of the page, regardless of the viewport.
    let mut same: Vec<_> =
        fitting.into_iter().filter(|(rank, ..)| rank.fit == best.fit && rank.kind == best.kind).collect();
    same.sort_by_key(|(_, index, ..)| *index);
    let at = if nth < 0 { same.len().checked_sub(1)? } else { usize::try_from(nth).ok()?.checked_sub(1)? };
    same.get(at).map(|(_, _, line, fit)| (*line, *fit))
}

/// Returns the candidate that shares the smallest part of the page with an element named `near`.
fn nearest_to(page: &Observation, near: &ElementRef, candidates: &[usize]) -> Option<usize> {
    let best = page.lines.iter().filter_map(|line| match_name(&near.text, &line.name)).max()?;
    let anchors =
        page.lines.iter().enumerate().filter(|(_, line)| match_name(&near.text, &line.name) == Some(best));
    let mut nearest: Option<(u32, usize, usize)> = None;
    for (anchor, _) in anchors {
        for &candidate in candidates {
            let apart = (
                u32::MAX - shared_depth(&page.lines, anchor, candidate),
                anchor.abs_diff(candidate),
                candidate,
            );
            if nearest.is_none_or(|best| apart < best) {
                nearest = Some(apart);
            }
        }
    }
    nearest.map(|(_, _, candidate)| candidate)
}

/// Returns the depth of the smallest part of the page that contains both lines.
fn shared_depth(lines: &[Line], one: usize, two: usize) -> u32 {
    let (from, to) = (one.min(two), one.max(two));
    lines[from..=to].iter().map(|line| line.depth).min().unwrap_or(0)
}

/// Returns the line with this text, interactive or not.
pub fn find_text<'a>(page: &'a Observation, name: &ElementRef) -> Option<&'a Line> {
    let best = |line: &Line| {
        match_name(&name.text, &line.name)
            .max(match_name(&name.full, &line.name))
            .filter(|fit| *fit > NameMatch::Within)
    };
    let best_fit = page.lines.iter().filter_map(best).max()?;
    page.lines.iter().find(|line| best(line) == Some(best_fit))
}

/// Least likeness of a suggested name, from 0 to 1.
const LIKE: f64 = 0.37;

/// Returns up to five elements with similar names, the most similar first, without duplicates.
pub fn nearest<'a>(page: &'a Observation, name: &str, want: ElementUse) -> Vec<&'a Line> {
    let usable = |line: &&Line| line.eid.is_some() && !line.name.is_empty() && want.suits(line).is_some();
    let mut ranked: Vec<(f64, bool, &Line)> = page
        .lines
        .iter()
        .filter(usable)
        .map(|line| (nearness(name, &line.name), line.attributes.in_view(), line))
        .filter(|(near, _, _)| *near >= LIKE)
        .collect();
    ranked.sort_by(|a, b| b.0.total_cmp(&a.0).then(b.1.cmp(&a.1)));
    let mut names: Vec<&Line> = Vec::new();
    for (_, _, line) in ranked {
        if names.len() < 5 && !names.iter().any(|known| known.name == line.name && known.role == line.role) {
            names.push(line);
        }
    }
    names
}
