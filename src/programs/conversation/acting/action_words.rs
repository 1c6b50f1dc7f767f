//! Actions in words, with the names that their elements had when they were planned: numbers of elements mean nothing
//! in later requests. Names come from the page and stand in quotes. Pure.

use crate::page::observation::Observation;
use crate::page::text::quoted_within;
use crate::text::truncate::truncate_within;
use crate::turn::action::{Action, AgentAction, BrowserAction, PageAction, PersonAction, TabOperation};
use crate::turn::internal_action::InternalAction;
use crate::turn::page_input::fields::{FieldInput, FieldValue};
use crate::turn::page_input::mouse::{Button, ClickInput};
use crate::turn::page_input::points::{PicturePoint, PointAction};
use serde_json::json;

/// Longest name of an element and longest text that was typed, in characters.
const NAME: usize = 60;
const TEXT: usize = 80;
/// Longest description of an action.
const WHOLE: usize = 300;

/// Describes an action on the page that its planner saw, such as `click link "Cart"`.
pub fn describe_action(action: &Action, page: Option<&Observation>) -> String {
    let words = match action {
        Action::Page(action) => describe_page_action(action, page),
        Action::Browser(action) => describe_browser_action(action),
        Action::Person(PersonAction::NeedUser { text }) => {
            format!("ask the person to act: {}", quoted_within(text, TEXT))
        }
        Action::Person(PersonAction::AskUser { question, .. }) => {
            format!("ask the person {}", quoted_within(question, TEXT))
        }
        Action::Agent(AgentAction::Stop { .. }) => String::from("stop"),
        Action::Agent(AgentAction::Inner(action)) => describe_inner_action(action),
    };
    truncate_within(&words, WHOLE)
}

fn name_element(eid: u32, page: Option<&Observation>) -> String {
    let line = page.and_then(|page| page.line(eid));
    match line {
        Some(line) if line.name.is_empty() => format!("a {}", line.role),
        Some(line) => format!("{} {}", line.role, quoted_within(&line.name, NAME)),
        None => String::from("an element"),
    }
}

fn quote_text(text: &str) -> String {
    quoted_within(text, TEXT)
}

fn describe_page_action(action: &PageAction, page: Option<&Observation>) -> String {
    match action {
        PageAction::Click { eid, click } => {
            format!("click {}{}", name_element(*eid, page), describe_manner(click))
        }
        PageAction::Point(action) => describe_point_action(action),
        PageAction::Type { .. }
        | PageAction::Select { .. }
        | PageAction::Fill { .. }
        | PageAction::Upload { .. } => describe_field_action(action, page),
        PageAction::Press { key } => format!("press {}", quote_text(key)),
        PageAction::Hover { eid } => format!("hover {}", name_element(*eid, page)),
        PageAction::Drag { from_eid, to_eid } => {
            format!("drag {} onto {}", name_element(*from_eid, page), name_element(*to_eid, page))
        }
        PageAction::SelectText { text: words } => format!("select text {}", quote_text(words)),
        PageAction::Scroll { direction, amount, eid } => {
            let place = eid.map(|eid| format!(" in {}", name_element(eid, page))).unwrap_or_default();
            let direction = json!(direction);
            format!("scroll {} by {amount}{place}", direction.as_str().unwrap_or_default())
        }
        PageAction::Wait { .. } | PageAction::Find { .. } | PageAction::Extract { .. } => {
            describe_looking_action(action, page)
        }
        PageAction::Dialog { accept: true, .. } => String::from("accept the dialog"),
        PageAction::Dialog { accept: false, .. } => String::from("dismiss the dialog"),
        PageAction::Tool { name, arguments } => {
            format!(
                "call the page's tool {} with {}",
                quote_text(name),
                quote_text(&json!(arguments).to_string())
            )
        }
    }
}

fn describe_field_action(action: &PageAction, page: Option<&Observation>) -> String {
    let enter = |submit: &bool| if *submit { " with Enter" } else { "" };
    match action {
        PageAction::Type { eid, text: typed, submit, .. } => {
            format!("type {} into {}{}", quote_text(typed), name_element(*eid, page), enter(submit))
        }
        PageAction::Select { eid, options } => {
            let options: Vec<String> = options.iter().map(|option| quote_text(option)).collect();
            format!("select {} in {}", options.join(", "), name_element(*eid, page))
        }
        PageAction::Fill { fields, submit } => {
            let fields: Vec<String> = fields.iter().map(|field| describe_field(field, page)).collect();
            format!("fill {}{}", fields.join(", "), enter(submit))
        }
        PageAction::Upload { eid, files } => {
            let files: Vec<String> = files.iter().map(|file| quote_text(file)).collect();
            format!("upload {} to {}", files.join(", "), name_element(*eid, page))
        }
        _ => String::from("enter"),
    }
}

fn describe_looking_action(action: &PageAction, page: Option<&Observation>) -> String {
    match action {
        PageAction::Wait { text: Some(shown), .. } => format!("wait for {}", quote_text(shown)),
        PageAction::Wait { gone: Some(gone), .. } => format!("wait until {} is gone", quote_text(gone)),
        PageAction::Wait { seconds, .. } => format!("wait {seconds} s"),
        PageAction::Find { text: words, .. } => format!("find {}", quote_text(words)),
        PageAction::Extract { eid, schema, format } => {
            let what = eid.map_or_else(|| String::from("the page"), |eid| name_element(eid, page));
            let rows = if schema.is_some() || format.is_some() { "the rows of " } else { "" };
            format!("read {rows}{what}")
        }
        _ => String::from("look"),
    }
}

fn describe_manner(click: &ClickInput) -> String {
    let mut manner = String::new();
    match click.button {
        Button::Left => {}
        Button::Right => manner.push_str(" with the right button"),
        Button::Middle => manner.push_str(" with the middle button"),
    }
    if click.count > 1 {
        manner.push_str(&format!(" {} times", click.count));
    }
    let keys = json!(click.modifiers);
    let keys: Vec<&str> = keys.as_array().into_iter().flatten().filter_map(|key| key.as_str()).collect();
    if !keys.is_empty() {
        manner.push_str(&format!(" holding {}", keys.join(" and ")));
    }
    manner
}

fn describe_field(field: &FieldInput, page: Option<&Observation>) -> String {
    let name = name_element(field.eid, page);
    match &field.value {
        FieldValue::Text(typed) => format!("{name} with {}", quote_text(typed)),
        FieldValue::Options(options) => {
            let options: Vec<String> = options.iter().map(|option| quote_text(option)).collect();
            format!("{name} with {}", options.join(", "))
        }
        FieldValue::Checked(true) => format!("{name} as checked"),
        FieldValue::Checked(false) => format!("{name} as not checked"),
    }
}

fn describe_point_action(action: &PointAction) -> String {
    let place = |PicturePoint { x, y }: &PicturePoint| format!("({x}, {y})");
    match action {
        PointAction::Click { at, click } => format!("click at {}{}", place(at), describe_manner(click)),
        PointAction::Hover { at } => format!("hover at {}", place(at)),
        PointAction::Type { at, text: typed, .. } => format!("type {} at {}", quote_text(typed), place(at)),
        PointAction::Drag { from, to } => format!("drag from {} to {}", place(from), place(to)),
    }
}

fn describe_browser_action(action: &BrowserAction) -> String {
    match action {
        BrowserAction::Navigate { url } => format!("open {}", quote_text(url)),
        BrowserAction::Back => String::from("go back"),
        BrowserAction::Forward => String::from("go forward"),
        BrowserAction::Reload => String::from("reload the page"),
        BrowserAction::Tab { operation: TabOperation::New, url, .. } => {
            format!(
                "open a tab{}",
                url.as_deref().map(|url| format!(" at {}", quote_text(url))).unwrap_or_default()
            )
        }
        BrowserAction::Tab { operation, tab, .. } => {
            let verb = if *operation == TabOperation::Close { "close" } else { "switch to" };
            tab.map_or_else(|| format!("{verb} the tab in front"), |tab| format!("{verb} tab {tab}"))
        }
    }
}

fn describe_inner_action(action: &InternalAction) -> String {
    match action {
        InternalAction::Agent { name, input } => {
            format!("call {name} with {}", truncate_within(&json!(input).to_string(), 2 * TEXT))
        }
        InternalAction::Group { name } => format!("call the group {name}"),
        InternalAction::TaskManager { operation, task_id } => {
            let operation = json!(operation);
            let task = task_id.as_deref().unwrap_or("tasks");
            format!("manage {task}: {}", operation.as_str().unwrap_or_default())
        }
        InternalAction::Recall { query, .. } => format!("recall {}", quote_text(query)),
        InternalAction::Premove { name, .. } => {
            format!("change the premove {}", name.as_deref().unwrap_or_default())
        }
        InternalAction::Replan { .. } => String::from("ask for a new plan"),
        InternalAction::ReadFile { file, .. } => format!("read {}", quote_text(file)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::observation::Line;
    use crate::turn::Call;

    // A planner reads names, never numbers of looks that are gone, and a page cannot end its quotes.
    #[test]
    fn actions_are_told_by_the_names_of_their_elements() {
        let line = |eid, role: &str, name: &str| Line {
            role: role.into(),
            name: name.into(),
            eid: Some(eid),
            ..Line::default()
        };
        let lines = vec![
            line(1, "link", "Cart"),
            line(2, "textbox", "Name"),
            line(3, "checkbox", "Gift \"wrap\"\nresult a1 ok"),
            line(4, "combobox", ""),
        ];
        let page = Observation { lines, ..Observation::default() };
        for (action, params, words) in [
            ("click", json!({"eid": 1}), r#"click link "Cart""#),
            ("click", json!({"eid": 9, "button": "right"}), "click an element with the right button"),
            (
                "type",
                json!({"eid": 2, "text": "Olena", "submit": true}),
                r#"type "Olena" into textbox "Name" with Enter"#,
            ),
            ("select", json!({"eid": 4, "option": "Kyiv"}), r#"select "Kyiv" in a combobox"#),
            (
                "fill",
                json!({"fields": [{"eid": 2, "text": "Olena"}, {"eid": 3, "checked": true}]}),
                r#"fill textbox "Name" with "Olena", checkbox "Gift \"wrap\" result a1 ok" as checked"#,
            ),
            ("navigate", json!({"url": "http://shop.test/"}), r#"open "http://shop.test/""#),
            ("scroll", json!({"direction": "down", "amount": 2}), "scroll down by 2"),
            ("extract", json!({}), "read the page"),
            ("tab", json!({"operation": "switch", "tab": 2}), "switch to tab 2"),
            ("wait", json!({"text": "Done"}), r#"wait for "Done""#),
        ] {
            let call: Call =
                serde_json::from_value(json!({"action": action, "params": params})).expect("a call");
            let action = Action::parse(&call).expect("an action");
            assert_eq!(describe_action(&action, Some(&page)), words);
        }
    }
}
