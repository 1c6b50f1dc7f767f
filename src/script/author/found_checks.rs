//! Checks made from observations: the destination of a step, and the heading of the last page.

use crate::agent_spec::types::script::{Check, Step};
use crate::page::url::strip_query;
use crate::script::recording::{PageSummary, RecordedAction};
use crate::script::rendering::literal;
use url::Url;

/// Longest path segment kept in a check; longer ones are hardly words.
const LONGEST: usize = 40;

/// Adds a check to each step that led to another page, and to the last step.
pub fn add_checks(actions: &[RecordedAction], script: &mut [Step]) {
    let last = actions.iter().rposition(|deed| deed.after.is_some());
    for (at, (deed, step)) in actions.iter().zip(script).enumerate() {
        let Some(after) =
            deed.after.as_ref().filter(|after| !after.url.is_empty() && after.url != "about:blank")
        else {
            continue;
        };
        // No check for an address that the step itself contains, or for a page to which a person's actions
        // led.
        let says_so = matches!(deed.action.as_str(), "navigate" | "need_user" | "wait") && Some(at) != last;
        let moved = strip_query(&after.url) != strip_query(&deed.before.url);
        let url = (moved && !says_so).then(|| pattern(deed, after));
        // A heading that was there before proves nothing.
        let is_new = after.heading != deed.before.heading;
        let text = if Some(at) == last && step.check.is_none() && is_new { heading(after) } else { None };
        if url.is_some() || text.is_some() {
            step.check = Some(Check { url, text, ..step.check.take().unwrap_or_default() });
        }
    }
}

/// Returns the pattern of an address, with `*` for segments that vary between runs. Leaves out the origin if
/// the step did not change it.
fn pattern(deed: &RecordedAction, after: &PageSummary) -> String {
    let Ok(url) = Url::parse(&after.url) else { return String::from("*") };
    let parts = url.path().split('/').map(|part| if is_of_this_run(part) { "*" } else { part });
    let path = literal(&parts.collect::<Vec<_>>().join("/"));
    let stays = Url::parse(&deed.before.url).is_ok_and(|before| before.origin() == url.origin());
    match url.origin() {
        origin if origin.is_tuple() && !stays => format!("{}{path}", origin.ascii_serialization()),
        _ => path,
    }
}

/// True for numbers, dates and keys, which will differ next time.
fn is_of_this_run(part: &str) -> bool {
    part.contains(|c: char| c.is_ascii_digit())
        || part.len() > LONGEST
        || part.contains('%')
        || part.contains('*')
}

/// Returns the beginning of the last page's heading that will be the same next time.
fn heading(after: &PageSummary) -> Option<String> {
    let words: Vec<&str> = after.heading.split_whitespace().collect();
    let steady = |word: &&&str| !word.contains(|c: char| c.is_ascii_digit());
    let kept: Vec<&str> = words.iter().take_while(steady).copied().collect();
    (!kept.is_empty()).then(|| literal(&kept.join(" ")))
}
