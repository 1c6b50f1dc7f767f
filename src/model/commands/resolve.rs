//! Resolves a command on a page to an action, or to what is missing for it.

use super::address::address;
use super::fields::{best_reading, typed};
use super::find::{FindResult, Want, find, find_text};
use super::likeness::Fit;
use super::lists::select;
use super::order::{CommandAction, FieldReading, Name, PlainCommand};
use super::step::{CommandStep, MissingPart, Setting, click, look_or, on, shown};
use super::turns::PlannedAction;
use super::uploads;
use crate::turn::action::Direction;
use serde_json::json;

pub fn step(order: &PlainCommand, setting: &Setting<'_>) -> CommandStep {
    if setting.page.is_none() && needs_page(&order.wish, setting) {
        return CommandStep::Missing(MissingPart::Page);
    }
    match &order.wish {
        CommandAction::Open { place } => open(place, setting),
        CommandAction::Click { name, times, right } => {
            on(name, Want::Click, setting, |_, eid| CommandStep::Act(click(eid, *times, *right)))
        }
        CommandAction::PressOrClick { key, name } => press_or_click(key, name, setting),
        CommandAction::Press { key } => CommandStep::Act(PlannedAction::new("press", json!({ "key": key }))),
        CommandAction::Type { readings } => typed(readings, setting),
        CommandAction::Set { readings } => set(readings, setting),
        CommandAction::Select { readings } => select(readings, setting),
        CommandAction::Check { name, on: wanted } => check(name, *wanted, setting),
        CommandAction::Hover { name } => on(name, Want::Any, setting, |_, eid| {
            CommandStep::Act(PlannedAction::new("hover", json!({ "eid": eid })))
        }),
        CommandAction::Upload { readings } => uploads::step(readings, setting),
        CommandAction::Drag { from, to } => drag(from, to, setting),
        CommandAction::Scroll { direction, pages, within } => {
            scroll(*direction, *pages, within.as_ref(), setting)
        }
        CommandAction::ScrollTo { name } => scroll_to(name, setting),
        CommandAction::Wait { seconds, text } => {
            CommandStep::Act(PlannedAction::new("wait", json!({ "seconds": seconds, "text": text })))
        }
        CommandAction::Back => CommandStep::Act(PlannedAction::new("back", json!({}))),
        CommandAction::Forward => CommandStep::Act(PlannedAction::new("forward", json!({}))),
        CommandAction::Reload => CommandStep::Act(PlannedAction::new("reload", json!({}))),
        CommandAction::Read { name } => read(name.as_ref(), setting),
        CommandAction::NeedUser => CommandStep::Act(PlannedAction::new(
            "need_user",
            json!({ "text": super::phrases::your_turn(setting.locale) }),
        )),
        CommandAction::Stop => CommandStep::Finish,
        CommandAction::Unclear { .. } => CommandStep::Missing(MissingPart::Meaning),
    }
}

/// True if the command is pointless on the empty page of a new run.
fn needs_page(wish: &CommandAction, setting: &Setting<'_>) -> bool {
    match wish {
        CommandAction::Open { .. }
        | CommandAction::NeedUser
        | CommandAction::Stop
        | CommandAction::Unclear { .. } => false,
        CommandAction::Wait { text, .. } => text.is_some(),
        // Going back may have led to the empty page.
        CommandAction::Forward => !setting.went_back,
        CommandAction::Click { .. }
        | CommandAction::PressOrClick { .. }
        | CommandAction::Press { .. }
        | CommandAction::Type { .. }
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
        | CommandAction::Read { .. } => true,
    }
}

fn open(place: &Name, setting: &Setting<'_>) -> CommandStep {
    // `open the About page` means a link. An address takes precedence over a link of that name.
    let here = setting.page.map(|page| page.url.as_str());
    if let Some(url) = address(&place.full, here).or_else(|| address(&place.text, here)) {
        return CommandStep::Act(PlannedAction::new("navigate", json!({ "url": url })));
    }
    on(place, Want::Click, setting, |_, eid| CommandStep::Act(click(eid, 1, false)))
}

fn press_or_click(key: &str, name: &Name, setting: &Setting<'_>) -> CommandStep {
    let clickable = setting.page.map(|page| find(page, name, Want::Click));
    match clickable {
        Some(FindResult::One(line, fit)) if fit >= Fit::Case => match line.eid {
            Some(eid) => CommandStep::Act(click(eid, 1, false)),
            None => CommandStep::Missing(MissingPart::Page),
        },
        _ => CommandStep::Act(PlannedAction::new("press", json!({ "key": key }))),
    }
}

fn set(readings: &[FieldReading], setting: &Setting<'_>) -> CommandStep {
    let Some(page) = setting.page else { return CommandStep::Missing(MissingPart::Page) };
    if best_reading(page, readings, Want::Select).is_some() {
        select(readings, setting)
    } else {
        typed(readings, setting)
    }
}

fn check(name: &Name, wanted: bool, setting: &Setting<'_>) -> CommandStep {
    on(name, Want::Check, setting, |line, eid| {
        let is = line.attributes.checked || line.attributes.pressed;
        if is == wanted && !line.attributes.mixed {
            CommandStep::Nothing
        } else {
            CommandStep::Act(click(eid, 1, false))
        }
    })
}

fn drag(from: &Name, to: &Name, setting: &Setting<'_>) -> CommandStep {
    on(from, Want::Any, setting, |_, from_eid| {
        on(to, Want::Any, setting, |_, to_eid| {
            CommandStep::Act(PlannedAction::new("drag", json!({ "from_eid": from_eid, "to_eid": to_eid })))
        })
    })
}

fn scroll(direction: Direction, pages: f64, within: Option<&Name>, setting: &Setting<'_>) -> CommandStep {
    let act = |eid: Option<u32>| {
        CommandStep::Act(PlannedAction::new(
            "scroll",
            json!({ "direction": direction, "amount": pages, "eid": eid }),
        ))
    };
    match within {
        None => act(None),
        Some(name) => on(name, Want::Any, setting, |_, eid| act(Some(eid))),
    }
}

/// Scrolls by pages until the text is in view.
fn scroll_to(name: &Name, setting: &Setting<'_>) -> CommandStep {
    const PAGES: usize = 12;
    let Some(page) = setting.page else { return CommandStep::Missing(MissingPart::Page) };
    let by = |direction: &str| {
        CommandStep::Look(PlannedAction::new(
            "scroll",
            json!({ "direction": direction, "amount": 1.0, "eid": null }),
        ))
    };
    let (down, range) = page.scroll;
    match find_text(page, name) {
        Some(line) if line.attributes.above && setting.looks < PAGES && down > 0 => by("up"),
        Some(line) if line.attributes.below && setting.looks < PAGES && down < range => by("down"),
        Some(_) => CommandStep::Nothing,
        None if setting.looks < PAGES && down < range => by("down"),
        None => look_or(page, setting, MissingPart::Element { name: shown(name), want: Want::Any }),
    }
}

fn read(name: Option<&Name>, setting: &Setting<'_>) -> CommandStep {
    let act = |eid: Option<u32>| CommandStep::Act(PlannedAction::new("extract", json!({ "eid": eid })));
    match name {
        None => act(None),
        Some(name) => on(name, Want::Any, setting, |_, eid| act(Some(eid))),
    }
}
