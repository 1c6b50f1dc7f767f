//! Parses a call into an action: the only way from a planner's output to an executable action.

use crate::turn::Call;
use crate::turn::action::{
    Action, ActionError, AgentAction, BrowserAction, Direction, NAMES, PAGE_TOOL, PageAction, PersonAction,
    TabOperation,
};
use crate::turn::agent_tools::Tool;
use crate::turn::internal_action::{INTERNAL, InternalAction, PremoveOperation, TaskOperation};
use crate::turn::page_input::mouse::{Button, ClickInput, MAX_HOLD_MS, Modifier};
use crate::turn::page_input::points::{PicturePoint, PointAction};
use crate::turn::page_range::PageRange;
use crate::turn::param_reader::ParamReader;

impl Action {
    /// Parses a call of an agent that has only a page and a person.
    pub fn parse(call: &Call) -> Result<Self, ActionError> {
        Self::parse_with(call, &NAMES, &[])
    }

    /// Checks the name against `actions` and `tools`, and the parameters of the agent's own actions.
    /// Parameters of tools are converted here and checked by `Tool::complete` once their templates are
    /// evaluated.
    pub fn parse_with(call: &Call, actions: &[&str], tools: &[Tool]) -> Result<Self, ActionError> {
        let name = if call.action == "complete" { "stop" } else { call.action.as_str() };
        if actions.contains(&name) {
            return Self::own(call);
        }
        if let Some(tool) = tools.iter().find(|tool| tool.name == name) {
            return Ok(Self::Agent(AgentAction::Inner(InternalAction::Agent {
                name: tool.name.clone(),
                input: tool.read(&call.params),
            })));
        }
        let is_group = !call.sub_actions.is_empty() && !NAMES.contains(&name) && !INTERNAL.contains(&name);
        if is_group && !name.trim().is_empty() {
            return Ok(Self::Agent(AgentAction::Inner(InternalAction::Group { name: name.to_owned() })));
        }
        Err(unknown(name, actions, tools))
    }

    /// Parses one of the agent's own actions. Unknown parameters are ignored, as weak models invent some.
    fn own(call: &Call) -> Result<Self, ActionError> {
        let reader = ParamReader { action: &call.action, params: &call.params };
        if let Some(action) = parse_file_action(&reader)? {
            return Ok(Self::Agent(AgentAction::Inner(action)));
        }
        if let Some(action) = parse_page_action(&reader)? {
            return Ok(Self::Page(action));
        }
        if let Some(action) = parse_browser_action(&reader)? {
            return Ok(Self::Browser(action));
        }
        if let Some(action) = parse_person_action(&reader)? {
            return Ok(Self::Person(action));
        }
        parse_agent_action(&reader)?.map(Self::Agent).ok_or_else(|| unknown(&call.action, &NAMES, &[]))
    }
}

/// Parses an action on the page; `None` if the name is not of one.
fn parse_page_action(reader: &ParamReader<'_>) -> Result<Option<PageAction>, ActionError> {
    if let Some(action) = parse_point_action(reader)? {
        return Ok(Some(PageAction::Point(action)));
    }
    Ok(Some(match reader.action {
        "click" => PageAction::Click { eid: reader.eid()?, click: click_input(reader)? },
        "type" => PageAction::Type {
            eid: reader.eid()?,
            text: reader.text_or_number("text")?,
            clear: reader.or("clear", true)?,
            submit: reader.or("submit", false)?,
        },
        "fill" => PageAction::Fill { fields: reader.fields()?, submit: reader.or("submit", false)? },
        "select" => PageAction::Select { eid: reader.eid()?, options: reader.texts_or_none("option")? },
        "press" => PageAction::Press { key: reader.text("key")? },
        "hover" => PageAction::Hover { eid: reader.eid()? },
        "drag" => {
            PageAction::Drag { from_eid: reader.eid_named("from_eid")?, to_eid: reader.eid_named("to_eid")? }
        }
        "select_text" => PageAction::SelectText { text: reader.text("text")? },
        "scroll" => PageAction::Scroll {
            direction: reader.or("direction", Direction::Down)?,
            amount: reader.or("amount", 1.0f64)?.clamp(0.1, 100.0),
            eid: reader.optional_eid("eid")?,
        },
        "upload" => PageAction::Upload { eid: reader.eid()?, files: reader.texts("file")? },
        "dialog" => PageAction::Dialog {
            accept: reader.require("accept", "true or false")?,
            text: reader.optional("text")?,
        },
        PAGE_TOOL => PageAction::Tool { name: reader.text("name")?, arguments: reader.map("arguments")? },
        _ => return parse_looking_action(reader),
    }))
}

/// Seconds of a `wait` that names none, and of one for a text.
const PAUSE_S: f64 = 5.0;
const PATIENCE_S: f64 = 10.0;
/// Longest `wait`, in seconds.
const LONGEST_WAIT_S: f64 = 60.0;

/// Parses an action that reads the page or waits for it; `None` if the name is not of one.
fn parse_looking_action(reader: &ParamReader<'_>) -> Result<Option<PageAction>, ActionError> {
    Ok(Some(match reader.action {
        "wait" => {
            let (text, gone) = (reader.optional("text")?, reader.optional_text("gone")?);
            let default = if text.is_some() || gone.is_some() { PATIENCE_S } else { PAUSE_S };
            PageAction::Wait {
                seconds: reader.or("seconds", default)?.clamp(0.0, LONGEST_WAIT_S),
                text,
                gone,
            }
        }
        "find" => PageAction::Find { text: reader.text("text")?, role: reader.optional_text("role")? },
        "extract" => parse_extract(reader)?,
        _ => return Ok(None),
    }))
}

fn parse_extract(reader: &ParamReader<'_>) -> Result<PageAction, ActionError> {
    let format = match reader.optional_text("as")?.as_deref() {
        None | Some("text") => None,
        Some(_) => reader.optional("as")?,
    };
    let schema = Some(reader.map("schema")?).filter(|schema| !schema.is_empty());
    Ok(PageAction::Extract { eid: reader.optional_eid("eid")?, schema, format })
}

/// Parses the reading of a file; `None` if the action names no file.
fn parse_file_action(reader: &ParamReader<'_>) -> Result<Option<InternalAction>, ActionError> {
    if reader.action != "extract" {
        return Ok(None);
    }
    let range = reader.find_value("pages").map_or(Ok(None), PageRange::from_value);
    let pages = range.map_err(|fault| reader.fail(fault.to_string()))?;
    let is_picture = reader.optional_text("as")?.as_deref() == Some("picture");
    let Some(file) = reader.optional_text("file")? else {
        return match pages {
            // Without a name, the picture is that of the page itself.
            None if is_picture && reader.find_value("schema").is_none() => {
                Ok(Some(InternalAction::ReadFile { file: String::new(), pages, pictures: true }))
            }
            Some(_) => Err(reader.fail(String::from("`pages` needs `file`, the name of a PDF of this run"))),
            None => Ok(None),
        };
    };
    let pictures = match reader.optional_text("as")?.as_deref() {
        None | Some("text") => false,
        Some("picture") => true,
        Some(_) => return Err(reader.fail(String::from("a file is read `as` text or picture"))),
    };
    Ok(Some(InternalAction::ReadFile { file, pages, pictures }))
}

/// Parses an action at a point of the picture; `None` if it names an element, or no point.
fn parse_point_action(reader: &ParamReader<'_>) -> Result<Option<PointAction>, ActionError> {
    if reader.action == "drag" {
        let from: Option<PicturePoint> = reader.optional("from")?;
        let to: Option<PicturePoint> = reader.optional("to")?;
        return match (from, to) {
            (Some(from), Some(to)) => Ok(Some(PointAction::Drag { from, to })),
            (None, None) => Ok(None),
            _ => Err(reader.fail(String::from("a drag between points needs `from` and `to`, each {x, y}"))),
        };
    }
    if !matches!(reader.action, "click" | "hover" | "type") || reader.find_value("eid").is_some() {
        return Ok(None);
    }
    let at = match (reader.optional("x")?, reader.optional("y")?) {
        (Some(x), Some(y)) => PicturePoint { x, y },
        (None, None) => return Ok(None),
        _ => return Err(reader.fail(String::from("a point needs both `x` and `y`"))),
    };
    Ok(Some(match reader.action {
        "click" => PointAction::Click { at, click: click_input(reader)? },
        "hover" => PointAction::Hover { at },
        _ => PointAction::Type {
            at,
            text: reader.text_or_number("text")?,
            clear: reader.or("clear", true)?,
            submit: reader.or("submit", false)?,
        },
    }))
}

fn click_input(reader: &ParamReader<'_>) -> Result<ClickInput, ActionError> {
    Ok(ClickInput {
        button: reader.or("button", Button::Left)?,
        count: reader.or("count", 1u32)?.clamp(1, 3),
        modifiers: modifiers(reader)?,
        hold_ms: reader.or("hold_ms", 0u32)?.min(MAX_HOLD_MS),
    })
}

/// Reads the held keys: a list of names, or one name.
fn modifiers(reader: &ParamReader<'_>) -> Result<Vec<Modifier>, ActionError> {
    let names = match reader.find_value("modifiers") {
        None => return Ok(Vec::new()),
        Some(_) => reader.texts_or_none("modifiers")?,
    };
    let mut held = Vec::new();
    for name in &names {
        let modifier = Modifier::parse(name).ok_or_else(|| {
            reader.fail(format!("`{name}` is no key to hold; use Control, Shift, Alt or Meta"))
        })?;
        if !held.contains(&modifier) {
            held.push(modifier);
        }
    }
    Ok(held)
}

fn parse_browser_action(reader: &ParamReader<'_>) -> Result<Option<BrowserAction>, ActionError> {
    Ok(Some(match reader.action {
        "navigate" => BrowserAction::Navigate { url: reader.text("url")? },
        "back" => BrowserAction::Back,
        "forward" => BrowserAction::Forward,
        "reload" => BrowserAction::Reload,
        "tab" => tab(reader)?,
        _ => return Ok(None),
    }))
}

fn parse_person_action(reader: &ParamReader<'_>) -> Result<Option<PersonAction>, ActionError> {
    Ok(Some(match reader.action {
        "need_user" => PersonAction::NeedUser { text: reader.text("text")? },
        "ask_user" => PersonAction::AskUser {
            question: reader.text("question")?,
            answer_key: reader.or("answer_key", String::from("answer"))?,
            options: reader.or("options", Vec::new())?,
        },
        _ => return Ok(None),
    }))
}

fn parse_agent_action(reader: &ParamReader<'_>) -> Result<Option<AgentAction>, ActionError> {
    Ok(Some(match reader.action {
        "stop" | "complete" => AgentAction::Stop { response: reader.optional("response")? },
        "task_manager" => AgentAction::Inner(task_manager(reader)?),
        "recall" => AgentAction::Inner(recall(reader)?),
        "premove" => AgentAction::Inner(premove(reader)?),
        "replan" => {
            AgentAction::Inner(InternalAction::Replan { reason: reader.or("reason", String::new())? })
        }
        _ => return Ok(None),
    }))
}

fn unknown(name: &str, actions: &[&str], tools: &[Tool]) -> ActionError {
    let actions = actions.iter().map(|action| String::from(*action));
    let known = actions.chain(tools.iter().map(|tool| tool.name.clone())).collect();
    ActionError::Unknown { name: name.to_owned(), known }
}

fn recall(reader: &ParamReader<'_>) -> Result<InternalAction, ActionError> {
    Ok(InternalAction::Recall {
        query: reader.text("query")?,
        relics: reader.optional("relics")?.unwrap_or_default(),
    })
}

fn task_manager(reader: &ParamReader<'_>) -> Result<InternalAction, ActionError> {
    let operation = reader.require("operation", "get_status, list, wait or cancel")?;
    let task_id: Option<String> = reader.optional("task_id")?;
    let task_id = task_id.filter(|id| !id.trim().is_empty());
    match operation {
        TaskOperation::GetStatus | TaskOperation::Wait | TaskOperation::Cancel if task_id.is_none() => {
            Err(reader.fail(String::from("`task_id` (the id that the task was given) is missing")))
        }
        TaskOperation::GetStatus | TaskOperation::List | TaskOperation::Wait | TaskOperation::Cancel => {
            Ok(InternalAction::TaskManager { operation, task_id })
        }
    }
}

fn premove(reader: &ParamReader<'_>) -> Result<InternalAction, ActionError> {
    let operation = reader.require("operation", "set, clear or list")?;
    let agent: Option<String> = reader.optional("agent")?;
    let name: Option<String> = reader.optional("name")?;
    let params = reader.map("params")?;
    match operation {
        PremoveOperation::Set if agent.is_none() => {
            Err(reader.fail(String::from("`agent` (whom to call before every plan) is missing")))
        }
        PremoveOperation::Set | PremoveOperation::Clear | PremoveOperation::List => {
            let named = matches!(operation, PremoveOperation::Set).then(|| agent.clone()).flatten();
            Ok(InternalAction::Premove { operation, name: name.or(named), agent, params })
        }
    }
}

fn tab(reader: &ParamReader<'_>) -> Result<BrowserAction, ActionError> {
    let operation = reader.require("operation", "new, switch or close")?;
    let tab: Option<u32> = reader.optional("tab")?;
    let url: Option<String> = reader.optional("url")?;
    match operation {
        TabOperation::Switch if tab.is_none() => {
            Err(reader.fail(String::from("`tab` (the number of the tab, from 1) is missing")))
        }
        TabOperation::New | TabOperation::Switch | TabOperation::Close => {
            Ok(BrowserAction::Tab { operation, tab, url: url.filter(|url| !url.trim().is_empty()) })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn parsed(call: Value) -> Result<Action, String> {
        let tools = [Tool { name: String::from("build_tool"), ..Tool::default() }];
        let call = serde_json::from_value(call).expect("a call");
        let actions = [&["ask_user", "stop"], &INTERNAL[..]].concat();
        Action::parse_with(&call, &actions, &tools).map_err(|fault| fault.to_string())
    }

    // S4.8: the type is kept for the trace, and decides nothing.
    #[test]
    fn actions_keep_their_types() {
        for kind in ["tool", "internal", "relic", "monument"] {
            let call: Call = serde_json::from_value(json!({"action": "stop", "type": kind})).expect("a call");
            assert_eq!(call.kind.as_deref(), Some(kind));
            assert_eq!(serde_json::to_value(&call).expect("JSON")["type"], kind);
            assert_eq!(
                parsed(json!({"action": "stop", "type": kind})).map(|action| action.name().to_owned()),
                Ok("stop".into())
            );
        }
    }

    // A name is an action, a tool, or the title of a group of sub-actions (S2.24, S4.7, S4.13).
    #[test]
    fn a_name_means_what_the_agent_may_do() {
        for (call, name) in [
            (json!({"action": "build_tool", "params": {"target": "x"}}), "build_tool"),
            (json!({"action": "report", "sub_actions": [{"action": "build_tool"}]}), "report"),
            (json!({"action": "complete"}), "stop"),
            (json!({"action": "task_manager", "params": {"operation": "list"}}), "task_manager"),
            (json!({"action": "recall", "params": {"query": "q", "relics": null}}), "recall"),
            (json!({"action": "replan"}), "replan"),
        ] {
            let action = parsed(call.clone());
            assert_eq!(action.as_ref().map(Action::name), Ok(name), "{call}");
            let is_group =
                matches!(action, Ok(Action::Agent(AgentAction::Inner(InternalAction::Group { .. }))));
            assert_eq!(is_group, name == "report");
        }
        for (call, words) in [
            (
                json!({"action": "deploy"}),
                "there is no action `deploy`; use one of: ask_user, stop, task_manager, recall, premove, replan, \
                 build_tool",
            ),
            (
                json!({"action": "click", "sub_actions": [{"action": "build_tool"}]}),
                "there is no action `click`; use one of: ask_user, stop, task_manager, recall, premove, replan, \
                 build_tool",
            ),
            (
                json!({"action": "task_manager", "params": {"operation": "wait", "task_id": ""}}),
                "`task_manager`: `task_id` (the id that the task was given) is missing",
            ),
            (
                json!({"action": "premove", "params": {"operation": "set"}}),
                "`premove`: `agent` (whom to call before every plan) is missing",
            ),
        ] {
            assert_eq!(parsed(call), Err(words.to_owned()));
        }
    }

    fn page_action(action: &str, params: Value) -> Result<PageAction, String> {
        let call = serde_json::from_value(json!({"action": action, "params": params})).expect("a call");
        match Action::parse(&call) {
            Ok(Action::Page(action)) => Ok(action),
            Ok(other) => Err(format!("{other:?} is no action on a page")),
            Err(fault) => Err(fault.to_string()),
        }
    }

    #[test]
    fn a_wait_for_a_text_is_longer_than_a_pause_and_bounded() {
        for (params, waits) in [
            (json!({}), PAUSE_S),
            (json!({"text": "Done"}), PATIENCE_S),
            (json!({"gone": "Loading", "seconds": null}), PATIENCE_S),
            (json!({"text": "Done", "seconds": 2}), 2.0),
            (json!({"text": "Done", "seconds": 600}), LONGEST_WAIT_S),
        ] {
            let read = page_action("wait", params.clone());
            let Ok(PageAction::Wait { seconds, .. }) = read else { panic!("{read:?}") };
            assert_eq!(seconds, waits, "{params}");
        }
    }

    // Held keys are read by the names that keyboards bear, and holding has a limit.
    #[test]
    fn clicks_may_hold_keys_and_the_button() {
        let read = page_action(
            "click",
            json!({"eid": 3, "modifiers": ["ctrl", "Shift", "Control"], "hold_ms": 60000}),
        );
        let Ok(PageAction::Click { click, .. }) = read else { panic!("{read:?}") };
        assert_eq!((click.modifiers, click.hold_ms), (vec![Modifier::Control, Modifier::Shift], MAX_HOLD_MS));
        let refused = page_action("click", json!({"eid": 3, "modifiers": "Hyper"}));
        assert_eq!(
            refused,
            Err(String::from("`click`: `Hyper` is no key to hold; use Control, Shift, Alt or Meta"))
        );
    }

    // A point is taken where no element is named; half a point is a fault.
    #[test]
    fn points_are_read_where_no_element_is_named() {
        let read = page_action("type", json!({"x": 10, "y": 20.5, "text": "a"}));
        let at = PicturePoint { x: 10.0, y: 20.5 };
        let text = String::from("a");
        assert_eq!(read, Ok(PageAction::Point(PointAction::Type { at, text, clear: true, submit: false })));
        assert!(matches!(
            page_action("click", json!({"eid": 1, "x": 1, "y": 2})),
            Ok(PageAction::Click { .. })
        ));
        assert!(matches!(
            page_action("drag", json!({"from": {"x": 1, "y": 2}, "to": {"x": 3, "y": 4}})),
            Ok(PageAction::Point(PointAction::Drag { .. }))
        ));
        assert!(page_action("hover", json!({"x": 1})).is_err_and(|fault| fault.contains("both `x` and `y`")));
        assert!(page_action("drag", json!({"from": {"x": 1, "y": 2}})).is_err());
    }

    // Each field has one value; null stands for the ones that it does not have.
    #[test]
    fn fields_to_fill_have_one_value_each() {
        let fields = json!([
            {"eid": 1, "text": "Anna", "option": null, "checked": null},
            {"eid": "2", "option": "Lviv"},
            {"eid": 3, "checked": true},
        ]);
        let Ok(PageAction::Fill { fields, submit: false }) = page_action("fill", json!({"fields": fields}))
        else {
            panic!("no fill")
        };
        assert_eq!(
            serde_json::to_value(&fields).expect("json"),
            json!([{"eid": 1, "text": "Anna"}, {"eid": 2, "option": ["Lviv"]}, {"eid": 3, "checked": true}])
        );
        for (fields, words) in [
            (json!([]), "`fields` (a list of {eid, text or option or checked}) is missing"),
            (json!([{"eid": 1}]), "field 1 has no value"),
            (json!([{"eid": 1, "text": "a", "checked": true}]), "field 1 has several values"),
            (json!([{"text": "a"}]), "field 1 lacks `eid`"),
        ] {
            let read = page_action("fill", json!({"fields": fields}));
            assert!(read.as_ref().is_err_and(|fault| fault.contains(words)), "{words}: {read:?}");
        }
    }

    // A premove is named after its agent, and takes its parameters as a map or as JSON of one (S4.31).
    #[test]
    fn premoves_are_read() {
        for params in [json!({"zone": "Kyiv"}), json!("{\"zone\": \"Kyiv\"}")] {
            let call = json!({"action": "premove", "params": {"operation": "set", "agent": "clock", "params": params}});
            let Ok(Action::Agent(AgentAction::Inner(InternalAction::Premove { name, params, .. }))) =
                parsed(call)
            else {
                panic!("no premove")
            };
            assert_eq!((name.as_deref(), &params["zone"]), (Some("clock"), &json!("Kyiv")));
        }
    }
}
