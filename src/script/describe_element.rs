//! Description of an element by which a later run can find it again.

use crate::agent_spec::types::script::Target;
use crate::page::observation::Observation;
use crate::script::find::{find, frame_names, frames_around, normalize_text};
use crate::script::nearby_text::nearby;
use crate::text::truncate::one_line;
use url::Url;

/// Longest description text, in characters.
const LONGEST: usize = 80;

/// Describes the element with this number.
pub fn describe(page: &Observation, eid: u32) -> Option<Target> {
    let at = page.lines.iter().position(|line| line.eid == Some(eid))?;
    let line = &page.lines[at];
    let plain =
        Target { role: line.role.clone(), name: one_line(&line.name), near: None, frame: frame(page, at) };
    let is_it = |target: &Target| find(target, page).is_ok_and(|found| found.eid == Some(eid));
    if is_it(&plain) {
        return Some(plain);
    }
    let by = |near: String| Target { near: Some(near), ..plain.clone() };
    let distinguished = landmarks(page, at).into_iter().map(by).find(is_it);
    Some(distinguished.unwrap_or(plain))
}

/// Returns texts that distinguish the element from its namesakes, the most stable ones first.
fn landmarks(page: &Observation, at: usize) -> Vec<String> {
    let line = &page.lines[at];
    let same = |other: &usize| {
        let other = &page.lines[*other];
        other.eid.is_some()
            && other.role == line.role
            && normalize_text(&other.name) == normalize_text(&line.name)
    };
    let twins: Vec<usize> = (0..page.lines.len()).filter(|other| *other != at && same(other)).collect();
    let mut words: Vec<String> =
        nearby(page, at, &twins).into_iter().map(|beside| beginning(beside.words)).collect();
    // Amounts, times and counts vary. The sort is stable, so closer texts stay first.
    words.sort_by_key(|words| words.contains(|c: char| c.is_ascii_digit()));
    words
}

fn beginning(words: &str) -> String {
    let words = one_line(words);
    if words.chars().count() <= LONGEST {
        return words;
    }
    let cut: String = words.chars().take(LONGEST).collect();
    cut.rsplit_once(' ').map_or(cut.clone(), |(whole, _)| whole.to_owned())
}

/// Returns the name of the frame that contains the element, or the frame's origin if it has no name.
fn frame(page: &Observation, at: usize) -> Option<String> {
    let innermost = *frames_around(page, at).first()?;
    let line = &page.lines[innermost];
    if !line.name.is_empty() {
        return Some(frame_names(page, innermost));
    }
    let source = Url::parse(line.attributes.source.as_deref()?).ok()?;
    source.origin().is_tuple().then(|| source.origin().ascii_serialization())
}
