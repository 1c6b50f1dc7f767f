//! Small pages for the tests of the command planner, written as docs/page_text.md describes them, and
//! turns written as one line.

use askfirst::command_planner::plan;
use askfirst::page::observation::{Attributes, Line, Observation};
use askfirst::planning::{ActionResult, ActionStatus, HistoryEntry, PlanRequest, Speaker};
use askfirst::protocol::Locale;
use askfirst::turn::Turn;
use askfirst::turn::action::{Action, AgentAction, BrowserAction, NAMES, PageAction, PersonAction};

/// The names of all actions that there are.
pub fn all_actions() -> Vec<&'static str> {
    NAMES.to_vec()
}

/// Reads lines as `- button "Save" [3] disabled`, two spaces a level.
pub fn page(text: &str) -> Observation {
    let lines = text.lines().filter(|line| !line.trim().is_empty()).map(line).collect();
    Observation {
        number: 1,
        url: String::from("http://shop.test/cart"),
        title: String::from("Cart"),
        tab: (1, 1),
        viewport: (1280, 720),
        scroll: (0, 0),
        scroll_across: (0, 0),
        lines,
        tabs: Vec::new(),
        tools: Vec::new(),
        dialog: None,
        document: String::new(),
        unshown: Default::default(),
    }
}

fn line(text: &str) -> Line {
    let depth = (text.len() - text.trim_start().len()) / 2;
    let rest = text.trim_start().trim_start_matches("- ");
    let (role, rest) = rest.split_once(' ').unwrap_or((rest, ""));
    let (name, rest) = match rest.strip_prefix('"') {
        Some(rest) => rest.split_once('"').expect("a closing quote"),
        None => ("", rest),
    };
    let (eid, rest) = match rest.trim().strip_prefix('[') {
        Some(rest) => {
            let (eid, rest) = rest.split_once(']').expect("a closing bracket");
            (Some(eid.parse().expect("a number")), rest)
        }
        None => (None, rest),
    };
    Line {
        depth: u32::try_from(depth).expect("a small depth"),
        role: role.to_owned(),
        name: name.to_owned(),
        eid,
        attributes: attributes(rest.trim()),
    }
}

fn attributes(text: &str) -> Attributes {
    let mut found = Attributes::default();
    let mut rest = text;
    while !rest.is_empty() {
        if let Some(after) = rest.strip_prefix("options=\"") {
            let (options, after) = after.split_once('"').expect("a closing quote");
            found.options = options.split('|').map(str::to_owned).collect();
            rest = after.trim_start();
            continue;
        }
        let (word, after) = rest.split_once(' ').unwrap_or((rest, ""));
        match word {
            "disabled" => found.disabled = true,
            "checked" => found.checked = true,
            "required" => found.required = true,
            "invalid" => found.invalid = true,
            "focused" => found.focused = true,
            "above" => found.above = true,
            "below" => found.below = true,
            "readonly" => found.readonly = true,
            "editable" => found.editable = true,
            "collapsed" => found.collapsed = true,
            other => panic!("unknown attribute {other}"),
        }
        rest = after.trim_start();
    }
    found
}

/// A conversation with the planner over pages that the test gives.
pub struct Talk {
    pub history: Vec<HistoryEntry>,
    pub locale: Locale,
    pub actions: Vec<&'static str>,
    pub files: Vec<String>,
}

impl Talk {
    pub fn new(message: &str) -> Self {
        let mut talk =
            Self { history: Vec::new(), locale: Locale::Uk, actions: all_actions(), files: Vec::new() };
        talk.say(message);
        talk
    }

    pub fn say(&mut self, message: &str) {
        self.history.push(HistoryEntry::Message { by: Speaker::Person, text: message.to_owned() });
    }

    /// The next turn on this page.
    pub fn turn(&self, page: Option<&Observation>) -> Turn {
        plan(&PlanRequest {
            locale: self.locale,
            goal: None,
            secrets: &[],
            history: &self.history,
            page,
            since: None,
            picture: None,
            actions: &self.actions,
            thoughts: false,
            notes: &[],
            files: &self.files,
            ..PlanRequest::default()
        })
    }

    /// The next turn in one line; its action is then done with this outcome.
    pub fn step(&mut self, page: &Observation, outcome: ActionStatus) -> String {
        self.step_returning(page, outcome, None)
    }

    pub fn step_returning(
        &mut self,
        page: &Observation,
        outcome: ActionStatus,
        returned: Option<&str>,
    ) -> String {
        let turn = self.turn(Some(page));
        let shown = show(&turn);
        let results = turn.actions.iter().enumerate().map(|(index, call)| ActionResult {
            action_id: call.id_at(index),
            action: call.action.clone(),
            outcome: outcome.clone(),
            returned: returned.map(str::to_owned),
            answer: None,
            effect_summary: None,
        });
        let results = results.collect();
        self.history.push(HistoryEntry::Acted { turn, results });
        shown
    }

    /// Runs all turns to the end, every one with success.
    pub fn run(&mut self, page: &Observation) -> Vec<String> {
        let mut shown = Vec::new();
        for _ in 0..100 {
            let stopped = self.turn(Some(page)).stop;
            if stopped {
                return shown;
            }
            shown.push(self.step(page, ActionStatus::Ok));
        }
        panic!("the orders never end: {shown:?}");
    }
}

pub fn failed(code: &str) -> ActionStatus {
    ActionStatus::Failed { code: code.to_owned(), message: String::from("it is covered") }
}

/// `click 3`, `type 4 "olena"`, `stop`.
pub fn show(turn: &Turn) -> String {
    let call = turn.actions.first().expect("a turn of the command planner has one action");
    assert_eq!(turn.actions.len(), 1);
    match Action::parse(call).expect("a valid action") {
        Action::Browser(BrowserAction::Navigate { url }) => format!("navigate {url}"),
        Action::Browser(BrowserAction::Back) => String::from("back"),
        Action::Browser(BrowserAction::Forward) => String::from("forward"),
        Action::Browser(BrowserAction::Reload) => String::from("reload"),
        Action::Page(PageAction::Click { eid, click })
            if click.hold_ms > 0 || !click.modifiers.is_empty() =>
        {
            format!("click {eid} {:?} {}", click.modifiers, click.hold_ms)
        }
        Action::Page(PageAction::Click { eid, click }) => match (click.button, click.count) {
            (askfirst::turn::page_input::mouse::Button::Right, _) => format!("click {eid} right"),
            (_, 2) => format!("click {eid} twice"),
            _ => format!("click {eid}"),
        },
        Action::Page(PageAction::Type { eid, text, clear, submit }) => {
            assert!(clear && !submit);
            format!("type {eid} {text:?}")
        }
        Action::Page(PageAction::Select { eid, options }) => format!("select {eid} {}", options.join("|")),
        Action::Page(PageAction::Press { key }) => format!("press {key}"),
        Action::Page(PageAction::Hover { eid }) => format!("hover {eid}"),
        Action::Page(PageAction::Drag { from_eid, to_eid }) => format!("drag {from_eid} {to_eid}"),
        Action::Page(PageAction::Dialog { accept, .. }) => format!("dialog {accept}"),
        Action::Page(PageAction::Upload { eid, files }) => format!("upload {eid} {}", files.join("|")),
        Action::Browser(BrowserAction::Tab { operation, .. }) => format!("tab {operation:?}"),
        Action::Page(PageAction::Scroll { direction, amount, eid }) => {
            let inside = eid.map(|eid| format!(" in {eid}")).unwrap_or_default();
            format!("scroll {} {amount}{inside}", format!("{direction:?}").to_lowercase())
        }
        Action::Page(PageAction::Wait { gone: Some(gone), .. }) => format!("wait gone {gone:?}"),
        Action::Page(PageAction::Wait { seconds, text, .. }) => match text {
            Some(text) => format!("wait {seconds} {text:?}"),
            None => format!("wait {seconds}"),
        },
        Action::Page(PageAction::Extract { eid, schema, format: Some(format) }) => {
            let columns = schema.map(|schema| {
                let named = schema["items"]["properties"].as_object().expect("properties");
                named.keys().cloned().collect::<Vec<_>>().join("|")
            });
            let parts = [eid.map(|eid| eid.to_string()), columns].into_iter().flatten();
            let parts: Vec<String> = parts.collect();
            format!("rows {format:?} {}", parts.join(" "))
        }
        Action::Page(PageAction::Find { text, role: None }) => format!("find {text:?}"),
        Action::Page(PageAction::Fill { fields, submit: false }) => {
            let fields: Vec<String> =
                fields.iter().map(|field| serde_json::json!(field).to_string()).collect();
            format!("fill {}", fields.join(" "))
        }
        Action::Page(PageAction::Extract { eid, .. }) => {
            eid.map_or(String::from("extract"), |eid| format!("extract {eid}"))
        }
        Action::Page(
            action @ (PageAction::Fill { .. }
            | PageAction::Find { .. }
            | PageAction::Tool { .. }
            | PageAction::SelectText { .. }
            | PageAction::Point(_)),
        ) => {
            format!("{action:?}")
        }
        Action::Person(PersonAction::NeedUser { .. }) => String::from("need_user"),
        Action::Person(PersonAction::AskUser { .. }) => String::from("ask_user"),
        Action::Agent(AgentAction::Stop { .. }) => String::from("stop"),
        Action::Agent(AgentAction::Inner(inner)) => inner.name().to_owned(),
    }
}
