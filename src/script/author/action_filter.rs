//! Selection of the actions that belong into a script: those that succeeded and were not undone. Leaves out
//! only actions that certainly made no difference.

use crate::page::url::strip_query;
use crate::script::author::recorded_run::OmittedAction;
use crate::script::recording::{ActionElements, RecordedAction};
use serde_json::Value;
use url::Url;

/// Reasons why an action is not in a script. Clients turn these words into sentences.
const FAILED: &str = "failed";
const WAITED: &str = "waits";
const SCROLLED: &str = "scrolls";
const FOUND: &str = "finds";
const POINTED: &str = "points";
const AGAIN: &str = "again";
const BACK: &str = "back";
const ELSEWHERE: &str = "elsewhere";
const ASKED: &str = "asked";
const ENDED: &str = "ended";

/// Indexes of actions, each with the reason why it is left out.
type OmittedActions = Vec<(usize, &'static str)>;
/// Finds further actions to leave out among those kept so far.
type Pass = fn(&[RecordedAction], &[usize]) -> OmittedActions;

/// Returns the actions to keep, in order, and those left out.
pub fn filter_actions(actions: &[RecordedAction]) -> (Vec<RecordedAction>, Vec<OmittedAction>) {
    let mut left: OmittedActions = Vec::new();
    let mut kept: Vec<usize> = Vec::new();
    for (at, deed) in actions.iter().enumerate() {
        match omission_reason(deed) {
            Some(why) => left.push((at, why)),
            None => kept.push(at),
        }
    }
    let passes: [Pass; 4] = [find_scrolls, find_detours, find_unused_sites, find_repeated];
    for pass in passes {
        let found = pass(actions, &kept);
        kept.retain(|at| !found.iter().any(|(out, _)| out == at));
        left.extend(found);
    }
    left.sort_unstable();
    let omitted = |(at, why): (usize, &'static str)| {
        let deed = &actions[at];
        OmittedAction { action_id: deed.action_id.clone(), action: deed.action.clone(), why }
    };
    (kept.into_iter().map(|at| actions[at].clone()).collect(), left.into_iter().map(omitted).collect())
}

fn omission_reason(deed: &RecordedAction) -> Option<&'static str> {
    match deed.action.as_str() {
        _ if !deed.ok => Some(FAILED),
        "wait" if deed.params.get("text").is_none_or(Value::is_null) => Some(WAITED),
        "find" => Some(FOUND),
        // A point means nothing on another picture.
        "click" | "hover" | "type" | "drag"
            if deed.params.contains_key("x") || deed.params.contains_key("from") =>
        {
            Some(POINTED)
        }
        "ask_user" => Some(ASKED),
        "stop" | "complete" | "none" => Some(ENDED),
        _ => None,
    }
}

/// Finds scrolling of the page, which the player does by itself, except before an `extract` that may depend
/// on it.
fn find_scrolls(actions: &[RecordedAction], kept: &[usize]) -> OmittedActions {
    let pages = |deed: &RecordedAction| deed.action == "scroll" && deed.elements.is_none();
    let next = |index: usize| kept[index + 1..].iter().map(|at| &actions[*at]).find(|deed| !pages(deed));
    let places = kept.iter().enumerate().filter(|(_, at)| pages(&actions[**at]));
    places
        .filter(|(index, _)| next(*index).is_none_or(|next| next.action != "extract"))
        .map(|(_, at)| (*at, SCROLLED))
        .collect()
}

/// Finds a followed link or address that `back` left at once, together with that `back`.
fn find_detours(actions: &[RecordedAction], kept: &[usize]) -> OmittedActions {
    let mut found = Vec::new();
    let mut way: Vec<usize> = Vec::new();
    for at in kept {
        let deed = &actions[*at];
        let came = way.last().map(|last| (*last, &actions[*last]));
        match came {
            Some((last, before)) if deed.action == "back" && is_step_aside(before, deed) => {
                found.extend([(last, BACK), (*at, BACK)]);
                way.pop();
            }
            Some(_) | None => way.push(*at),
        }
    }
    found
}

fn is_step_aside(went: &RecordedAction, back: &RecordedAction) -> bool {
    let link = went
        .elements
        .as_ref()
        .and_then(|aimed| aimed.targets.first())
        .is_some_and(|target| target.role == "link");
    let leads = went.action == "navigate" || (went.action == "click" && link);
    let home = back.after.as_ref().is_some_and(|after| after.url == went.before.url);
    leads && home && !went.before.url.is_empty() && went.before.url != "about:blank"
}

/// Finds sites that were opened and left for another without any action.
fn find_unused_sites(actions: &[RecordedAction], kept: &[usize]) -> OmittedActions {
    let address = |at: usize| actions[at].params.get("url").and_then(Value::as_str).and_then(host);
    let opens = |at: usize| actions[at].action == "navigate";
    let pairs = kept.windows(2).filter(|pair| opens(pair[0]) && opens(pair[1]));
    pairs.filter(|pair| address(pair[0]) != address(pair[1])).map(|pair| (pair[0], ELSEWHERE)).collect()
}

fn host(url: &str) -> Option<String> {
    Some(Url::parse(url).ok()?.origin().ascii_serialization())
}

/// Finds fields that were filled in again, or switches that were set again, on the same page.
fn find_repeated(actions: &[RecordedAction], kept: &[usize]) -> OmittedActions {
    let mut found = Vec::new();
    for (index, at) in kept.iter().enumerate() {
        let deed = &actions[*at];
        if !fills(deed) {
            continue;
        }
        let later = kept[index + 1..]
            .iter()
            .map(|at| &actions[*at])
            .take_while(|later| fills(later) && stays(deed, later));
        if later.into_iter().any(|later| replaces(later, deed)) {
            found.push((*at, AGAIN));
        }
    }
    found
}

/// True if the action changes a form and nothing else.
fn fills(deed: &RecordedAction) -> bool {
    let submits = deed.params.get("submit") == Some(&Value::Bool(true));
    let switch = deed.elements.as_ref().is_some_and(|aimed| aimed.makes.is_some());
    match deed.action.as_str() {
        "type" => !submits,
        "select" => true,
        "click" => switch,
        _ => false,
    }
}

fn stays(deed: &RecordedAction, later: &RecordedAction) -> bool {
    strip_query(&deed.before.url) == strip_query(&later.before.url)
}

fn replaces(later: &RecordedAction, deed: &RecordedAction) -> bool {
    let targets = |deed: &RecordedAction| {
        deed.elements.as_ref().map(|aimed: &ActionElements| aimed.targets.clone()).unwrap_or_default()
    };
    let clears = later.params.get("clear") != Some(&Value::Bool(false));
    let one_list = later.params.get("option").is_none_or(|option| !option.is_array());
    later.action == deed.action && targets(later) == targets(deed) && clears && one_list
}
