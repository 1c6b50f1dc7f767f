//! Checks that the next action of a turn still means what it meant when it was planned: after an action that
//! changed the page, the rest is done only while its elements are unchanged. Pure.

use crate::ids;
use crate::page::observation::{Attributes, Line, Observation};
use crate::page::text;
use crate::page::url::strip_fragment;
use crate::turn::Call;
use crate::turn::action::{Action, BrowserAction, PageAction, TabOperation};
use crate::turn::page_input::points::PointAction;
use serde::{Deserialize, Serialize};
use std::sync::LazyLock;

/// Id of this process. Element numbers are valid within one process only.
static PROCESS: LazyLock<String> = LazyLock::new(ids::token);

/// The page that the later actions of a turn were planned for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Preconditions {
    process: String,
    /// The address without its fragment.
    url: String,
    tab: u32,
    focused: Option<u32>,
    /// The elements that the actions name.
    lines: Vec<Line>,
    /// Names and digests of the page's tools.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    tools: Vec<(String, String)>,
}

impl Preconditions {
    /// Captures the page for the actions after the first; `None` if there is only one. `shown_before` are elements that
    /// actions name and the page does not show now, as those under a dialog.
    pub fn capture(page: &Observation, shown_before: Vec<Line>, calls: &[Call]) -> Option<Self> {
        calls.get(1..).filter(|later| !later.is_empty())?;
        let named_eids: Vec<u32> = calls.iter().flat_map(list_eids).collect();
        let lines = page.lines.iter().filter(|line| line.eid.is_some_and(|eid| named_eids.contains(&eid)));
        let lines = lines.cloned().chain(shown_before);
        Some(Self {
            process: PROCESS.clone(),
            url: strip_fragment(&page.url).to_owned(),
            tab: page.tab.0,
            focused: page.focused_eid(),
            lines: lines.collect(),
            tools: page.tools.iter().map(|tool| (tool.name.clone(), tool.digest.clone())).collect(),
        })
    }

    /// Reports whether the element numbers are still valid.
    pub fn is_of_this_process(&self) -> bool {
        self.process == *PROCESS
    }

    /// Returns why the call cannot be done on the current page; `None` if it can. `done` are the calls before
    /// it: elements that they acted on may look different, and may have the focus.
    pub fn violation(&self, call: &Call, now: &Observation, done: &[Call]) -> Option<String> {
        // Validation refuses a call that is no action.
        let action = Action::parse(call).ok()?;
        if is_page_independent(&action) {
            return None;
        }
        if now.dialog.is_some() {
            return Some(String::from("the page asks something first; answer its dialog"));
        }
        if now.tab.0 != self.tab {
            return Some(String::from("another tab is in front now"));
        }
        let acted: Vec<u32> = done.iter().flat_map(list_eids).collect();
        let eids = action.eids();
        if !eids.is_empty() {
            return eids.into_iter().find_map(|eid| self.describe_change(eid, now, acted.contains(&eid)));
        }
        if let Action::Page(PageAction::Point(_)) = action {
            return Some(String::from("points hold on the picture that was shown; look at the new one"));
        }
        if !reads_any_page(&action) && strip_fragment(&now.url) != self.url {
            return Some(String::from("the page is another one now"));
        }
        if let Action::Page(PageAction::Tool { name, .. }) = &action {
            return self.describe_tool_change(name, now);
        }
        let focused = now.focused_eid();
        let is_own = focused.is_some_and(|eid| {
            acted.contains(&eid) || self.is_drawn_anew(eid, &acted, now) || is_around_any(eid, &acted, now)
        }) || done.last().is_some_and(moves_focus);
        let elsewhere = focused != self.focused && !is_own;
        let Action::Page(PageAction::Press { key }) = &action else { return None };
        let follows_click = done.last().is_some_and(is_click) && (focused.is_none() || is_key_of_page(key));
        (elsewhere && !follows_click).then(|| String::from("the focus is on another element now"))
    }

    /// Returns how a tool of the page differs from what was shown.
    fn describe_tool_change(&self, name: &str, now: &Observation) -> Option<String> {
        let Some((_, shown)) = self.tools.iter().find(|(shown, _)| shown == name) else {
            return Some(format!(
                "the tool {} was not on the page that this was planned for",
                text::quoted(name)
            ));
        };
        match now.tool(name) {
            None => Some(format!("the page has no tool {} any more", text::quoted(name))),
            Some(tool) if tool.digest != *shown => Some(format!(
                "the page declares the tool {} otherwise than it was shown; look at it again",
                text::quoted(name)
            )),
            Some(_) => None,
        }
    }

    /// Reports whether an element has the name of one that this turn acted on and that is gone: a list that is drawn anew
    /// gives what was clicked another number.
    fn is_drawn_anew(&self, eid: u32, acted: &[u32], now: &Observation) -> bool {
        let Some(line) = now.line(eid).filter(|line| !line.name.is_empty()) else { return false };
        let is_acted = |before: &&Line| before.eid.is_some_and(|eid| acted.contains(&eid));
        self.lines
            .iter()
            .filter(is_acted)
            .any(|before| before.name == line.name && before.eid.is_some_and(|eid| now.line(eid).is_none()))
    }

    fn describe_change(&self, eid: u32, now: &Observation, acted: bool) -> Option<String> {
        let Some(before) = self.lines.iter().find(|line| line.eid == Some(eid)) else {
            return Some(format!("[{eid}] was not on the page that this was planned for"));
        };
        let Some(line) = now.line(eid) else { return Some(describe_loss(before, now, eid)) };
        if line.attributes.disabled && !before.attributes.disabled {
            return Some(format!("[{eid}] has changed: it is disabled now"));
        }
        if (&before.role, &before.name) != (&line.role, &line.name) {
            return Some(format!("[{eid}] has changed: it is {} now", text::describe(line)));
        }
        let same = acted || is_same_state(&before.attributes, &line.attributes);
        (!same).then(|| format!("[{eid}] has changed: its state or value is another one now"))
    }
}

/// Says that an element is gone, and how many are there now that could be mistaken for it.
fn describe_loss(before: &Line, now: &Observation, eid: u32) -> String {
    let is_alike =
        |line: &&Line| line.eid.is_some() && (&line.role, &line.name) == (&before.role, &before.name);
    match now.lines.iter().filter(is_alike).count() {
        0 => format!("[{eid}] is not there any more"),
        1 => format!("[{eid}] is not there any more; what has its name now belongs to something else"),
        count => {
            format!("[{eid}] is not there any more; {count} have its name now, and none can be told to be it")
        }
    }
}

/// Reports whether the state of an element is the same as before. Something that is no longer selected is the
/// same: the action before has selected another one of its group.
fn is_same_state(before: &Attributes, now: &Attributes) -> bool {
    let mut before = stable_attributes(before);
    before.selected &= now.selected;
    before == stable_attributes(now)
}

/// Returns the attributes without those that may differ between observations, such as position and novelty.
fn stable_attributes(of: &Attributes) -> Attributes {
    Attributes {
        focused: false,
        new: false,
        above: false,
        below: false,
        left: false,
        right: false,
        within: None,
        covered: false,
        invalid: false,
        // Fields that are filled in before often enable a button; a control that is disabled now is checked apart.
        disabled: false,
        scroll: None,
        ..of.clone()
    }
}

/// Reports whether the action means the same on every page.
fn is_page_independent(action: &Action) -> bool {
    match action {
        Action::Browser(action) => matches!(
            action,
            BrowserAction::Navigate { .. } | BrowserAction::Tab { operation: TabOperation::New, .. }
        ),
        Action::Page(_) => false,
        Action::Person(_) | Action::Agent(_) => true,
    }
}

/// Reports whether the action, which names no element, only reads whatever page is shown, as after a link to the next one.
fn reads_any_page(action: &Action) -> bool {
    matches!(
        action,
        Action::Page(PageAction::Extract { .. } | PageAction::Find { .. } | PageAction::Wait { .. })
    )
}

/// Reports whether the action names no element and may move the focus, as keys and presses at points do: a key after it is
/// meant for where it leaves the focus.
fn moves_focus(call: &Call) -> bool {
    matches!(
        Action::parse(call),
        Ok(Action::Page(
            PageAction::Press { .. }
                | PageAction::Point(PointAction::Click { .. } | PointAction::Type { .. })
        ))
    )
}

/// Reports whether a call clicks an element; the page may move the focus then.
fn is_click(call: &Call) -> bool {
    matches!(Action::parse(call), Ok(Action::Page(PageAction::Click { .. })))
}

/// Reports whether a key mostly means the same wherever the focus is: it closes something, or is a command of the page.
fn is_key_of_page(key: &str) -> bool {
    let is_chord = ["Control+", "Meta+", "Alt+"].iter().any(|modifier| key.starts_with(modifier));
    key == "Escape" || (is_chord && !key.ends_with("Enter"))
}

/// Reports whether an element is around one of others: a press within a dialog or list may focus the whole.
fn is_around_any(eid: u32, others: &[u32], now: &Observation) -> bool {
    let Some(at) = now.lines.iter().position(|line| line.eid == Some(eid)) else { return false };
    let depth = now.lines[at].depth;
    let inner = now.lines[at + 1..].iter().take_while(|line| line.depth > depth);
    inner.filter_map(|line| line.eid).any(|inner| others.contains(&inner))
}

/// Lists the elements that a call acts on.
pub fn list_eids(call: &Call) -> Vec<u32> {
    Action::parse(call).map(|action| action.eids()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::page_tool::PageTool;
    use serde_json::json;

    fn page(tools: &[(&str, &str)]) -> Observation {
        let tool = |(name, digest): &(&str, &str)| PageTool {
            name: (*name).to_owned(),
            digest: (*digest).to_owned(),
            ..PageTool::default()
        };
        let url = String::from("http://shop.test/");
        Observation { url, tools: tools.iter().map(tool).collect(), ..Observation::default() }
    }

    fn call(action: &str, params: &serde_json::Value) -> Call {
        serde_json::from_value(json!({"action": action, "params": params})).expect("a call")
    }

    #[test]
    fn a_key_follows_the_focus_that_the_turns_own_input_has_moved() {
        let line = |eid: u32, focused: bool| Line {
            role: String::from("textbox"),
            eid: Some(eid),
            attributes: Attributes { focused, ..Attributes::default() },
            ..Line::default()
        };
        let with_focus =
            |on: u32| Observation { lines: vec![line(1, on == 1), line(2, on == 2)], ..page(&[]) };
        let key = call("press", &json!({"key": "4"}));
        let wait = call("wait", &json!({"seconds": 0}));
        let point = call("click", &json!({"x": 10, "y": 20}));
        let other = call("click", &json!({"eid": 1}));
        for (before, now, is_dropped) in [
            (&key, with_focus(2), false),
            (&point, with_focus(2), false),
            (&other, with_focus(1), false),
            (&other, with_focus(2), true),
            (&other, with_focus(0), false),
            (&wait, with_focus(2), true),
        ] {
            let turn = [before.clone(), key.clone()];
            let shown = Preconditions::capture(&with_focus(0), Vec::new(), &turn).expect("two actions");
            let violation = shown.violation(&key, &now, std::slice::from_ref(before));
            assert_eq!(violation.is_some(), is_dropped, "after {}: {violation:?}", before.action);
        }
    }

    // A row that another one took the selection from is still the row that was meant; one that is ticked is another thing.
    #[test]
    fn what_is_no_longer_selected_is_still_acted_on() {
        let with = |selected: bool, checked: bool| Observation {
            lines: vec![Line {
                eid: Some(1),
                attributes: Attributes { selected, checked, ..Attributes::default() },
                ..Line::default()
            }],
            ..page(&[])
        };
        let turn = [call("click", &json!({"eid": 2})), call("click", &json!({"eid": 1}))];
        for (before, now, is_dropped) in [
            (with(true, false), with(false, false), false),
            (with(false, false), with(true, false), true),
            (with(false, true), with(false, false), true),
        ] {
            let shown = Preconditions::capture(&before, Vec::new(), &turn).expect("two actions");
            let violation = shown.violation(&turn[1], &now, &turn[..1]);
            assert_eq!(violation.is_some(), is_dropped, "{violation:?}");
        }
    }

    #[test]
    fn a_key_of_the_page_follows_a_click_that_moved_the_focus() {
        let line = |eid: u32, focused: bool| Line {
            eid: Some(eid),
            attributes: Attributes { focused, ..Attributes::default() },
            ..Line::default()
        };
        let with =
            |on: u32| Observation { lines: [1, 2, 3].map(|eid| line(eid, eid == on)).into(), ..page(&[]) };
        let click = call("click", &json!({"eid": 1}));
        for (key, focused, is_dropped) in [
            ("Escape", 2, false),
            ("F2", 2, true),
            ("Control+V", 2, false),
            ("Control+Enter", 2, true),
            ("Enter", 2, true),
            ("Delete", 2, true),
            ("v", 2, true),
            ("v", 0, false),
        ] {
            let turn = [click.clone(), call("press", &json!({"key": key}))];
            let shown = Preconditions::capture(&with(3), Vec::new(), &turn).expect("two actions");
            let violation = shown.violation(&turn[1], &with(focused), &turn[..1]);
            assert_eq!(violation.is_some(), is_dropped, "{key} with the focus on {focused}");
        }
    }

    #[test]
    fn a_key_goes_to_the_dialog_around_what_was_clicked() {
        let line = |depth: u32, eid: u32, focused: bool| Line {
            depth,
            eid: Some(eid),
            attributes: Attributes { focused, ..Attributes::default() },
            ..Line::default()
        };
        let with = |on: u32| Observation {
            lines: [(0, 1), (1, 2), (2, 3), (0, 4)].map(|(depth, eid)| line(depth, eid, eid == on)).into(),
            ..page(&[])
        };
        let turn = [call("click", &json!({"eid": 3})), call("press", &json!({"key": "v"}))];
        let shown = Preconditions::capture(&with(0), Vec::new(), &turn).expect("two actions");
        for (focused, is_dropped) in [(1, false), (2, false), (3, false), (4, true)] {
            let violation = shown.violation(&turn[1], &with(focused), &turn[..1]);
            assert_eq!(violation.is_some(), is_dropped, "{focused}");
        }
    }

    #[test]
    fn a_key_goes_to_what_was_clicked_though_its_list_was_drawn_anew() {
        let row = |eid: u32, name: &str, focused: bool| Line {
            role: String::from("button"),
            name: name.to_owned(),
            eid: Some(eid),
            attributes: Attributes { focused, ..Attributes::default() },
            ..Line::default()
        };
        let with = |lines: Vec<Line>| Observation { lines, ..page(&[]) };
        let turn = [call("click", &json!({"eid": 1})), call("press", &json!({"key": "F2"}))];
        let before = with(vec![row(1, "draft.txt", false), row(2, "todo.md", false)]);
        let shown = Preconditions::capture(&before, Vec::new(), &turn).expect("two actions");
        for (now, is_dropped) in [
            (with(vec![row(3, "draft.txt", true), row(4, "todo.md", false)]), false),
            (with(vec![row(3, "draft.txt", false), row(4, "todo.md", true)]), true),
            (with(vec![row(1, "draft.txt", false), row(3, "draft.txt", true)]), true),
        ] {
            assert_eq!(shown.violation(&turn[1], &now, &turn[..1]).is_some(), is_dropped, "{now:?}");
        }
    }

    #[test]
    fn what_a_dialog_hid_is_acted_on_as_it_was_shown_before() {
        let button = |name: &str| Line {
            role: String::from("button"),
            name: name.to_owned(),
            eid: Some(9),
            ..Line::default()
        };
        let turn = [call("click", &json!({"eid": 1})), call("click", &json!({"eid": 9}))];
        let shown = Preconditions::capture(&page(&[]), vec![button("Create")], &turn).expect("two actions");
        for (name, is_dropped) in [("Create", false), ("Delete", true)] {
            let now = Observation { lines: vec![button(name)], ..page(&[]) };
            assert_eq!(shown.violation(&turn[1], &now, &turn[..1]).is_some(), is_dropped, "{name}");
        }
    }

    #[test]
    fn a_tool_is_called_only_as_it_was_shown() {
        let call = |name: &str| call("page_tool", &json!({"name": name, "arguments": {}}));
        let turn = [call("find"), call("find")];
        let shown = Preconditions::capture(&page(&[("find", "1")]), Vec::new(), &turn).expect("two actions");
        for (name, now, words) in [
            ("find", page(&[("find", "1"), ("order", "1")]), None),
            ("find", page(&[("find", "2")]), Some("otherwise than it was shown")),
            ("find", page(&[]), Some("has no tool \"find\" any more")),
            ("order", page(&[("find", "1"), ("order", "1")]), Some("was not on the page")),
        ] {
            let violation = shown.violation(&call(name), &now, &[]);
            assert_eq!(violation.is_some(), words.is_some(), "{name}: {violation:?}");
            assert!(violation.unwrap_or_default().contains(words.unwrap_or_default()), "{name}");
        }
    }
}
