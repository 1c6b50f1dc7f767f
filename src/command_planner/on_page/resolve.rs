//! Resolves a command on a page to an action, or to what is missing for it.

use crate::command_planner::grammar::address::address;
use crate::command_planner::grammar::command::{
    ClickManner, CommandAction, ElementRef, FieldReading, PlainCommand, WantedRows,
};
use crate::command_planner::on_page::command_step::{
    CommandStep, MissingPart, StepContext, act_on_element, click, display_name, search_or_report,
};
use crate::command_planner::on_page::fill_fields::fill_fields;
use crate::command_planner::on_page::find::{ElementUse, FindResult, find, find_text};
use crate::command_planner::on_page::select_option::select;
use crate::command_planner::on_page::type_text::{best_reading, type_step};
use crate::command_planner::on_page::uploads;
use crate::command_planner::turns::PlannedAction;
use crate::text::likeness::NameMatch;
use crate::texts::commands;
use crate::turn::action::Direction;
use serde_json::{Map, Value, json};

pub fn step(order: &PlainCommand, setting: &StepContext<'_>) -> CommandStep {
    if setting.page.is_none() && needs_page(&order.wish, setting) {
        return CommandStep::Missing(MissingPart::Page);
    }
    match &order.wish {
        CommandAction::Open { element } => open(element, setting),
        CommandAction::Click { name, times, right, manner } => {
            act_on_element(name, ElementUse::Click, setting, |_, eid| {
                CommandStep::Act(click_in_manner(click(eid, *times, *right), manner))
            })
        }
        CommandAction::PressOrClick { key, name } => press_or_click(key, name, setting),
        CommandAction::Press { key } => CommandStep::Act(PlannedAction::new("press", json!({ "key": key }))),
        CommandAction::Type { readings } => type_step(readings, setting),
        CommandAction::Fill { fields, whole } => fill_fields(fields, whole, setting),
        CommandAction::Set { readings } => set(readings, setting),
        CommandAction::Select { readings } => select(readings, setting),
        CommandAction::Check { name, on: wanted } => check(name, *wanted, setting),
        CommandAction::Hover { name } => hover(name, setting),
        CommandAction::Upload { readings } => uploads::step(readings, setting),
        CommandAction::Drag { from, to } => drag(from, to, setting),
        CommandAction::Scroll { direction, pages, within } => {
            scroll(*direction, *pages, within.as_ref(), setting)
        }
        CommandAction::ScrollTo { name } => scroll_to(name, setting),
        CommandAction::Wait { seconds, text, gone } => wait(*seconds, text.as_deref(), gone.as_deref()),
        CommandAction::Find { text } => CommandStep::Act(PlannedAction::new("find", json!({ "text": text }))),
        CommandAction::Back => act_without_params("back"),
        CommandAction::Forward => act_without_params("forward"),
        CommandAction::Reload => act_without_params("reload"),
        CommandAction::Read { name, rows: None } => read(name.as_ref(), setting),
        CommandAction::Read { name, rows: Some(rows) } => read_rows(name.as_ref(), rows, setting),
        CommandAction::Tool { name, arguments } => call_tool(name, arguments, setting),
        CommandAction::NeedUser => hand_over(setting),
        CommandAction::Stop => CommandStep::Finish,
        CommandAction::Unclear { .. } => CommandStep::Missing(MissingPart::Meaning),
    }
}

/// Hands the page to the person.
fn hand_over(setting: &StepContext<'_>) -> CommandStep {
    let params = json!({ "text": commands::your_turn(setting.locale) });
    CommandStep::Act(PlannedAction::new("need_user", params))
}

fn wait(seconds: f64, text: Option<&str>, gone: Option<&str>) -> CommandStep {
    let mut params = json!({ "seconds": seconds, "text": text });
    if let Some(gone) = gone {
        params["gone"] = json!(gone);
    }
    CommandStep::Act(PlannedAction::new("wait", params))
}

fn click_in_manner(mut click: PlannedAction, manner: &ClickManner) -> PlannedAction {
    if !manner.modifiers.is_empty() {
        click.params.insert(String::from("modifiers"), json!(manner.modifiers));
    }
    if manner.hold_ms > 0 {
        click.params.insert(String::from("hold_ms"), json!(manner.hold_ms));
    }
    click
}

fn act_without_params(name: &'static str) -> CommandStep {
    CommandStep::Act(PlannedAction::new(name, json!({})))
}

/// Calls the tool whose name reads like this; words may stand for `_`, `-` and capitals.
fn call_tool(name: &str, arguments: &[(String, String)], setting: &StepContext<'_>) -> CommandStep {
    let plain = |name: &str| -> String {
        name.chars().filter(|letter| letter.is_alphanumeric()).flat_map(char::to_lowercase).collect()
    };
    let declared = setting.page.map(|page| page.tools.as_slice()).unwrap_or_default();
    let meant = declared.iter().find(|tool| tool.name == name);
    let meant = meant.or_else(|| declared.iter().find(|tool| plain(&tool.name) == plain(name)));
    let name = meant.map_or(name, |tool| tool.name.as_str());
    let arguments: Map<String, Value> =
        arguments.iter().map(|(name, value)| (name.clone(), json!(value))).collect();
    CommandStep::Act(PlannedAction::new("page_tool", json!({ "name": name, "arguments": arguments })))
}

fn hover(name: &ElementRef, setting: &StepContext<'_>) -> CommandStep {
    act_on_element(name, ElementUse::Any, setting, |_, eid| {
        CommandStep::Act(PlannedAction::new("hover", json!({ "eid": eid })))
    })
}

/// True if the command is pointless on the empty page of a new run.
fn needs_page(wish: &CommandAction, setting: &StepContext<'_>) -> bool {
    match wish {
        CommandAction::Open { .. }
        | CommandAction::NeedUser
        | CommandAction::Stop
        | CommandAction::Unclear { .. } => false,
        CommandAction::Wait { text, gone, .. } => text.is_some() || gone.is_some(),
        CommandAction::Read { name: Some(name), rows: None } => meant_pdf(name, setting.files).is_none(),
        // Going back may have led to the empty page.
        CommandAction::Forward => !setting.went_back,
        CommandAction::Click { .. }
        | CommandAction::PressOrClick { .. }
        | CommandAction::Press { .. }
        | CommandAction::Type { .. }
        | CommandAction::Fill { .. }
        | CommandAction::Find { .. }
        | CommandAction::Set { .. }
        | CommandAction::Select { .. }
        | CommandAction::Check { .. }
        | CommandAction::Hover { .. }
        | CommandAction::Upload { .. }
        | CommandAction::Drag { .. }
        | CommandAction::Scroll { .. }
        | CommandAction::ScrollTo { .. }
        | CommandAction::Back
        | CommandAction::Reload
        | CommandAction::Read { .. }
        | CommandAction::Tool { .. } => true,
    }
}

fn open(element: &ElementRef, setting: &StepContext<'_>) -> CommandStep {
    // `open the About page` means a link. An address takes precedence over a link of that name.
    let here = setting.page.map(|page| page.url.as_str());
    if let Some(url) = address(&element.full, here).or_else(|| address(&element.text, here)) {
        return CommandStep::Act(PlannedAction::new("navigate", json!({ "url": url })));
    }
    act_on_element(element, ElementUse::Click, setting, |_, eid| CommandStep::Act(click(eid, 1, false)))
}

fn press_or_click(key: &str, name: &ElementRef, setting: &StepContext<'_>) -> CommandStep {
    let clickable = setting.page.map(|page| find(page, name, ElementUse::Click));
    match clickable {
        Some(FindResult::One(line, fit)) if fit >= NameMatch::Case => match line.eid {
            Some(eid) => CommandStep::Act(click(eid, 1, false)),
            None => CommandStep::Missing(MissingPart::Page),
        },
        _ => CommandStep::Act(PlannedAction::new("press", json!({ "key": key }))),
    }
}

fn set(readings: &[FieldReading], setting: &StepContext<'_>) -> CommandStep {
    let Some(page) = setting.page else { return CommandStep::Missing(MissingPart::Page) };
    if best_reading(page, readings, ElementUse::Select).is_some() {
        select(readings, setting)
    } else {
        type_step(readings, setting)
    }
}

fn check(name: &ElementRef, wanted: bool, setting: &StepContext<'_>) -> CommandStep {
    act_on_element(name, ElementUse::Check, setting, |line, eid| {
        let is = line.attributes.checked || line.attributes.pressed;
        if is == wanted && !line.attributes.mixed {
            CommandStep::Nothing
        } else {
            CommandStep::Act(click(eid, 1, false))
        }
    })
}

fn drag(from: &ElementRef, to: &ElementRef, setting: &StepContext<'_>) -> CommandStep {
    act_on_element(from, ElementUse::Any, setting, |_, from_eid| {
        act_on_element(to, ElementUse::Any, setting, |_, to_eid| {
            CommandStep::Act(PlannedAction::new("drag", json!({ "from_eid": from_eid, "to_eid": to_eid })))
        })
    })
}

fn scroll(
    direction: Direction,
    pages: f64,
    within: Option<&ElementRef>,
    setting: &StepContext<'_>,
) -> CommandStep {
    let act = |eid: Option<u32>| {
        CommandStep::Act(PlannedAction::new(
            "scroll",
            json!({ "direction": direction, "amount": pages, "eid": eid }),
        ))
    };
    match within {
        None => act(None),
        Some(name) => act_on_element(name, ElementUse::Any, setting, |_, eid| act(Some(eid))),
    }
}

/// Scrolls by pages until the text is in view.
fn scroll_to(name: &ElementRef, setting: &StepContext<'_>) -> CommandStep {
    const PAGES: usize = 12;
    let Some(page) = setting.page else { return CommandStep::Missing(MissingPart::Page) };
    let by = |direction: &str| {
        CommandStep::Search(PlannedAction::new(
            "scroll",
            json!({ "direction": direction, "amount": 1.0, "eid": null }),
        ))
    };
    let (down, range) = page.scroll;
    match find_text(page, name) {
        Some(line) if line.attributes.above && setting.searches < PAGES && down > 0 => by("up"),
        Some(line) if line.attributes.below && setting.searches < PAGES && down < range => by("down"),
        Some(_) => CommandStep::Nothing,
        None if setting.searches < PAGES && down < range => by("down"),
        None => search_or_report(
            page,
            setting,
            MissingPart::Element { name: display_name(name), want: ElementUse::Any },
        ),
    }
}

fn read(name: Option<&ElementRef>, setting: &StepContext<'_>) -> CommandStep {
    let act = |eid: Option<u32>| CommandStep::Act(PlannedAction::new("extract", json!({ "eid": eid })));
    match (name, name.and_then(|name| meant_pdf(name, setting.files))) {
        (None, _) => act(None),
        (_, Some(file)) => CommandStep::Act(PlannedAction::new("extract", json!({ "file": file }))),
        (Some(name), None) => act_on_element(name, ElementUse::Any, setting, |_, eid| act(Some(eid))),
    }
}

/// Reads rows into a file. Columns of the command are a schema of texts.
fn read_rows(name: Option<&ElementRef>, rows: &WantedRows, setting: &StepContext<'_>) -> CommandStep {
    let act = |eid: Option<u32>| {
        let mut params = json!({ "eid": eid, "as": rows.format });
        if !rows.columns.is_empty() {
            let properties: Map<String, Value> =
                rows.columns.iter().map(|name| (name.clone(), json!({ "type": "string" }))).collect();
            let items = json!({ "type": "object", "properties": properties });
            params["schema"] = json!({ "type": "array", "items": items });
        }
        CommandStep::Act(PlannedAction::new("extract", params))
    };
    name.map_or_else(
        || act(None),
        |name| act_on_element(name, ElementUse::Any, setting, |_, eid| act(Some(eid))),
    )
}

/// Returns the PDF of the run that is meant: by its name, or as the only one by words for an attached file.
fn meant_pdf<'a>(name: &ElementRef, files: &'a [String]) -> Option<&'a String> {
    let mut pdfs = files.iter().filter(|file| file.to_lowercase().ends_with(".pdf"));
    let named = pdfs.clone().find(|file| {
        let is_it = |text: &String| text.to_lowercase() == file.to_lowercase();
        is_it(&name.text) || is_it(&name.full)
    });
    const ATTACHED: [&str; 8] =
        ["file", "pdf", "attachment", "attached", "файл", "вкладення", "вкладений", "прикріплений"];
    let is_generic = || {
        let text = name.full.to_lowercase();
        let mut words =
            text.split_whitespace().filter(|word| !matches!(*word, "the" | "my" | "this" | "мій" | "цей"));
        words.clone().next().is_some() && words.all(|word| ATTACHED.contains(&word))
    };
    named.or_else(|| pdfs.next().filter(|_| pdfs.next().is_none() && is_generic()))
}
