//! Commands that upload files of the run: `upload report.pdf to Photo`, `прикріпи звіт у поле Фото`. A file
//! is uploaded only if the given name identifies it unambiguously; a wrong file is worse than a question.

use crate::command_planner::grammar::command::{ElementRef, FieldReading};
use crate::command_planner::on_page::command_step::{CommandStep, MissingPart, StepContext, act_on_element};
use crate::command_planner::on_page::find::{ElementUse, is_file_field};
use crate::command_planner::turns::PlannedAction;
use crate::text::likeness::nearness;
use serde_json::{Value, json};

/// Returns the action for the first reading whose files the run has, or what is missing.
pub fn step(readings: &[FieldReading], setting: &StepContext<'_>) -> CommandStep {
    if setting.page.is_none() {
        return CommandStep::Missing(MissingPart::Page);
    }
    let fitting: Vec<(Vec<String>, Option<&ElementRef>)> = readings
        .iter()
        .filter_map(|reading| Some((find_files(&reading.values, setting.files)?, reading.field.as_ref())))
        .collect();
    let mut missing = None;
    for (files, field) in &fitting {
        match upload_step(files, *field, setting) {
            CommandStep::Act(action) => return CommandStep::Act(action),
            other => missing = missing.or(Some(other)),
        }
    }
    missing.unwrap_or_else(|| CommandStep::Missing(no_file(readings, setting.files)))
}

/// Returns the run's files with these names, or `None` unless all exist. No names mean the run's only file.
fn find_files(names: &[String], there: &[String]) -> Option<Vec<String>> {
    if names.is_empty() {
        return (there.len() == 1).then(|| there.to_vec());
    }
    names.iter().map(|name| find_file(name, there).map(str::to_owned)).collect()
}

/// Returns the file with the name: exact, in another case, or without its extension if that is unambiguous.
fn find_file<'a>(name: &str, there: &'a [String]) -> Option<&'a str> {
    let lower = name.to_lowercase();
    let stem = |file: &str| file.rsplit_once('.').map_or(file, |(stem, _)| stem).to_lowercase();
    let only = |fits: &dyn Fn(&str) -> bool| {
        let mut fitting = there.iter().map(String::as_str).filter(|file| fits(file));
        fitting.next().filter(|_| fitting.next().is_none())
    };
    there
        .iter()
        .map(String::as_str)
        .find(|file| *file == name)
        .or_else(|| only(&|file| file.to_lowercase() == lower))
        .or_else(|| only(&|file| stem(file) == lower))
}

fn upload_step(files: &[String], field: Option<&ElementRef>, setting: &StepContext<'_>) -> CommandStep {
    let file: Value = match files {
        [one] => json!(one),
        several => json!(several),
    };
    let act = |eid: u32| CommandStep::Act(PlannedAction::new("upload", json!({ "eid": eid, "file": file })));
    if let Some(field) = field {
        return act_on_element(field, ElementUse::Upload, setting, |_, eid| act(eid));
    }
    let lines = setting.page.map(|page| page.lines.as_slice()).unwrap_or_default();
    let mut fields = lines.iter().filter(|line| is_file_field(line));
    match (fields.next(), fields.next()) {
        (Some(only), None) => only.eid.map_or(CommandStep::Missing(MissingPart::Page), act),
        _ => {
            let fields = lines.iter().filter(|line| is_file_field(line)).map(|line| line.name.clone());
            CommandStep::Missing(MissingPart::FileField { fields: fields.take(12).collect() })
        }
    }
}

/// Reports the missing file of the most likely reading, with the run's files, the most similar first.
fn no_file(readings: &[FieldReading], there: &[String]) -> MissingPart {
    let mut there = there.to_vec();
    let named = readings.first().filter(|reading| !reading.values.is_empty());
    let Some(named) = named else { return MissingPart::WhichFile { there } };
    let missing = named.values.iter().find(|name| find_file(name, &there).is_none());
    let name = missing.cloned().unwrap_or_default();
    there.sort_by(|one, two| nearness(&name, two).total_cmp(&nearness(&name, one)));
    MissingPart::File { name, there }
}
