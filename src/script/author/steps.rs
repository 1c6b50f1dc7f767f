//! Conversion of an action to a step of a script.

use crate::agent_spec::types::script::{Check, Makes, Step, Target};
use crate::script::recording::{ActionElements, PageSummary, RecordedAction};
use crate::script::rendering::literal;
use serde_json::{Map, Value};
use url::{Position, Url};

/// True if an action takes place on a page.
pub fn is_browsing(action: &str) -> bool {
    !matches!(action, "need_user" | "ask_user" | "stop" | "complete" | "wait")
}

/// True if the action opened a page or was done on an open one. Other actions cannot be played again.
pub fn is_on_a_page(deed: &RecordedAction) -> bool {
    let opened = |seen: &PageSummary| !seen.url.is_empty() && seen.url != "about:blank";
    is_browsing(&deed.action)
        && (deed.action == "navigate" || opened(&deed.before) || deed.after.as_ref().is_some_and(opened))
}

/// Returns the step with the values that were used.
pub fn step(deed: &RecordedAction, own_origin: &str) -> Step {
    if let ("wait", Some(Value::String(text))) = (deed.action.as_str(), deed.params.get("text")) {
        let check = Check { text: Some(literal(text)), ..Check::default() };
        return Step { check: Some(check), ..Step::default() };
    }
    let mut aimed = deed.elements.clone().unwrap_or_default();
    aimed.targets.iter_mut().for_each(make_literal);
    let mut params = params(deed);
    if let Some(Value::String(url)) = params.get_mut("url") {
        *url = script_address(url, own_origin);
    }
    let mut targets = aimed.targets.clone().into_iter();
    let step = Step {
        action: deed.action.clone(),
        params,
        makes: state_after_click(deed, &aimed),
        ..Step::default()
    };
    if deed.action == "drag" {
        return Step { from_target: targets.next(), to_target: targets.next(), ..step };
    }
    Step { target: targets.next(), ..step }
}

/// Returns the parameters without defaults and element numbers.
fn params(deed: &RecordedAction) -> Map<String, Value> {
    let usual = |name: &str, value: &Value| match name {
        "eid" | "from_eid" | "to_eid" => true,
        "button" => value == "left",
        "count" => value == 1,
        "clear" => value == true,
        "submit" => value == false,
        _ => false,
    };
    let given = deed.params.iter().filter(|(name, value)| !value.is_null() && !usual(name, value));
    given.map(|(name, value)| (name.clone(), literal_value(value))).collect()
}

/// Returns the value as a literal that no template syntax in it can change.
fn literal_value(value: &Value) -> Value {
    match value {
        Value::String(text) => Value::String(literal(text)),
        Value::Array(items) => items.iter().map(literal_value).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => value.clone(),
    }
}

/// Makes the page's names of the element literals, too.
fn make_literal(target: &mut Target) {
    target.name = literal(&target.name);
    for words in [&mut target.near, &mut target.frame].into_iter().flatten() {
        *words = literal(words);
    }
}

/// Returns the state in which a plain click leaves a switch.
fn state_after_click(deed: &RecordedAction, aimed: &ActionElements) -> Option<Makes> {
    let plain = deed.params.get("count").is_none_or(|count| count == 1)
        && deed.params.get("button").is_none_or(|button| button == "left" || button.is_null());
    aimed.makes.filter(|_| deed.action == "click" && plain)
}

/// Returns an address for a script: the path alone for this service's own pages, so that it is valid on
/// another port.
pub fn script_address(url: &str, own_origin: &str) -> String {
    let (Ok(there), Ok(own)) = (Url::parse(url), Url::parse(own_origin)) else { return url.to_owned() };
    let port = |url: &Url| url.port_or_known_default();
    let same = there.scheme() == own.scheme() && port(&there) == port(&own);
    let alike = there.host_str() == own.host_str() || (is_here(&there) && is_here(&own));
    if same && alike { there[Position::BeforePath..].to_owned() } else { url.to_owned() }
}

fn is_here(url: &Url) -> bool {
    matches!(url.host_str(), Some("localhost" | "127.0.0.1" | "[::1]"))
}

/// Gives every `extract` step a name for its result.
pub fn name_what_is_read(script: &mut [Step]) {
    let all = script.iter().filter(|step| step.action == "extract").count();
    for (index, step) in script.iter_mut().filter(|step| step.action == "extract").enumerate() {
        let number = if all == 1 { String::new() } else { format!("_{}", index + 1) };
        step.known_as = Some(format!("read{number}"));
    }
}

/// Removes a first step that opens a page and returns its address as the agent's start address.
pub fn start(script: &mut Vec<Step>) -> Option<String> {
    let first = script.first().filter(|step| step.action == "navigate" && script.len() > 1)?;
    let url = first.params.get("url")?.as_str()?.to_owned();
    let check = script.remove(0).check;
    if let Some(check) = check {
        script.insert(0, Step { check: Some(check), ..Step::default() });
    }
    Some(url)
}
