//! Commands that fill several fields in one action.

use crate::command_planner::grammar::command::FieldReading;
use crate::command_planner::on_page::command_step::{
    CommandStep, MissingPart, StepContext, display_name, search_or_report,
};
use crate::command_planner::on_page::find::{ElementUse, FindResult, find};
use crate::command_planner::on_page::type_text::{best_reading, type_step};
use crate::command_planner::turns::PlannedAction;
use crate::page::observation::Observation;
use serde_json::{Value, json};

/// Words that set a checkbox, and those that clear it.
const ON: &[&str] = &["yes", "on", "true", "checked", "так", "позначено", "увімкнено"];
const OFF: &[&str] = &["no", "off", "false", "unchecked", "ні", "не позначено", "вимкнено"];

/// Fills all fields at once. `whole` reads the words as one field: the value of one may hold commas.
pub fn fill_fields(
    fields: &[FieldReading],
    whole: &[FieldReading],
    setting: &StepContext<'_>,
) -> CommandStep {
    let Some(page) = setting.page else { return CommandStep::Missing(MissingPart::Page) };
    let found: Vec<Option<Value>> = fields.iter().map(|reading| fill_part(page, reading)).collect();
    let missing = found.iter().position(Option::is_none);
    match missing.and_then(|at| fields[at].field.as_ref()) {
        None => CommandStep::Act(PlannedAction::new("fill", json!({ "fields": found }))),
        Some(_)
            if found.iter().flatten().count() < 2
                && best_reading(page, whole, ElementUse::Type).is_some() =>
        {
            type_step(whole, setting)
        }
        Some(name) => {
            let missing = MissingPart::Element { name: display_name(name), want: ElementUse::Type };
            search_or_report(page, setting, missing)
        }
    }
}

/// Returns the field with its value as the action wants it; `None` if the page has no such field.
fn fill_part(page: &Observation, reading: &FieldReading) -> Option<Value> {
    let value = reading.values.first().map_or("", String::as_str);
    let field = reading.field.as_ref()?;
    let best = |want: ElementUse| match find(page, field, want) {
        FindResult::One(line, fit) => line.eid.map(|eid| (fit, eid)),
        FindResult::Disabled(_) | FindResult::Nothing => None,
    };
    let word = value.trim().to_lowercase();
    let checked =
        ON.contains(&word.as_str()).then_some(true).or(OFF.contains(&word.as_str()).then_some(false));
    let (list, text) = (best(ElementUse::Select), best(ElementUse::Type));
    let named = list.max(text);
    if let (Some(checked), Some((fit, eid))) = (checked, best(ElementUse::Check))
        && named.is_none_or(|(other, _)| fit >= other)
    {
        return Some(json!({ "eid": eid, "checked": checked }));
    }
    match (list, text) {
        (Some((fit, eid)), other) if other.is_none_or(|(text, _)| fit > text) => {
            Some(json!({ "eid": eid, "option": value }))
        }
        (_, Some((_, eid))) => Some(json!({ "eid": eid, "text": value })),
        _ => None,
    }
}
