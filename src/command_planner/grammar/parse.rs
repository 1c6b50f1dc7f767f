//! Grammar of one command: a verb and its object.

use crate::command_planner::grammar::address::{address, has_scheme};
use crate::command_planner::grammar::command::{
    ClickManner, CommandAction, ElementRef, FieldReading, ParseFault,
};
use crate::command_planner::grammar::elements::click_manner::{parse_hold, parse_manner};
use crate::command_planner::grammar::elements::field_readings::{
    assignments, selections, several_assignments, typings,
};
use crate::command_planner::grammar::elements::names::{parse_name, starts_with_preposition};
use crate::command_planner::grammar::elements::read_commands::{parse_find, parse_read};
use crate::command_planner::grammar::elements::tool_calls::parse_tool_call;
use crate::command_planner::grammar::keys::parse_key;
use crate::command_planner::grammar::verbs::{Verb, parse_verb};
use crate::command_planner::grammar::{scrolls, waits};
use crate::text::tokenize::{Word, name};

const NO_OBJECT: CommandAction = CommandAction::Unclear { why: ParseFault::NoObject };
const NO_VERB: CommandAction = CommandAction::Unclear { why: ParseFault::NoVerb };

/// Parses the words of one command.
pub fn parse_command(words: &[Word]) -> CommandAction {
    let Some((verb, taken)) = parse_verb(words) else {
        return without_verb(words);
    };
    let rest = &words[taken..];
    match verb {
        Verb::Open => with_element(rest, |name| CommandAction::Open { element: name }),
        Verb::Click => parse_click(rest, 1, false),
        Verb::DoubleClick => parse_click(rest, 2, false),
        Verb::RightClick => parse_click(rest, 1, true),
        Verb::Hold => parse_hold(rest).unwrap_or(NO_VERB),
        Verb::Press => parse_press(rest),
        Verb::Key => parse_key(&name(rest), true).map_or(NO_OBJECT, |key| CommandAction::Press { key }),
        Verb::Type if rest.is_empty() && words[0].is("enter") => {
            CommandAction::Press { key: String::from("Enter") }
        }
        Verb::Type => unless_empty(typings(rest), |readings| CommandAction::Type { readings }),
        Verb::Fill => parse_fill(rest),
        Verb::Set => unless_empty(assignments(rest, false), |readings| CommandAction::Set { readings }),
        Verb::Clear => with_element(rest, |field| CommandAction::Type { readings: vec![clear_field(field)] }),
        Verb::Select => unless_empty(selections(rest), |readings| CommandAction::Select { readings }),
        Verb::Check => with_element(rest, |name| CommandAction::Check { name, on: true }),
        Verb::Uncheck => with_element(rest, |name| CommandAction::Check { name, on: false }),
        Verb::Hover => with_element(rest, |name| CommandAction::Hover { name }),
        Verb::Upload => parse_upload(rest),
        Verb::Drag => parse_drag(rest),
        Verb::Scroll => scrolls::parse_scroll(rest),
        Verb::Wait => waits::parse_wait(rest),
        Verb::Back => bare(rest, CommandAction::Back),
        Verb::Forward => bare(rest, CommandAction::Forward),
        Verb::Reload => bare(rest, CommandAction::Reload),
        Verb::Read => parse_read(rest),
        Verb::Find => parse_find(rest).unwrap_or(NO_VERB),
        Verb::Tool => parse_tool_call(rest).unwrap_or(NO_OBJECT),
        Verb::NeedUser => CommandAction::NeedUser,
        Verb::Stop => bare(rest, CommandAction::Stop),
    }
}

/// Parses several fields with their values, or a text with its field.
fn parse_fill(rest: &[Word]) -> CommandAction {
    match several_assignments(rest) {
        fields if fields.len() > 1 => CommandAction::Fill { fields, whole: assignments(rest, true) },
        _ => unless_empty(assignments(rest, true), |readings| CommandAction::Type { readings }),
    }
}

/// Parses a single address as a command to open it, and a command with its field before the verb (`in Login
/// type olena`).
fn without_verb(words: &[Word]) -> CommandAction {
    let text = name(words);
    if address(&text, None).is_some() && !text.contains('@') {
        return CommandAction::Open {
            element: ElementRef { full: text.clone(), text, ..ElementRef::default() },
        };
    }
    if !starts_with_preposition(words) {
        return NO_VERB;
    }
    for at in 2..words.len() {
        let Some((verb, taken)) = parse_verb(&words[at..]) else { continue };
        let (Some(field), value) = (parse_name(&words[1..at]), name(&words[at + taken..])) else { continue };
        let readings = vec![FieldReading { values: vec![value], field: Some(field) }];
        match verb {
            _ if at + taken == words.len() => {}
            Verb::Type => return CommandAction::Type { readings },
            Verb::Select => return CommandAction::Select { readings },
            _ => {}
        }
    }
    NO_VERB
}

fn with_element(rest: &[Word], wish: impl FnOnce(ElementRef) -> CommandAction) -> CommandAction {
    parse_name(rest).map_or(NO_OBJECT, wish)
}

fn unless_empty<T>(readings: Vec<T>, wish: impl FnOnce(Vec<T>) -> CommandAction) -> CommandAction {
    if readings.is_empty() { NO_OBJECT } else { wish(readings) }
}

/// Accepts a verb without an object, such as `stop`; with further words it is a different command.
fn bare(rest: &[Word], wish: CommandAction) -> CommandAction {
    const ALLOWED: &[&str] = &[
        "page",
        "the",
        "this",
        "now",
        "here",
        "one",
        "once",
        "сторінка",
        "сторінку",
        "сторінки",
        "сторінці",
        "на",
        "один",
        "раз",
        "крок",
        "попередню",
        "попередньої",
        "до",
        "тут",
        "зараз",
        "цю",
        "previous",
        "next",
        "to",
        "step",
        "наступну",
    ];
    if rest.iter().all(|word| word.key.is_empty() || word.is_any(ALLOWED)) { wish } else { NO_VERB }
}

fn clear_field(field: ElementRef) -> FieldReading {
    FieldReading { values: vec![String::new()], field: Some(field) }
}

fn parse_click(rest: &[Word], times: u32, right: bool) -> CommandAction {
    let (rest, times) = match rest {
        [front @ .., last] if last.is_any(&["twice", "двічі"]) && !front.is_empty() => (front, 2),
        _ => (rest, times),
    };
    let (rest, manner) = parse_manner(rest);
    with_element(rest, |name| CommandAction::Click { name, times, right, manner })
}

fn parse_press(rest: &[Word]) -> CommandAction {
    let click = parse_click(rest, 1, false);
    let quoted = rest.iter().any(|word| word.quoted);
    match (parse_key(&without_key_noun(rest), false).filter(|_| !quoted), click) {
        (Some(key), CommandAction::Click { name, manner, .. })
            if !definite(&key) && manner == ClickManner::default() =>
        {
            CommandAction::PressOrClick { key, name }
        }
        (Some(key), _) => CommandAction::Press { key },
        (None, click) => click,
    }
}

/// Removes the noun from `the Enter key`.
fn without_key_noun(rest: &[Word]) -> String {
    let rest = match rest {
        [first, more @ ..] if first.is_any(&["the", "клавішу"]) => more,
        _ => rest,
    };
    match rest {
        [front @ .., last] if last.is_any(&["key", "button"]) && !front.is_empty() => name(front),
        _ => name(rest),
    }
}

/// True for keys that are hardly ever names of clickable elements.
fn definite(key: &str) -> bool {
    key.contains('+')
        || matches!(key, "Tab" | "Escape" | "Backspace" | "PageUp" | "PageDown")
        || key.starts_with("Arrow")
}

fn parse_drag(rest: &[Word]) -> CommandAction {
    const TO: &[&str] = &["to", "onto", "into", "на", "до", "в", "у"];
    for at in (1..rest.len().saturating_sub(1)).rev() {
        if !rest[at].is_any(TO) {
            continue;
        }
        if let (Some(from), Some(to)) = (parse_name(&rest[..at]), parse_name(&rest[at + 1..])) {
            return CommandAction::Drag { from, to };
        }
    }
    NO_OBJECT
}

/// Parses the words after the verb: every split into files and field, the most likely first.
fn parse_upload(rest: &[Word]) -> CommandAction {
    let text = name(rest);
    if has_scheme(&text) {
        // `завантаж https://…` opens a page.
        return CommandAction::Open {
            element: ElementRef { full: text.clone(), text, ..ElementRef::default() },
        };
    }
    let mut readings = Vec::new();
    if rest.first().is_some_and(|word| word.is_any(INTO)) && rest.len() > 1 {
        readings.extend(field_first(&rest[1..]));
    }
    // The last preposition comes first: the name of a file may contain one.
    for at in (1..rest.len().saturating_sub(1)).rev() {
        if rest[at].is_any(INTO)
            && let Some(field) = parse_name(&rest[at + 1..])
        {
            readings.push(FieldReading { values: files(&rest[..at]), field: Some(field) });
        }
    }
    readings.push(FieldReading { values: files(rest), field: None });
    CommandAction::Upload { readings }
}

const INTO: &[&str] = &["to", "into", "in", "onto", "on", "at", "в", "у", "до", "на"];

/// Words for a file without its name.
pub(crate) const FILE: &[&str] = &[
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
pub(crate) const AND: &[&str] = &["and", "і", "й", "та"];

/// Reads `у поле Фото`, `у поле «Фото» звіт.pdf`.
fn field_first(rest: &[Word]) -> Vec<FieldReading> {
    let cuts = (1..rest.len()).rev().filter(|at| rest[*at].quoted || rest[*at].text.contains('.'));
    let mut readings: Vec<FieldReading> = cuts
        .filter_map(|at| {
            Some(FieldReading { values: files(&rest[at..]), field: Some(parse_name(&rest[..at])?) })
        })
        .collect();
    if let Some(field) = parse_name(rest) {
        readings.push(FieldReading { values: Vec::new(), field: Some(field) });
    }
    readings
}

/// Returns the file names: quoted, separated by commas, or the whole text; empty for a word such as `file`
/// alone.
pub(crate) fn files(words: &[Word]) -> Vec<String> {
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
