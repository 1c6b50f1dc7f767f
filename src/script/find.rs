//! Finds the element that a step names on the page as it is now: by role and name, then by the frame and
//! by the words that it stands by. Of several that fit none is taken: a wrong click is worse than a
//! question.

use super::nearby::{holders, nearby};
use crate::model::commands::likeness::nearness;
use crate::page::{Line, Observation};
use crate::spec::script::Target;
use url::Url;

/// Elements that are told of where the wanted one is not.
const TOLD: usize = 5;

/// Why there is no element to act on.
#[derive(Clone, Debug, PartialEq)]
pub enum Missing<'a> {
    /// Nothing of this role and name; the nearest of what there is.
    Nothing { nearest: Vec<&'a Line> },
    /// There are some, but none stands by those words.
    NotNear { count: usize },
    /// There is no such frame; those that there are.
    NoFrame { frames: Vec<&'a str> },
    /// Several, each with words that it stands by.
    Several { beside: Vec<Option<&'a str>> },
}

/// The one element that is meant.
pub fn find<'a>(target: &Target, page: &'a Observation) -> Result<&'a Line, Missing<'a>> {
    let namesakes = namesakes(target, page)?;
    let fitting = match &target.near {
        Some(near) => standing_by(page, &namesakes, near),
        None => namesakes.clone(),
    };
    match fitting.as_slice() {
        [] if namesakes.is_empty() => Err(Missing::Nothing { nearest: nearest(target, page) }),
        [] => Err(Missing::NotNear { count: namesakes.len() }),
        [one] => Ok(&page.lines[*one]),
        // Links to one place are one link, wherever they stand.
        [first, rest @ ..] if rest.iter().all(|other| leads_alike(page, *first, *other)) => {
            Ok(&page.lines[*first])
        }
        several => {
            Err(Missing::Several { beside: several.iter().map(|at| told(page, *at, several)).collect() })
        }
    }
}

/// Lines that have this role and name, where the target's frame lets them be.
fn namesakes<'a>(target: &Target, page: &'a Observation) -> Result<Vec<usize>, Missing<'a>> {
    let is_one = |line: &Line| {
        line.eid.is_some() && line.role == target.role && folded(&line.name) == folded(&target.name)
    };
    let all = (0..page.lines.len()).filter(|at| is_one(&page.lines[*at]));
    let Some(frame) = &target.frame else {
        let (framed, plain): (Vec<usize>, Vec<usize>) = all.partition(|at| !frames(page, *at).is_empty());
        return Ok(if plain.is_empty() { framed } else { plain });
    };
    let meant = |at: usize| page.lines[at].role == "iframe" && is_called(page, at, frame);
    if !(0..page.lines.len()).any(meant) {
        let frames = page.lines.iter().filter(|line| line.role == "iframe").map(|line| line.name.as_str());
        return Err(Missing::NoFrame { frames: frames.collect() });
    }
    let (own, inner): (Vec<usize>, Vec<usize>) = all
        .filter(|at| frames(page, *at).into_iter().any(meant))
        .partition(|at| frames(page, *at).first().is_some_and(|frame| meant(*frame)));
    Ok(if own.is_empty() { inner } else { own })
}

/// Of these, those that stand by the words; the closer ones leave out the others.
fn standing_by(page: &Observation, namesakes: &[usize], near: &str) -> Vec<usize> {
    let near = folded(near);
    let closeness = |at: usize| {
        let beside = nearby(page, at, namesakes).into_iter();
        let fits = beside.filter_map(|beside| {
            let words = folded(beside.words);
            words.contains(&near).then_some((words != near, beside.tier))
        });
        fits.min()
    };
    let close: Vec<_> = namesakes.iter().filter_map(|at| Some((closeness(*at)?, *at))).collect();
    let Some(closest) = close.iter().map(|(closeness, _)| *closeness).min() else { return Vec::new() };
    close.into_iter().filter(|(closeness, _)| *closeness == closest).map(|(_, at)| at).collect()
}

/// The frames that a line stands in, the innermost first.
pub fn frames(page: &Observation, at: usize) -> Vec<usize> {
    holders(&page.lines, at).into_iter().filter(|holder| page.lines[*holder].role == "iframe").collect()
}

/// Names of a frame and of those around it, the outermost first.
pub fn frame_names(page: &Observation, frame: usize) -> String {
    let around = frames(page, frame);
    let names = around.iter().rev().chain([&frame]).map(|at| page.lines[*at].name.as_str());
    names.collect::<Vec<_>>().join(" / ")
}

fn is_called(page: &Observation, frame: usize, called: &str) -> bool {
    let line = &page.lines[frame];
    let wanted = folded(called);
    let named = !line.name.is_empty() && folded(&line.name) == wanted;
    let from = line.attributes.source.as_deref().and_then(|source| Url::parse(source).ok());
    let origin = from.is_some_and(|url| {
        let host = url.host_str().unwrap_or_default();
        let port = url.port().map(|port| format!("{host}:{port}"));
        wanted == url.origin().ascii_serialization()
            || wanted == host
            || port.is_some_and(|port| wanted == port)
    });
    named || origin || folded(&frame_names(page, frame)) == wanted
}

fn leads_alike(page: &Observation, one: usize, other: usize) -> bool {
    let href = |at: usize| page.lines[at].attributes.href.as_deref().filter(|href| !href.is_empty());
    href(one).is_some() && href(one) == href(other)
}

/// Words by which one of several is told from the others.
fn told<'a>(page: &'a Observation, at: usize, several: &[usize]) -> Option<&'a str> {
    nearby(page, at, several).into_iter().map(|beside| beside.words).next()
}

/// What there is instead, the likeliest first.
fn nearest<'a>(target: &Target, page: &'a Observation) -> Vec<&'a Line> {
    let likeness = |line: &Line| nearness(&target.name, &line.name) + f64::from(line.role == target.role);
    let mut all: Vec<&Line> =
        page.lines.iter().filter(|line| line.eid.is_some() && !line.name.is_empty()).collect();
    all.sort_by(|one, other| likeness(other).total_cmp(&likeness(one)));
    let mut found: Vec<&Line> = Vec::new();
    for line in all {
        let known = found.iter().any(|known| (&known.role, &known.name) == (&line.role, &line.name));
        if found.len() < TOLD && !known {
            found.push(line);
        }
    }
    found
}

/// Words as they are compared: spaces and upper case make no difference.
pub fn folded(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
}

#[cfg(test)]
mod tests;
