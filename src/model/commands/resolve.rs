//! An order on a page: which action it is there, or what is missing for it.

use super::LOOKS;
use super::address::address;
use super::find::{Found, Want, find, find_text, is_editable};
use super::likeness::{Fit, fit};
use super::order::{Name, Order, Reading, Wish};
use super::turns::Planned;
use crate::page::{Line, Observation};
use crate::protocol::Locale;
use crate::turn::action::Direction;
use serde_json::json;

/// What is known besides the order.
#[derive(Clone, Copy, Debug)]
pub struct Setting<'a> {
    pub page: Option<&'a Observation>,
    /// How often it was looked for already.
    pub looks: usize,
    pub locale: Locale,
}

/// What to do for an order now.
#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    Act(Planned),
    /// It is not there yet: something that may bring it into the next look.
    Look(Planned),
    /// It is so already.
    Nothing,
    /// `stop`.
    Finish,
    Missing(Missing),
}

/// Why an order cannot be carried out here.
#[derive(Clone, Debug, PartialEq)]
pub enum Missing {
    Element { name: String, want: Want },
    Disabled { name: String },
    Option { value: String, options: Vec<String> },
    Field,
    Page,
    Meaning,
}

pub fn step(order: &Order, setting: &Setting<'_>) -> Step {
    match &order.wish {
        Wish::Open { place } => open(place, setting),
        Wish::Click { name, times, right } => {
            on(name, Want::Click, setting, |_, eid| Step::Act(click(eid, *times, *right)))
        }
        Wish::PressOrClick { key, name } => press_or_click(key, name, setting),
        Wish::Press { key } => Step::Act(Planned::new("press", json!({ "key": key }))),
        Wish::Type { readings } => typed(readings, setting),
        Wish::Set { readings } => set(readings, setting),
        Wish::Select { readings } => select(readings, setting),
        Wish::Check { name, on: wanted } => check(name, *wanted, setting),
        Wish::Hover { name } => {
            on(name, Want::Any, setting, |_, eid| Step::Act(Planned::new("hover", json!({ "eid": eid }))))
        }
        Wish::Drag { from, to } => drag(from, to, setting),
        Wish::Scroll { direction, pages, within } => scroll(*direction, *pages, within.as_ref(), setting),
        Wish::ScrollTo { name } => scroll_to(name, setting),
        Wish::Wait { seconds, text } => {
            Step::Act(Planned::new("wait", json!({ "seconds": seconds, "text": text })))
        }
        Wish::Back => Step::Act(Planned::new("back", json!({}))),
        Wish::Forward => Step::Act(Planned::new("forward", json!({}))),
        Wish::Reload => Step::Act(Planned::new("reload", json!({}))),
        Wish::Read { name } => read(name.as_ref(), setting),
        Wish::NeedUser => {
            Step::Act(Planned::new("need_user", json!({ "text": super::answer::your_turn(setting.locale) })))
        }
        Wish::Stop => Step::Finish,
        Wish::Unclear { .. } => Step::Missing(Missing::Meaning),
    }
}

fn open(place: &Name, setting: &Setting<'_>) -> Step {
    // `open the About page` is a link unless it is an address; an address wins over a link of its name.
    let here = setting.page.map(|page| page.url.as_str());
    if let Some(url) = address(&place.full, here).or_else(|| address(&place.text, here)) {
        return Step::Act(Planned::new("navigate", json!({ "url": url })));
    }
    on(place, Want::Click, setting, |_, eid| Step::Act(click(eid, 1, false)))
}

fn click(eid: u32, times: u32, right: bool) -> Planned {
    let button = if right { "right" } else { "left" };
    Planned::new("click", json!({ "eid": eid, "button": button, "count": times }))
}

fn press_or_click(key: &str, name: &Name, setting: &Setting<'_>) -> Step {
    let clickable = setting.page.map(|page| find(page, name, Want::Click));
    match clickable {
        Some(Found::One(line, fit)) if fit >= Fit::Case => match line.eid {
            Some(eid) => Step::Act(click(eid, 1, false)),
            None => Step::Missing(Missing::Page),
        },
        _ => Step::Act(Planned::new("press", json!({ "key": key }))),
    }
}

/// Acts on the element of this name, or looks for it, or says what is missing.
fn on<'a>(name: &Name, want: Want, setting: &Setting<'a>, act: impl FnOnce(&'a Line, u32) -> Step) -> Step {
    let Some(page) = setting.page else { return Step::Missing(Missing::Page) };
    match find(page, name, want) {
        Found::One(line, _) => match line.eid {
            Some(eid) => act(line, eid),
            None => Step::Missing(Missing::Page),
        },
        Found::Disabled(line) => look_or(page, setting, Missing::Disabled { name: line.name.clone() }),
        Found::Nothing => look_or(page, setting, Missing::Element { name: shown(name), want }),
    }
}

fn shown(name: &Name) -> String {
    if name.text.is_empty() { name.full.clone() } else { name.text.clone() }
}

/// Waits a little first, then scrolls where there is more of the page.
fn look_or(page: &Observation, setting: &Setting<'_>, missing: Missing) -> Step {
    let more_below = page.scroll.0 < page.scroll.1;
    match setting.looks {
        0 => Step::Look(Planned::new("wait", json!({ "seconds": 1.0, "text": null }))),
        looks if looks + 1 < LOOKS && more_below && matches!(missing, Missing::Element { .. }) => {
            Step::Look(Planned::new("scroll", json!({ "direction": "down", "amount": 1.0, "eid": null })))
        }
        looks if looks + 1 < LOOKS => {
            Step::Look(Planned::new("wait", json!({ "seconds": 2.0, "text": null })))
        }
        _ => Step::Missing(missing),
    }
}

fn typed(readings: &[Reading], setting: &Setting<'_>) -> Step {
    let Some(page) = setting.page else { return Step::Missing(Missing::Page) };
    match best_reading(page, readings, Want::Type) {
        Some((reading, _, eid)) => enter(reading, eid),
        None if readings.iter().all(|reading| reading.field.is_none()) => {
            let text = readings.first();
            match (text, sole_field(page)) {
                (Some(reading), Some(eid)) => enter(reading, eid),
                _ => look_or(page, setting, Missing::Field),
            }
        }
        None => field_missing(page, readings, Want::Type, setting),
    }
}

fn enter(reading: &Reading, eid: u32) -> Step {
    let text = reading.values.first().map_or("", String::as_str);
    Step::Act(Planned::new("type", json!({ "eid": eid, "text": text, "clear": true, "submit": false })))
}

/// The field that has the focus, else the only one in view.
fn sole_field(page: &Observation) -> Option<u32> {
    let usable = |line: &&Line| line.eid.is_some() && is_editable(line) && !line.attributes.disabled;
    let fields: Vec<&Line> = page.lines.iter().filter(usable).collect();
    let in_view = || fields.iter().filter(|line| !line.attributes.above && !line.attributes.below);
    let focused = fields.iter().find(|line| line.attributes.focused);
    let chosen = match (focused, in_view().count(), fields.len()) {
        (Some(line), ..) => Some(line),
        (None, 1, _) => in_view().next(),
        (None, _, 1) => fields.first(),
        (None, ..) => None,
    };
    chosen.and_then(|line| line.eid)
}

/// The reading whose field the page has; of two, the one that fits better, then the likelier.
fn best_reading<'a, 'r>(
    page: &'a Observation,
    readings: &'r [Reading],
    want: Want,
) -> Option<(&'r Reading, &'a Line, u32)> {
    let mut best: Option<(Fit, &Reading, &Line, u32)> = None;
    for reading in readings {
        let Some(field) = &reading.field else { continue };
        if let Found::One(line, fit) = find(page, field, want)
            && let Some(eid) = line.eid
            && best.is_none_or(|(known, ..)| fit > known)
        {
            best = Some((fit, reading, line, eid));
        }
    }
    best.map(|(_, reading, line, eid)| (reading, line, eid))
}

fn field_missing(page: &Observation, readings: &[Reading], want: Want, setting: &Setting<'_>) -> Step {
    for reading in readings {
        if let Some(field) = &reading.field
            && let Found::Disabled(line) = find(page, field, want)
        {
            return look_or(page, setting, Missing::Disabled { name: line.name.clone() });
        }
    }
    let first = readings.iter().find_map(|reading| reading.field.as_ref());
    let missing = first.map_or(Missing::Field, |field| Missing::Element { name: shown(field), want });
    look_or(page, setting, missing)
}

fn set(readings: &[Reading], setting: &Setting<'_>) -> Step {
    let Some(page) = setting.page else { return Step::Missing(Missing::Page) };
    if best_reading(page, readings, Want::Select).is_some() {
        select(readings, setting)
    } else {
        typed(readings, setting)
    }
}

fn select(readings: &[Reading], setting: &Setting<'_>) -> Step {
    let Some(page) = setting.page else { return Step::Missing(Missing::Page) };
    if let Some((reading, line, eid)) = best_reading(page, readings, Want::Select) {
        return choose_in(page, reading, line, eid, setting);
    }
    // Without a list of that name: one that has such an option, or an option that stands open.
    let plain = readings.iter().find(|reading| reading.field.is_none());
    if let Some(value) = plain.and_then(|reading| reading.values.first()) {
        if let Some((eid, label)) = list_with(page, value) {
            return Step::Act(Planned::new("select", json!({ "eid": eid, "option": label })));
        }
        if readings.len() == 1 || matches!(find(page, &named(value), Want::Click), Found::One(..)) {
            return pick(value, setting);
        }
    }
    // A group of radio buttons has no list, but its options can be clicked.
    for reading in readings {
        if let Some(value) = reading.values.first()
            && let Found::One(line, fit) = find(page, &named(value), Want::Click)
            && fit >= Fit::Endings
            && matches!(line.role.as_str(), "radio" | "option" | "menuitem" | "menuitemradio" | "tab")
        {
            return pick(value, setting);
        }
    }
    field_missing(page, readings, Want::Select, setting)
}

fn named(value: &str) -> Name {
    Name { text: value.to_owned(), full: value.to_owned(), ..Name::default() }
}

fn pick(value: &str, setting: &Setting<'_>) -> Step {
    on(&named(value), Want::Click, setting, |line, eid| {
        let chosen = line.role == "radio" && line.attributes.checked;
        if chosen { Step::Nothing } else { Step::Act(click(eid, 1, false)) }
    })
}

/// A native list is chosen from; one made by the page is opened first and its option clicked.
fn choose_in(page: &Observation, reading: &Reading, line: &Line, eid: u32, setting: &Setting<'_>) -> Step {
    let options = &line.attributes.options;
    if options.is_empty() {
        return match reading.values.first().map(|value| find(page, &named(value), Want::Click)) {
            Some(Found::One(option, _)) if is_option(option) => match option.eid {
                Some(eid) => Step::Act(click(eid, 1, false)),
                None => Step::Missing(Missing::Page),
            },
            _ if setting.looks == 0 => Step::Look(click(eid, 1, false)),
            _ => look_or(
                page,
                setting,
                Missing::Option { value: reading.values.join(", "), options: Vec::new() },
            ),
        };
    }
    let mut labels = Vec::new();
    for value in split_values(&reading.values, options) {
        match best_option(options, &value) {
            Some((_, label)) => labels.push(label),
            None => return look_or(page, setting, Missing::Option { value, options: options.clone() }),
        }
    }
    let option = if labels.len() == 1 { json!(labels[0]) } else { json!(labels) };
    Step::Act(Planned::new("select", json!({ "eid": eid, "option": option })))
}

fn is_option(line: &Line) -> bool {
    matches!(line.role.as_str(), "option" | "menuitem" | "menuitemradio" | "radio" | "treeitem")
}

/// `Red, Blue and Green` is three options where the list has no such one.
fn split_values(values: &[String], options: &[String]) -> Vec<String> {
    match values {
        [only] if best_option(options, only).is_none_or(|(fit, _)| fit <= Fit::Within) => {
            let spaced =
                [" and ", " та ", " і ", " й "].iter().fold(only.clone(), |text, and| text.replace(and, ","));
            let parts: Vec<String> =
                spaced.split(',').map(|part| part.trim().to_owned()).filter(|p| !p.is_empty()).collect();
            if parts.len() > 1 { parts } else { values.to_vec() }
        }
        _ => values.to_vec(),
    }
}

fn best_option(options: &[String], value: &str) -> Option<(Fit, String)> {
    let mut best: Option<(Fit, &String)> = None;
    for option in options {
        let Some(fit) = fit(value, option) else { continue };
        // Of equals the first.
        if best.is_none_or(|(known, _)| fit > known) {
            best = Some((fit, option));
        }
    }
    best.map(|(fit, option)| (fit, option.clone()))
}

fn list_with(page: &Observation, value: &str) -> Option<(u32, String)> {
    let lists =
        page.lines.iter().filter(|line| !line.attributes.disabled && !line.attributes.options.is_empty());
    let mut best: Option<(Fit, u32, String)> = None;
    for line in lists {
        let (Some(eid), Some((fit, label))) = (line.eid, best_option(&line.attributes.options, value)) else {
            continue;
        };
        if best.as_ref().is_none_or(|(known, ..)| fit > *known) {
            best = Some((fit, eid, label));
        }
    }
    best.map(|(_, eid, label)| (eid, label))
}

fn check(name: &Name, wanted: bool, setting: &Setting<'_>) -> Step {
    on(name, Want::Check, setting, |line, eid| {
        let is = line.attributes.checked || line.attributes.pressed;
        if is == wanted && !line.attributes.mixed { Step::Nothing } else { Step::Act(click(eid, 1, false)) }
    })
}

fn drag(from: &Name, to: &Name, setting: &Setting<'_>) -> Step {
    on(from, Want::Any, setting, |_, from_eid| {
        on(to, Want::Any, setting, |_, to_eid| {
            Step::Act(Planned::new("drag", json!({ "from_eid": from_eid, "to_eid": to_eid })))
        })
    })
}

fn scroll(direction: Direction, pages: f64, within: Option<&Name>, setting: &Setting<'_>) -> Step {
    let act = |eid: Option<u32>| {
        Step::Act(Planned::new("scroll", json!({ "direction": direction, "amount": pages, "eid": eid })))
    };
    match within {
        None => act(None),
        Some(name) => on(name, Want::Any, setting, |_, eid| act(Some(eid))),
    }
}

/// Page by page until it is in view.
fn scroll_to(name: &Name, setting: &Setting<'_>) -> Step {
    const PAGES: usize = 12;
    let Some(page) = setting.page else { return Step::Missing(Missing::Page) };
    let by = |direction: &str| {
        Step::Look(Planned::new("scroll", json!({ "direction": direction, "amount": 1.0, "eid": null })))
    };
    let (down, range) = page.scroll;
    match find_text(page, name) {
        Some(line) if line.attributes.above && setting.looks < PAGES && down > 0 => by("up"),
        Some(line) if line.attributes.below && setting.looks < PAGES && down < range => by("down"),
        Some(_) => Step::Nothing,
        None if setting.looks < PAGES && down < range => by("down"),
        None => look_or(page, setting, Missing::Element { name: shown(name), want: Want::Any }),
    }
}

fn read(name: Option<&Name>, setting: &Setting<'_>) -> Step {
    let act = |eid: Option<u32>| Step::Act(Planned::new("extract", json!({ "eid": eid })));
    match name {
        None => act(None),
        Some(name) => on(name, Want::Any, setting, |_, eid| act(Some(eid))),
    }
}
