//! Commands that type: chooses the field and its text.

use super::find::{Found, Want, find, is_editable};
use super::likeness::Fit;
use super::order::Reading;
use super::step::{Missing, Setting, Step, look_or, shown};
use super::turns::Planned;
use crate::page::{Line, Observation};
use serde_json::json;

pub fn typed(readings: &[Reading], setting: &Setting<'_>) -> Step {
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

/// Returns the focused field; otherwise the only one in view, or the only one on the page.
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

/// Returns the reading whose field is on the page: the one with the best fit, then the most likely.
pub fn best_reading<'a, 'r>(
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

pub fn field_missing(page: &Observation, readings: &[Reading], want: Want, setting: &Setting<'_>) -> Step {
    for reading in readings {
        if let Some(field) = &reading.field
            && let Found::Disabled(line) = find(page, field, want)
        {
            return look_or(page, setting, Missing::Disabled { name: line.name.clone() });
        }
    }
    if want == Want::Type {
        for field in readings.iter().filter_map(|reading| reading.field.as_ref()) {
            if let Found::One(line, fit) = find(page, field, Want::Any)
                && line.attributes.readonly
                && fit >= Fit::Contains
            {
                return look_or(page, setting, Missing::ReadOnly { name: line.name.clone() });
            }
        }
    }
    let first = readings.iter().find_map(|reading| reading.field.as_ref());
    let missing = first.map_or(Missing::Field, |field| Missing::Element { name: shown(field), want });
    look_or(page, setting, missing)
}
