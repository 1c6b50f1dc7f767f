//! Commands that upload files of the run: `upload report.pdf to Photo`, `прикріпи звіт у поле Фото`. A file
//! is uploaded only if the given name identifies it unambiguously; a wrong file is worse than a question.

use super::address::has_scheme;
use super::find::{ElementUse, is_file_field};
use super::likeness::nearness;
use super::names::name_of;
use super::order::{CommandAction, ElementRef, FieldReading};
use super::step::{CommandStep, MissingPart, StepContext, act_on_element};
use super::turns::PlannedAction;
use super::words::{Word, name};
use serde_json::{Value, json};

const INTO: &[&str] = &["to", "into", "in", "onto", "on", "at", "в", "у", "до", "на"];
/// Words for a file without its name.
const FILE: &[&str] = &[
    "file",
    "files",
    "the",
    "a",
    "it",
    "this",
    "my",
    "attached",
    "document",
    "файл",
    "файла",
    "файли",
    "його",
    "її",
    "їх",
    "цей",
    "мій",
    "доданий",
    "документ",
];
/// Words between the names of several files.
const AND: &[&str] = &["and", "і", "й", "та"];

/// Parses the words after the verb: every split into files and field, the most likely first.
pub fn parse_upload(rest: &[Word]) -> CommandAction {
    let said = name(rest);
    if has_scheme(&said) {
        // `завантаж https://…` opens a page.
        return CommandAction::Open {
            place: ElementRef { full: said.clone(), text: said, ..ElementRef::default() },
        };
    }
    let mut readings = Vec::new();
    if rest.first().is_some_and(|word| word.is_any(INTO)) && rest.len() > 1 {
        readings.extend(field_first(&rest[1..]));
    }
    // The last preposition comes first: the name of a file may contain one.
    for at in (1..rest.len().saturating_sub(1)).rev() {
        if rest[at].is_any(INTO)
            && let Some(field) = name_of(&rest[at + 1..])
        {
            readings.push(FieldReading { values: files(&rest[..at]), field: Some(field) });
        }
    }
    readings.push(FieldReading { values: files(rest), field: None });
    CommandAction::Upload { readings }
}

/// Reads `у поле Фото`, `у поле «Фото» звіт.pdf`.
fn field_first(rest: &[Word]) -> Vec<FieldReading> {
    let cuts = (1..rest.len()).rev().filter(|at| rest[*at].quoted || rest[*at].text.contains('.'));
    let mut readings: Vec<FieldReading> = cuts
        .filter_map(|at| {
            Some(FieldReading { values: files(&rest[at..]), field: Some(name_of(&rest[..at])?) })
        })
        .collect();
    if let Some(field) = name_of(rest) {
        readings.push(FieldReading { values: Vec::new(), field: Some(field) });
    }
    readings
}

/// Returns the file names: quoted, separated by commas, or the whole text; empty for a word such as `file`
/// alone.
fn files(words: &[Word]) -> Vec<String> {
    let quoted: Vec<String> = words.iter().filter(|word| word.quoted).map(|word| word.text.clone()).collect();
    if !quoted.is_empty() {
        return quoted;
    }
    let named = words.iter().position(|word| !word.is_any(FILE)).unwrap_or(words.len());
    let mut parts = vec![Vec::new()];
    for word in &words[named..] {
        let joins = word.is_any(AND);
        if !joins && let Some(part) = parts.last_mut() {
            part.push(word.clone());
        }
        if joins || word.text.ends_with(',') {
            parts.push(Vec::new());
        }
    }
    let whole = name(&words[named..]);
    let parts: Vec<String> = parts.iter().map(|part| name(part)).filter(|part| !part.is_empty()).collect();
    match parts.len() {
        0 => Vec::new(),
        // Only names with extensions certainly are several.
        1.. if parts.iter().all(|part| part.contains('.')) => parts,
        _ => vec![whole],
    }
}

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
