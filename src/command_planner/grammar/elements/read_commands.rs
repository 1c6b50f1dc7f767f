//! Parses what is read and found: `the page`, `the table as CSV`, `columns "name", "price" as JSON`, `"Reviews"`.

use crate::command_planner::grammar::command::{CommandAction, WantedRows};
use crate::command_planner::grammar::elements::names::parse_name;
use crate::text::tokenize::{Word, name};

const WHOLE: &[&str] = &[
    "page",
    "the",
    "this",
    "whole",
    "all",
    "everything",
    "it",
    "text",
    "of",
    "сторінку",
    "сторінки",
    "усе",
    "все",
    "всю",
    "усю",
    "цю",
    "текст",
    "що",
    "на",
    "тут",
    "вголос",
];
/// Words for rows that have no name.
const ROWS: &[&str] =
    &["table", "rows", "list", "data", "items", "таблицю", "таблиці", "рядки", "список", "дані"];
const COLUMNS: &[&str] =
    &["columns", "column", "fields", "стовпці", "стовпець", "колонки", "колонку", "поля"];
const AS: &[&str] = &["as", "to", "into", "in", "a", "file", "як", "у", "в", "файл", "файлі", "вигляді"];
const FORMATS: &[(&str, &str)] = &[("csv", "csv"), ("json", "json")];
/// Words that say that a text is searched on the page.
const ON_PAGE: &[&[&str]] = &[
    &["on", "the", "page"],
    &["on", "this", "page"],
    &["on", "page"],
    &["here"],
    &["на", "сторінці"],
    &["на", "цій", "сторінці"],
    &["тут"],
];

/// Parses the words after `read`.
pub fn parse_read(rest: &[Word]) -> CommandAction {
    let Some((rest, format)) = split_format(rest) else {
        let whole = rest.iter().all(|word| word.is_any(WHOLE) || word.key.is_empty() && !word.quoted);
        return CommandAction::Read { name: if whole { None } else { parse_name(rest) }, rows: None };
    };
    let columns = read_columns(rest);
    let whole = !columns.is_empty()
        || rest
            .iter()
            .all(|word| word.is_any(WHOLE) || word.is_any(ROWS) || word.key.is_empty() && !word.quoted);
    let rows = Some(WantedRows { format, columns });
    CommandAction::Read { name: if whole { None } else { parse_name(rest) }, rows }
}

/// Splits `the table as CSV` into the words before and the format.
fn split_format(rest: &[Word]) -> Option<(&[Word], &'static str)> {
    let (last, mut front) = rest.split_last()?;
    let (_, format) = FORMATS.iter().find(|(word, _)| last.is(word))?;
    let length = front.len();
    while let Some((word, before)) = front.split_last()
        && word.is_any(AS)
    {
        front = before;
    }
    (front.len() < length).then_some((front, format))
}

/// Reads the names after a word for columns: quoted ones, or those between commas.
fn read_columns(rest: &[Word]) -> Vec<String> {
    let Some(at) = rest.iter().position(|word| word.is_any(COLUMNS)) else { return Vec::new() };
    let listed = &rest[at + 1..];
    let quoted: Vec<String> =
        listed.iter().filter(|word| word.quoted).map(|word| word.text.trim().to_owned()).collect();
    if !quoted.is_empty() {
        return quoted;
    }
    let parts =
        listed.split_inclusive(|word| word.text.ends_with(',') || word.is_any(&["and", "і", "й", "та"]));
    let named = |part: &[Word]| {
        let own: Vec<Word> =
            part.iter().filter(|word| !word.is_any(&["and", "і", "й", "та"])).cloned().collect();
        name(&own).trim_end_matches(',').to_owned()
    };
    parts.map(named).filter(|name| !name.is_empty()).collect()
}

/// Parses the words after `find`. Without quotes it takes words such as `on the page`: a wish to find the cheapest lamp
/// is no command.
pub fn parse_find(rest: &[Word]) -> Option<CommandAction> {
    let ends = |place: &&&[&str]| {
        rest.len() > place.len()
            && rest[rest.len() - place.len()..].iter().zip(place.iter()).all(|(word, key)| word.is(key))
    };
    let place = ON_PAGE.iter().find(ends);
    let body = &rest[..rest.len() - place.map_or(0, |place| place.len())];
    let is_quoted = matches!(body, [only] if only.quoted);
    let text = name(body);
    ((is_quoted || place.is_some()) && !text.is_empty()).then_some(CommandAction::Find { text })
}
