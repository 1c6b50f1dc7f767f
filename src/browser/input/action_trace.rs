//! Effects of an action, as its traces on the page tell them. An action of which nothing shows is ok all the same: a page
//! may have sent a message, filled the clipboard or set a timer, and a failure would have it done twice and drop the rest
//! of the turn.

use crate::browser::error::{ErrorCode, PageError};
use crate::browser::page::tab::Tab;
use crate::protocol::action_effect::{ActionEffect, PageThing, StateChange};
use serde::Deserialize;
use url::Url;

/// Most effects of a result.
const MAX_EFFECTS: usize = 6;
/// Most messages of the page among them.
const MAX_SAID: usize = 2;

/// Reply of the page script about one document.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct ActionTrace {
    /// Address before the action.
    pub href: String,
    /// Description of the control that came under the pointer, if the press was suppressed because of it.
    pub missed: Option<String>,
    /// Texts of live regions and toasts that came with the action.
    pub says: Vec<String>,
    /// Main heading that took the place of another one.
    pub heading: String,
    pub elements: Vec<ElementTrace>,
    /// Roles and names of dialogs, menus, lists and messages that are new, or gone.
    pub opened: Vec<(String, String)>,
    pub closed: Vec<(String, String)>,
    /// Role and name of the element that got the focus, if it is none of the action's.
    pub focus: Option<(String, String)>,
    /// Number of new parts of the page, and the words of the only one.
    pub appeared: usize,
    pub text: String,
    pub removed: bool,
    pub scrolled: bool,
    /// True if anything changed but how elements look.
    pub content: bool,
    pub style_changed: bool,
    /// True if an element of the action is a drawing, whose changes cannot be read.
    pub drawing: bool,
}

/// An element of an action, after it.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct ElementTrace {
    pub eid: u32,
    pub gone: bool,
    /// States that it has now, and those that it had before.
    pub on: Vec<String>,
    pub off: Vec<String>,
    /// Values now and before; absent for what has none or may not tell it.
    pub value: Option<String>,
    pub before: Option<String>,
    /// State of a box or switch that is as it was, though a press switches it.
    pub stays: Option<String>,
    /// True for a plain field whose text is as it was.
    #[serde(rename = "keepsText")]
    pub keeps_text: bool,
    /// True if the action set a value or an option, and the page has taken it back.
    #[serde(rename = "wentBack")]
    pub went_back: bool,
}

/// Kind of an action, as far as its trace depends on it.
#[derive(Clone, Debug, Default)]
pub struct TracedAction {
    /// True for an action at a point, which may have been a drawing.
    pub at_point: bool,
    /// True for an action that gives an element a value.
    pub fills: bool,
    /// True for a plain press, which switches a box.
    pub switches: bool,
    /// True if the action submits what it fills in: a form may be emptied then.
    pub submits: bool,
    /// Texts that are typed into fields and stay there, with the elements' numbers.
    pub typed: Vec<(u32, String)>,
}

/// Facts beside the documents themselves.
#[derive(Clone, Debug, Default)]
pub struct TraceFacts<'a> {
    pub url: &'a str,
    /// True if another document was loaded.
    pub loaded: bool,
    /// Requests that were sent, and whether an answer is still expected.
    pub sent: usize,
    pub waiting: bool,
    /// True if other notes tell of an effect: a new tab, a file, a dialog.
    pub has_notes: bool,
    pub action: TracedAction,
}

/// Notes the state of the page and its frames before an action on these elements. Nothing waits for it: commands of one
/// session keep their order.
pub fn begin(tab: &Tab, eids: &[u32]) {
    let frames = tab.frames.covered().into_iter().map(|frame| tab.for_frame(frame));
    for page in std::iter::once(tab.clone()).chain(frames) {
        page.post_call(&format!("beginTrace({})", serde_json::Value::from(eids)));
    }
}

/// Returns the error of an action whose press was suppressed.
pub fn find_missed_press(traces: &[ActionTrace]) -> Option<PageError> {
    traces.iter().find_map(|trace| trace.missed.as_deref()).map(missed_press)
}

/// Returns the error of an action that should have changed its element and has changed nothing at all.
pub fn find_missing_effect(
    traces: &[ActionTrace],
    effects: &[ActionEffect],
    action: &TracedAction,
) -> Option<PageError> {
    let elements = || traces.iter().flat_map(|trace| &trace.elements);
    let message = match effects {
        [ActionEffect::NothingChanged] if action.switches => {
            let element = elements().find(|element| element.stays.is_some())?;
            let (eid, state) = (element.eid, element.stays.as_deref()?);
            format!(
                "[{eid}] is still {state}, and nothing else on the page changed; it may want something else first"
            )
        }
        _ if effects.iter().all(is_of_element)
            && !traces.iter().any(|trace| trace.content || trace.removed) =>
        {
            let refused = elements().find(|element| refuses(element, effects, action))?;
            let value = refused.value.as_deref().unwrap_or_default();
            let now = if value.is_empty() { String::from("empty") } else { format!("\"{value}\"") };
            format!("[{}] did not take it and is still {now}; look what it accepts", refused.eid)
        }
        _ => return None,
    };
    Some(PageError::new(ErrorCode::NoEffect, message))
}

/// True for an effect on an element of the action itself, or on the focus.
fn is_of_element(effect: &ActionEffect) -> bool {
    matches!(effect, ActionEffect::ElementChanged { .. } | ActionEffect::FocusMoved(_))
}

/// True if an element is as it was before, and not as the action had it: the page took the value back, or a plain field
/// took no text.
fn refuses(element: &ElementTrace, effects: &[ActionEffect], action: &TracedAction) -> bool {
    let is_as_before = effects.iter().any(|effect| {
        matches!(effect, ActionEffect::ElementChanged { eid, changes, .. }
            if *eid == element.eid && matches!(changes.as_slice(), [StateChange::SameValue { .. }]))
    });
    let value = element.value.as_deref().unwrap_or_default();
    let has_text = |text: &str| match value.strip_suffix('…') {
        // A long value is cut.
        Some(start) => text.starts_with(start),
        None => value.trim() == text.trim(),
    };
    let lacks_text = || {
        let text = action.typed.iter().find(|(eid, _)| *eid == element.eid).map(|(_, text)| text);
        element.keeps_text && text.is_some_and(|text| !has_text(text))
    };
    is_as_before && (element.went_back && !action.submits || lacks_text())
}

/// Error for a press that would have reached another control. `covering` tells what lay under the pointer.
pub fn missed_press(covering: &str) -> PageError {
    let message = format!(
        "nothing was pressed: as the pointer came, the element was {covering}; look again before you press it"
    );
    PageError::new(ErrorCode::Covered, message)
}

/// Ends the traces of the page and its frames.
pub fn end(tab: &Tab) {
    let frames = tab.frames.covered().into_iter().map(|frame| tab.for_frame(frame));
    for page in std::iter::once(tab.clone()).chain(frames) {
        page.post_call("endTrace()");
    }
}

/// Returns what an action did. `traces` are those of the page, if its document is still there, and of its frames.
pub fn list_effects(traces: &[ActionTrace], facts: &TraceFacts<'_>) -> Vec<ActionEffect> {
    let mut effects = list_said_words(traces);
    effects.extend(moved_effect(traces, facts));
    let elements: Vec<&ElementTrace> = traces.iter().flat_map(|trace| &trace.elements).collect();
    for element in &elements {
        let changes = list_changes(element, facts.action.fills);
        if !changes.is_empty() {
            let among = elements.len() > 1;
            effects.push(ActionEffect::ElementChanged { eid: element.eid, among, changes });
        }
    }
    for trace in traces {
        effects.extend(trace.opened.iter().map(|told| ActionEffect::Opened(page_thing(told))));
        effects.extend(trace.closed.iter().map(|told| ActionEffect::Closed(page_thing(told))));
        effects.extend(trace.focus.iter().map(|told| ActionEffect::FocusMoved(page_thing(told))));
        let appeared = || ActionEffect::Appeared { count: trace.appeared, text: trace.text.clone() };
        effects.extend((trace.appeared > 0).then(appeared));
        effects.extend(trace.scrolled.then_some(ActionEffect::Scrolled));
    }
    if effects.is_empty() {
        effects = list_unspecific_effects(traces, facts);
    }
    effects.truncate(MAX_EFFECTS);
    if facts.waiting {
        effects.push(ActionEffect::RequestOpen);
    }
    effects
}

/// Returns the page's own words about the action, which come first.
fn list_said_words(traces: &[ActionTrace]) -> Vec<ActionEffect> {
    let says = traces.iter().flat_map(|trace| &trace.says).cloned();
    let says = says.map(|text| ActionEffect::Says { text }).take(MAX_SAID);
    let headings = traces.iter().map(|trace| &trace.heading).filter(|text| !text.is_empty());
    let headings = headings.cloned().map(|text| ActionEffect::HeadingNow { text }).take(1);
    says.chain(headings).collect()
}

fn moved_effect(traces: &[ActionTrace], facts: &TraceFacts<'_>) -> Option<ActionEffect> {
    let before = traces.first().map(|trace| trace.href.as_str()).filter(|href| !href.is_empty());
    if facts.loaded || before.is_some_and(|before| before != facts.url) {
        return Some(ActionEffect::Moved { url: shorten_address(before, facts.url) });
    }
    None
}

/// Returns an address without its origin, if that is the one of the address before.
fn shorten_address(before: Option<&str>, url: &str) -> String {
    let parsed = Url::parse(url).ok();
    let same_origin = parsed.as_ref().is_some_and(|now| {
        before
            .and_then(|before| Url::parse(before).ok())
            .is_some_and(|before| before.origin() == now.origin())
    });
    let path = parsed.filter(|_| same_origin).map(|now| now[url::Position::BeforePath..].to_owned());
    path.unwrap_or_else(|| url.to_owned())
}

fn list_changes(element: &ElementTrace, fills: bool) -> Vec<StateChange> {
    let came = element.on.iter().map(|state| StateChange::On { state: state.clone() });
    // The other one of the pair is told.
    let went =
        element.off.iter().filter(|state| !matches!(state.as_str(), "expanded" | "collapsed" | "mixed"));
    let went = went.map(|state| StateChange::Off { state: state.clone() });
    let value = element.value.clone().and_then(|value| match element.before.as_ref() == Some(&value) {
        false => Some(StateChange::Value { value }),
        true => fills.then_some(StateChange::SameValue { value }),
    });
    came.chain(went).chain(value).collect()
}

fn page_thing((role, name): &(String, String)) -> PageThing {
    PageThing { role: role.clone(), name: name.clone() }
}

/// Returns the effects of an action after which nothing particular can be told.
fn list_unspecific_effects(traces: &[ActionTrace], facts: &TraceFacts<'_>) -> Vec<ActionEffect> {
    let any = |is: fn(&ActionTrace) -> bool| traces.iter().any(is);
    let sent = (facts.sent > 0).then_some(ActionEffect::RequestsSent { count: facts.sent });
    if any(|trace| trace.elements.iter().any(|element| element.gone)) {
        vec![ActionEffect::ElementGone]
    } else if any(|trace| trace.removed) {
        vec![ActionEffect::SomethingGone]
    } else if any(|trace| trace.content) {
        vec![ActionEffect::PageChanged]
    } else if any(|trace| trace.style_changed) {
        Vec::from_iter([ActionEffect::LooksChanged].into_iter().chain(sent))
    } else if facts.has_notes {
        Vec::new()
    } else if facts.action.at_point || any(|trace| trace.drawing) {
        Vec::from_iter([ActionEffect::NothingBesideDrawing].into_iter().chain(sent))
    } else {
        Vec::from_iter([ActionEffect::NothingChanged].into_iter().chain(sent))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::texts::effects::describe_for_planner;
    use serde_json::{Value, json};

    fn describe_trace(trace: Value, facts: TraceFacts<'_>) -> String {
        let trace: ActionTrace = serde_json::from_value(trace).expect("a trace");
        describe_for_planner(&list_effects(&[trace], &facts))
    }

    fn here() -> TraceFacts<'static> {
        TraceFacts { url: "http://shop.test/a", ..TraceFacts::default() }
    }

    fn at(rest: Value) -> Value {
        let mut trace = json!({"href": "http://shop.test/a"});
        for (name, value) in rest.as_object().expect("an object") {
            trace[name] = value.clone();
        }
        trace
    }

    #[test]
    fn an_action_that_leaves_its_element_as_it_was_has_no_effect() {
        let press = TracedAction { switches: true, ..TracedAction::default() };
        let typing = |text: &str| TracedAction {
            fills: true,
            typed: vec![(3, text.to_owned())],
            ..TracedAction::default()
        };
        let same = |value: &str| json!({"eid": 3, "value": value, "before": value, "keepsText": true});
        for (rest, action, wanted) in [
            (
                json!({"elements": [{"eid": 3, "stays": "unchecked"}]}),
                press.clone(),
                Some("[3] is still unchecked"),
            ),
            (json!({"elements": [{"eid": 3, "stays": "unchecked"}]}), TracedAction::default(), None),
            (json!({"elements": [{"eid": 3, "stays": "unchecked"}], "content": true}), press.clone(), None),
            (json!({"elements": [{"eid": 3, "stays": "unchecked"}], "says": ["Sign in first"]}), press, None),
            (json!({"elements": [same("old")]}), typing("new"), Some("is still \"old\"")),
            (json!({"elements": [same("")]}), typing("new"), Some("is still empty")),
            (json!({"elements": [same("new")]}), typing("new"), None),
            (json!({"elements": [same("a long tex…")]}), typing("a long text"), None),
            (json!({"elements": [{"eid": 3, "value": "old", "before": "old"}]}), typing("new"), None),
            (
                json!({"elements": [{"eid": 3, "value": "One", "before": "One", "wentBack": true}]}),
                typing("new"),
                Some("is still \"One\""),
            ),
            (
                json!({"elements": [{"eid": 4, "value": "x", "before": ""}, same("")]}),
                typing("new"),
                Some("[3] did not take it and is still empty"),
            ),
            (json!({"elements": [same("")], "appeared": 1}), typing("new"), None),
        ] {
            let trace: ActionTrace = serde_json::from_value(at(rest.clone())).expect("a trace");
            let facts = TraceFacts { action: action.clone(), ..here() };
            let effects = list_effects(std::slice::from_ref(&trace), &facts);
            let fault = find_missing_effect(&[trace], &effects, &action).map(|fault| fault.message);
            assert_eq!(fault.is_some(), wanted.is_some(), "{rest}: {fault:?}");
            assert!(wanted.is_none_or(|part| fault.unwrap_or_default().contains(part)), "{rest}");
        }
    }

    #[test]
    fn results_say_what_happened() {
        let one = |element: Value| at(json!({"elements": [element], "content": true}));
        for (trace, sentence) in [
            (one(json!({"eid": 3, "on": ["checked"]})), "checked now"),
            (one(json!({"eid": 3, "off": ["checked"]})), "unchecked now"),
            (one(json!({"eid": 3, "on": ["collapsed"], "off": ["expanded"]})), "collapsed now"),
            (one(json!({"eid": 3, "off": ["disabled"]})), "not disabled any more"),
            (one(json!({"eid": 3, "value": "Ol\"ena", "before": ""})), r#"value now "Ol\"ena""#),
            (one(json!({"eid": 3, "gone": true})), "it is gone from the page"),
            (at(json!({"opened": [["dialog", "Delete?"]], "content": true})), r#"opened dialog "Delete?""#),
            (at(json!({"closed": [["menu", ""]]})), "closed menu"),
            (at(json!({"focus": ["textbox", "Name"]})), r#"focus moved to textbox "Name""#),
            (at(json!({"appeared": 3})), "3 things appeared"),
            (
                at(
                    json!({"says": ["Saved."], "heading": "Lamp", "appeared": 2, "removed": true, "content": true}),
                ),
                r#"says: "Saved."; heading now "Lamp"; 2 things appeared"#,
            ),
            (at(json!({"says": ["No \"lamp\" left"], "removed": true})), r#"says: "No \"lamp\" left""#),
            (at(json!({"appeared": 1, "text": "Saved"})), r#""Saved" appeared"#),
            (at(json!({"scrolled": true})), "the page scrolled"),
            (at(json!({"removed": true, "content": true})), "something is gone from the page"),
            (at(json!({"content": true})), "the page changed"),
            (at(json!({"style_changed": true})), "only looks changed on the page"),
            (at(json!({"drawing": true})), "nothing changed beside the drawing; look at the picture"),
            (at(json!({})), "nothing on the page changed"),
        ] {
            assert_eq!(describe_trace(trace.clone(), here()), sentence, "{trace}");
        }
        let two =
            at(json!({"elements": [{"eid": 3, "value": "a", "before": ""}, {"eid": 4, "on": ["checked"]}]}));
        assert_eq!(describe_trace(two, here()), r#"[3] value now "a"; [4] checked now"#);
    }

    #[test]
    fn what_is_known_beside_the_page_is_told_too() {
        let facts = |facts: TraceFacts<'static>| describe_trace(at(json!({})), facts);
        assert_eq!(
            facts(TraceFacts { sent: 1, ..here() }),
            "nothing on the page changed; 1 request was sent"
        );
        assert_eq!(
            facts(TraceFacts { sent: 2, waiting: true, ..here() }),
            "nothing on the page changed; 2 requests were sent; a request is still open"
        );
        assert_eq!(facts(TraceFacts { has_notes: true, ..here() }), "");
        assert_eq!(facts(TraceFacts { url: "http://shop.test/cart?x#y", ..here() }), r#"now at "/cart?x#y""#);
        assert_eq!(facts(TraceFacts { url: "http://b.test/", ..here() }), r#"now at "http://b.test/""#);
        let loaded = TraceFacts { loaded: true, ..here() };
        assert_eq!(describe_for_planner(&list_effects(&[], &loaded)), r#"now at "http://shop.test/a""#);
        let new_page = [ActionTrace { says: vec![String::from("Changed.")], ..ActionTrace::default() }];
        assert_eq!(
            describe_for_planner(&list_effects(&new_page, &loaded)),
            r#"says: "Changed."; now at "http://shop.test/a""#
        );
        let same = at(json!({"elements": [{"eid": 3, "value": "a", "before": "a"}]}));
        assert_eq!(
            describe_trace(
                same,
                TraceFacts { action: TracedAction { fills: true, ..TracedAction::default() }, ..here() }
            ),
            r#"value "a" as before"#
        );
    }
}
