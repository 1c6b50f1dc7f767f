//! Search for the element that a step names on the current page: by role and name, then by frame and nearby
//! text. If several match, none is chosen: a wrong click is worse than a question.

use crate::agent_spec::types::script::Target;
use crate::page::observation::{Line, Observation};
use crate::script::nearby_text::{ancestors, nearby};
use crate::text::likeness::nearness;
use url::Url;

/// Most similar elements listed when the wanted one is missing.
const MAX_SIMILAR: usize = 5;

/// Reason why no element was found.
#[derive(Clone, Debug, PartialEq)]
pub enum FindError<'a> {
    /// No element has this role and name; lists the most similar ones.
    Nothing { nearest: Vec<&'a Line> },
    /// Elements have the role and name, but none is near those words.
    NotNear { count: usize },
    /// No frame has this name; lists the existing ones.
    NoFrame { frames: Vec<&'a str> },
    /// Several match; lists text near each of them.
    Several { beside: Vec<Option<&'a str>> },
}

/// Finds the one element that matches the target.
pub fn find<'a>(target: &Target, page: &'a Observation) -> Result<&'a Line, FindError<'a>> {
    let namesakes = find_namesakes(target, page)?;
    let fitting = match &target.near {
        Some(near) => filter_by_nearby(page, &namesakes, near),
        None => namesakes.clone(),
    };
    match fitting.as_slice() {
        [] if namesakes.is_empty() => Err(FindError::Nothing { nearest: find_similar(target, page) }),
        [] => Err(FindError::NotNear { count: namesakes.len() }),
        [one] => Ok(&page.lines[*one]),
        // Links with the same destination count as one link.
        [first, rest @ ..] if rest.iter().all(|other| leads_alike(page, *first, *other)) => {
            Ok(&page.lines[*first])
        }
        several => Err(FindError::Several {
            beside: several.iter().map(|at| distinguishing_text(page, *at, several)).collect(),
        }),
    }
}

/// Returns the lines with the target's role and name, within the target's frame if it names one.
fn find_namesakes<'a>(target: &Target, page: &'a Observation) -> Result<Vec<usize>, FindError<'a>> {
    let is_one = |line: &Line| {
        line.eid.is_some()
            && line.role == target.role
            && normalize_text(&line.name) == normalize_text(&target.name)
    };
    let all = (0..page.lines.len()).filter(|at| is_one(&page.lines[*at]));
    let Some(frame) = &target.frame else {
        let (framed, plain): (Vec<usize>, Vec<usize>) =
            all.partition(|at| !frames_around(page, *at).is_empty());
        return Ok(if plain.is_empty() { framed } else { plain });
    };
    let meant = |at: usize| page.lines[at].role == "iframe" && is_called(page, at, frame);
    if !(0..page.lines.len()).any(meant) {
        let frames = page.lines.iter().filter(|line| line.role == "iframe").map(|line| line.name.as_str());
        return Err(FindError::NoFrame { frames: frames.collect() });
    }
    let (own, inner): (Vec<usize>, Vec<usize>) = all
        .filter(|at| frames_around(page, *at).into_iter().any(meant))
        .partition(|at| frames_around(page, *at).first().is_some_and(|frame| meant(*frame)));
    Ok(if own.is_empty() { inner } else { own })
}

/// Returns the lines near these words. Closer matches exclude more distant ones.
fn filter_by_nearby(page: &Observation, namesakes: &[usize], near: &str) -> Vec<usize> {
    let near = normalize_text(near);
    let closeness = |at: usize| {
        let beside = nearby(page, at, namesakes).into_iter();
        let fits = beside.filter_map(|beside| {
            let words = normalize_text(beside.words);
            words.contains(&near).then_some((words != near, beside.tier))
        });
        fits.min()
    };
    let close: Vec<_> = namesakes.iter().filter_map(|at| Some((closeness(*at)?, *at))).collect();
    let Some(closest) = close.iter().map(|(closeness, _)| *closeness).min() else { return Vec::new() };
    close.into_iter().filter(|(closeness, _)| *closeness == closest).map(|(_, at)| at).collect()
}

/// Returns the frames around a line, innermost first.
pub fn frames_around(page: &Observation, at: usize) -> Vec<usize> {
    ancestors(&page.lines, at).into_iter().filter(|holder| page.lines[*holder].role == "iframe").collect()
}

/// Returns the name of a frame and of the frames around it, outermost first.
pub fn frame_names(page: &Observation, frame: usize) -> String {
    let around = frames_around(page, frame);
    let names = around.iter().rev().chain([&frame]).map(|at| page.lines[*at].name.as_str());
    names.collect::<Vec<_>>().join(" / ")
}

fn is_called(page: &Observation, frame: usize, called: &str) -> bool {
    let line = &page.lines[frame];
    let wanted = normalize_text(called);
    let named = !line.name.is_empty() && normalize_text(&line.name) == wanted;
    let from = line.attributes.source.as_deref().and_then(|source| Url::parse(source).ok());
    let origin = from.is_some_and(|url| {
        let host = url.host_str().unwrap_or_default();
        let port = url.port().map(|port| format!("{host}:{port}"));
        wanted == url.origin().ascii_serialization()
            || wanted == host
            || port.is_some_and(|port| wanted == port)
    });
    named || origin || normalize_text(&frame_names(page, frame)) == wanted
}

fn leads_alike(page: &Observation, one: usize, other: usize) -> bool {
    let href = |at: usize| page.lines[at].attributes.href.as_deref().filter(|href| !href.is_empty());
    href(one).is_some() && href(one) == href(other)
}

/// Returns text that distinguishes one of several matches from the others.
fn distinguishing_text<'a>(page: &'a Observation, at: usize, several: &[usize]) -> Option<&'a str> {
    nearby(page, at, several).into_iter().map(|beside| beside.words).next()
}

/// Returns the most similar elements, best first.
fn find_similar<'a>(target: &Target, page: &'a Observation) -> Vec<&'a Line> {
    let likeness = |line: &Line| nearness(&target.name, &line.name) + f64::from(line.role == target.role);
    let mut all: Vec<&Line> =
        page.lines.iter().filter(|line| line.eid.is_some() && !line.name.is_empty()).collect();
    all.sort_by(|one, other| likeness(other).total_cmp(&likeness(one)));
    let mut found: Vec<&Line> = Vec::new();
    for line in all {
        let known = found.iter().any(|known| (&known.role, &known.name) == (&line.role, &line.name));
        if found.len() < MAX_SIMILAR && !known {
            found.push(line);
        }
    }
    found
}

/// Normalizes whitespace and case for comparisons.
pub fn normalize_text(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
}

#[cfg(test)]
mod tests;
