//! Checks from what was seen: where a step led, and what the last page said.

use crate::script::checks::place;
use crate::script::recording::{Deed, Seen};
use crate::script::rendered::literal;
use crate::spec::script::{Check, Step};
use url::Url;

/// A part of a path that is longer than this is hardly a word.
const LONGEST: usize = 40;

/// Puts a check on each step after which another page was seen, and on the last one.
pub fn take(deeds: &[Deed], script: &mut [Step]) {
    let last = deeds.iter().rposition(|deed| deed.after.is_some());
    for (at, (deed, step)) in deeds.iter().zip(script).enumerate() {
        let Some(after) =
            deed.after.as_ref().filter(|after| !after.url.is_empty() && after.url != "about:blank")
        else {
            continue;
        };
        // Where an address leads that the step says itself, and to what person did there, nobody need check.
        let says_so = matches!(deed.action.as_str(), "navigate" | "need_user" | "wait") && Some(at) != last;
        let moved = place(&after.url) != place(&deed.before.url);
        let url = (moved && !says_so).then(|| pattern(deed, after));
        // What stood there before proves nothing.
        let is_new = after.heading != deed.before.heading;
        let text = if Some(at) == last && step.check.is_none() && is_new { heading(after) } else { None };
        if url.is_some() || text.is_some() {
            step.check = Some(Check { url, text, ..step.check.take().unwrap_or_default() });
        }
    }
}

/// The address with what differs from run to run left open; without its host where that stays the same.
fn pattern(deed: &Deed, after: &Seen) -> String {
    let Ok(url) = Url::parse(&after.url) else { return String::from("*") };
    let parts = url.path().split('/').map(|part| if is_of_this_run(part) { "*" } else { part });
    let path = literal(&parts.collect::<Vec<_>>().join("/"));
    let stays = Url::parse(&deed.before.url).is_ok_and(|before| before.origin() == url.origin());
    match url.origin() {
        origin if origin.is_tuple() && !stays => format!("{}{path}", origin.ascii_serialization()),
        _ => path,
    }
}

/// Numbers, dates, keys: they will be others next time.
fn is_of_this_run(part: &str) -> bool {
    part.contains(|c: char| c.is_ascii_digit())
        || part.len() > LONGEST
        || part.contains('%')
        || part.contains('*')
}

/// The words of the last page's heading that will be the same next time.
fn heading(after: &Seen) -> Option<String> {
    let words: Vec<&str> = after.heading.split_whitespace().collect();
    let steady = |word: &&&str| !word.contains(|c: char| c.is_ascii_digit());
    let kept: Vec<&str> = words.iter().take_while(steady).copied().collect();
    (!kept.is_empty()).then(|| literal(&kept.join(" ")))
}
