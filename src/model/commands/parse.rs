//! Grammar of one command: a verb and its object.

use super::keys::key_of;
use super::names::{name_of, starts_with_preposition};
use super::order::{CommandAction, ElementRef, ParseFault};
use super::readings::{assignments, selections, typings};
use super::verbs::{Verb, verb_of};
use super::words::{Word, name};
use super::{address::address, scrolls, uploads, waits};

const NO_OBJECT: CommandAction = CommandAction::Unclear { why: ParseFault::NoObject };
const NO_VERB: CommandAction = CommandAction::Unclear { why: ParseFault::NoVerb };

/// Parses the words of one command.
pub fn parse_command(words: &[Word]) -> CommandAction {
    let Some((verb, taken)) = verb_of(words) else {
        return without_verb(words);
    };
    let rest = &words[taken..];
    match verb {
        Verb::Open => with_element(rest, |name| CommandAction::Open { place: name }),
        Verb::Click => clicked(rest, 1, false),
        Verb::DoubleClick => clicked(rest, 2, false),
        Verb::RightClick => clicked(rest, 1, true),
        Verb::Press => pressed(rest),
        Verb::Key => key_of(&name(rest), true).map_or(NO_OBJECT, |key| CommandAction::Press { key }),
        Verb::Type if rest.is_empty() && words[0].is("enter") => {
            CommandAction::Press { key: String::from("Enter") }
        }
        Verb::Type => unless_empty(typings(rest), |readings| CommandAction::Type { readings }),
        Verb::Fill => unless_empty(assignments(rest, true), |readings| CommandAction::Type { readings }),
        Verb::Set => unless_empty(assignments(rest, false), |readings| CommandAction::Set { readings }),
        Verb::Clear => with_element(rest, |field| CommandAction::Type { readings: vec![emptied(field)] }),
        Verb::Select => unless_empty(selections(rest), |readings| CommandAction::Select { readings }),
        Verb::Check => with_element(rest, |name| CommandAction::Check { name, on: true }),
        Verb::Uncheck => with_element(rest, |name| CommandAction::Check { name, on: false }),
        Verb::Hover => with_element(rest, |name| CommandAction::Hover { name }),
        Verb::Upload => uploads::parse_upload(rest),
        Verb::Drag => dragged(rest),
        Verb::Scroll => scrolls::parse_scroll(rest),
        Verb::Wait => waits::parse_wait(rest),
        Verb::Back => bare(rest, CommandAction::Back),
        Verb::Forward => bare(rest, CommandAction::Forward),
        Verb::Reload => bare(rest, CommandAction::Reload),
        Verb::Read => read(rest),
        Verb::NeedUser => CommandAction::NeedUser,
        Verb::Stop => bare(rest, CommandAction::Stop),
    }
}

/// Parses a single address as a command to open it, and a command with its field before the verb (`in Login
/// type olena`).
fn without_verb(words: &[Word]) -> CommandAction {
    let said = name(words);
    if address(&said, None).is_some() && !said.contains('@') {
        return CommandAction::Open {
            place: ElementRef { full: said.clone(), text: said, ..ElementRef::default() },
        };
    }
    if !starts_with_preposition(words) {
        return NO_VERB;
    }
    for at in 2..words.len() {
        let Some((verb, taken)) = verb_of(&words[at..]) else { continue };
        let (Some(field), value) = (name_of(&words[1..at]), name(&words[at + taken..])) else { continue };
        let readings = vec![super::order::FieldReading { values: vec![value], field: Some(field) }];
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
    name_of(rest).map_or(NO_OBJECT, wish)
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

fn emptied(field: ElementRef) -> super::order::FieldReading {
    super::order::FieldReading { values: vec![String::new()], field: Some(field) }
}

fn clicked(rest: &[Word], times: u32, right: bool) -> CommandAction {
    let (rest, times) = match rest {
        [front @ .., last] if last.is_any(&["twice", "двічі"]) && !front.is_empty() => (front, 2),
        _ => (rest, times),
    };
    with_element(rest, |name| CommandAction::Click { name, times, right })
}

fn pressed(rest: &[Word]) -> CommandAction {
    let click = clicked(rest, 1, false);
    let quoted = rest.iter().any(|word| word.quoted);
    match (key_of(&without_key_noun(rest), false).filter(|_| !quoted), click) {
        (Some(key), CommandAction::Click { name, .. }) if !definite(&key) => {
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

fn dragged(rest: &[Word]) -> CommandAction {
    const TO: &[&str] = &["to", "onto", "into", "на", "до", "в", "у"];
    for at in (1..rest.len().saturating_sub(1)).rev() {
        if !rest[at].is_any(TO) {
            continue;
        }
        if let (Some(from), Some(to)) = (name_of(&rest[..at]), name_of(&rest[at + 1..])) {
            return CommandAction::Drag { from, to };
        }
    }
    NO_OBJECT
}

fn read(rest: &[Word]) -> CommandAction {
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
    let whole = rest.iter().all(|word| word.is_any(WHOLE) || word.key.is_empty() && !word.quoted);
    CommandAction::Read { name: if whole { None } else { name_of(rest) } }
}
