//! Commands that type: chooses the field and its text.

use crate::command_planner::grammar::command::FieldReading;
use crate::command_planner::on_page::command_step::{
    CommandStep, MissingPart, StepContext, display_name, search_or_report,
};
use crate::command_planner::on_page::find::{ElementUse, FindResult, find, is_editable};
use crate::command_planner::turns::PlannedAction;
use crate::page::observation::{Line, Observation};
use crate::text::likeness::NameMatch;
use serde_json::json;

pub fn type_step(readings: &[FieldReading], setting: &StepContext<'_>) -> CommandStep {
    let Some(page) = setting.page else { return CommandStep::Missing(MissingPart::Page) };
    match best_reading(page, readings, ElementUse::Type) {
        Some((reading, _, eid)) => enter(reading, eid),
        None if readings.iter().all(|reading| reading.field.is_none()) => {
            let text = readings.first();
            match (text, sole_field(page)) {
                (Some(reading), Some(eid)) => enter(reading, eid),
                _ => search_or_report(page, setting, MissingPart::Field),
            }
        }
        None => field_missing(page, readings, ElementUse::Type, setting),
    }
}

fn enter(reading: &FieldReading, eid: u32) -> CommandStep {
    let text = reading.values.first().map_or("", String::as_str);
    CommandStep::Act(PlannedAction::new(
        "type",
        json!({ "eid": eid, "text": text, "clear": true, "submit": false }),
    ))
}

/// Returns the focused field; otherwise the only one in view, or the only one on the page.
fn sole_field(page: &Observation) -> Option<u32> {
    let usable = |line: &&Line| line.eid.is_some() && is_editable(line) && !line.attributes.disabled;
    let fields: Vec<&Line> = page.lines.iter().filter(usable).collect();
    let in_view = || fields.iter().filter(|line| line.attributes.in_view());
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
    readings: &'r [FieldReading],
    want: ElementUse,
) -> Option<(&'r FieldReading, &'a Line, u32)> {
    let mut best: Option<(NameMatch, &FieldReading, &Line, u32)> = None;
    for reading in readings {
        let Some(field) = &reading.field else { continue };
        if let FindResult::One(line, fit) = find(page, field, want)
            && let Some(eid) = line.eid
            && best.is_none_or(|(known, ..)| fit > known)
        {
            best = Some((fit, reading, line, eid));
        }
    }
    best.map(|(_, reading, line, eid)| (reading, line, eid))
}

pub fn field_missing(
    page: &Observation,
    readings: &[FieldReading],
    want: ElementUse,
    setting: &StepContext<'_>,
) -> CommandStep {
    for reading in readings {
        if let Some(field) = &reading.field
            && let FindResult::Disabled(line) = find(page, field, want)
        {
            return search_or_report(page, setting, MissingPart::Disabled { name: line.name.clone() });
        }
    }
    if want == ElementUse::Type {
        for field in readings.iter().filter_map(|reading| reading.field.as_ref()) {
            if let FindResult::One(line, fit) = find(page, field, ElementUse::Any)
                && line.attributes.readonly
                && fit >= NameMatch::Contains
            {
                return search_or_report(page, setting, MissingPart::ReadOnly { name: line.name.clone() });
            }
        }
    }
    let first = readings.iter().find_map(|reading| reading.field.as_ref());
    let missing =
        first.map_or(MissingPart::Field, |field| MissingPart::Element { name: display_name(field), want });
    search_or_report(page, setting, missing)
}
