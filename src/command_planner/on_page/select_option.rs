//! Selects an option of a list that is on the page.

use crate::command_planner::grammar::command::FieldReading;
use crate::command_planner::on_page::command_step::{
    CommandStep, MissingPart, StepContext, act_on_element, click, element_named, search_or_report,
};
use crate::command_planner::on_page::find::{ElementUse, FindResult, find};
use crate::command_planner::on_page::type_text::{best_reading, field_missing};
use crate::command_planner::turns::PlannedAction;
use crate::page::observation::{Line, Observation};
use crate::text::likeness::{NameMatch, match_name};
use serde_json::json;

pub fn select(readings: &[FieldReading], setting: &StepContext<'_>) -> CommandStep {
    let Some(page) = setting.page else { return CommandStep::Missing(MissingPart::Page) };
    if let Some((reading, line, eid)) = best_reading(page, readings, ElementUse::Select) {
        return choose_in(page, reading, line, eid, setting);
    }
    // Without a list of that name: a list with such an option, or a visible option.
    let plain = readings.iter().find(|reading| reading.field.is_none());
    if let Some(value) = plain.and_then(|reading| reading.values.first()) {
        if let Some((eid, label)) = list_with(page, value) {
            return CommandStep::Act(PlannedAction::new("select", json!({ "eid": eid, "option": label })));
        }
        if readings.len() == 1
            || matches!(find(page, &element_named(value), ElementUse::Click), FindResult::One(..))
        {
            return pick(value, setting);
        }
    }
    // A group of radio buttons has no list, but its options can be clicked.
    for reading in readings {
        if let Some(value) = reading.values.first()
            && let FindResult::One(line, fit) = find(page, &element_named(value), ElementUse::Click)
            && fit >= NameMatch::Endings
            && matches!(line.role.as_str(), "radio" | "option" | "menuitem" | "menuitemradio" | "tab")
        {
            return pick(value, setting);
        }
    }
    field_missing(page, readings, ElementUse::Select, setting)
}

fn pick(value: &str, setting: &StepContext<'_>) -> CommandStep {
    act_on_element(&element_named(value), ElementUse::Click, setting, |line, eid| {
        let chosen = line.role == "radio" && line.attributes.checked;
        if chosen { CommandStep::Nothing } else { CommandStep::Act(click(eid, 1, false)) }
    })
}

/// Selects from a native list. A custom list is opened first, then its option is clicked.
fn choose_in(
    page: &Observation,
    reading: &FieldReading,
    line: &Line,
    eid: u32,
    setting: &StepContext<'_>,
) -> CommandStep {
    let options = &line.attributes.options;
    if options.is_empty() {
        return match reading.values.first().map(|value| find(page, &element_named(value), ElementUse::Click))
        {
            Some(FindResult::One(option, _)) if is_option(option) => match option.eid {
                Some(eid) => CommandStep::Act(click(eid, 1, false)),
                None => CommandStep::Missing(MissingPart::Page),
            },
            _ if setting.searches == 0 => CommandStep::Search(click(eid, 1, false)),
            _ => search_or_report(
                page,
                setting,
                MissingPart::Option { value: reading.values.join(", "), options: Vec::new() },
            ),
        };
    }
    let mut labels = Vec::new();
    for value in split_values(&reading.values, options) {
        match best_option(options, &value) {
            Some((_, label)) => labels.push(label),
            None => {
                return search_or_report(
                    page,
                    setting,
                    MissingPart::Option { value, options: options.clone() },
                );
            }
        }
    }
    let option = if labels.len() == 1 { json!(labels[0]) } else { json!(labels) };
    CommandStep::Act(PlannedAction::new("select", json!({ "eid": eid, "option": option })))
}

fn is_option(line: &Line) -> bool {
    matches!(line.role.as_str(), "option" | "menuitem" | "menuitemradio" | "radio" | "treeitem")
}

/// Splits `Red, Blue and Green` into three options, unless the list has that as one option.
fn split_values(values: &[String], options: &[String]) -> Vec<String> {
    match values {
        [only] if best_option(options, only).is_none_or(|(fit, _)| fit <= NameMatch::Within) => {
            let spaced =
                [" and ", " та ", " і ", " й "].iter().fold(only.clone(), |text, and| text.replace(and, ","));
            let parts: Vec<String> =
                spaced.split(',').map(|part| part.trim().to_owned()).filter(|p| !p.is_empty()).collect();
            if parts.len() > 1 { parts } else { values.to_vec() }
        }
        _ => values.to_vec(),
    }
}

fn best_option(options: &[String], value: &str) -> Option<(NameMatch, String)> {
    let mut best: Option<(NameMatch, &String)> = None;
    for option in options {
        let Some(fit) = match_name(value, option) else { continue };
        // The first of equal matches wins.
        if best.is_none_or(|(known, _)| fit > known) {
            best = Some((fit, option));
        }
    }
    best.map(|(fit, option)| (fit, option.clone()))
}

fn list_with(page: &Observation, value: &str) -> Option<(u32, String)> {
    let lists =
        page.lines.iter().filter(|line| !line.attributes.disabled && !line.attributes.options.is_empty());
    let mut best: Option<(NameMatch, u32, String)> = None;
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
