//! Resolves a command on a page to an action, or to what is missing for it.

use super::address::address;
use super::fields::{best_reading, typed};
use super::find::{Found, Want, find, find_text};
use super::likeness::Fit;
use super::lists::select;
use super::order::{Name, Order, Reading, Wish};
use super::step::{Missing, Setting, Step, click, look_or, on, shown};
use super::turns::Planned;
use super::uploads;
use crate::turn::action::Direction;
use serde_json::json;

pub fn step(order: &Order, setting: &Setting<'_>) -> Step {
    if setting.page.is_none() && needs_page(&order.wish, setting) {
        return Step::Missing(Missing::Page);
    }
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
        Wish::Upload { readings } => uploads::step(readings, setting),
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
            Step::Act(Planned::new("need_user", json!({ "text": super::phrases::your_turn(setting.locale) })))
        }
        Wish::Stop => Step::Finish,
        Wish::Unclear { .. } => Step::Missing(Missing::Meaning),
    }
}

/// True if the command is pointless on the empty page of a new run.
fn needs_page(wish: &Wish, setting: &Setting<'_>) -> bool {
    match wish {
        Wish::Open { .. } | Wish::NeedUser | Wish::Stop | Wish::Unclear { .. } => false,
        Wish::Wait { text, .. } => text.is_some(),
        // Going back may have led to the empty page.
        Wish::Forward => !setting.went_back,
        Wish::Click { .. }
        | Wish::PressOrClick { .. }
        | Wish::Press { .. }
        | Wish::Type { .. }
        | Wish::Set { .. }
        | Wish::Select { .. }
        | Wish::Check { .. }
        | Wish::Hover { .. }
        | Wish::Upload { .. }
        | Wish::Drag { .. }
        | Wish::Scroll { .. }
        | Wish::ScrollTo { .. }
        | Wish::Back
        | Wish::Reload
        | Wish::Read { .. } => true,
    }
}

fn open(place: &Name, setting: &Setting<'_>) -> Step {
    // `open the About page` means a link. An address takes precedence over a link of that name.
    let here = setting.page.map(|page| page.url.as_str());
    if let Some(url) = address(&place.full, here).or_else(|| address(&place.text, here)) {
        return Step::Act(Planned::new("navigate", json!({ "url": url })));
    }
    on(place, Want::Click, setting, |_, eid| Step::Act(click(eid, 1, false)))
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

fn set(readings: &[Reading], setting: &Setting<'_>) -> Step {
    let Some(page) = setting.page else { return Step::Missing(Missing::Page) };
    if best_reading(page, readings, Want::Select).is_some() {
        select(readings, setting)
    } else {
        typed(readings, setting)
    }
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

/// Scrolls by pages until the text is in view.
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
