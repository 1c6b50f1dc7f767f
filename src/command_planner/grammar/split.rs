//! Splits a message into commands at line ends, semicolons and joining words, except inside quotes. A joining
//! word that the preceding command needs does not split: in `натисни далі` it is the name.

use crate::command_planner::grammar::command::{CommandAction, ParseFault, PlainCommand};
use crate::command_planner::grammar::parse::parse_command;
use crate::command_planner::grammar::typed_secrets::typed_secrets;
use crate::command_planner::grammar::verbs::{is_filler, parse_verb};
use crate::text::tokenize::{Word, as_typed, phrase, words};
use crate::turn::typed_secret;

/// Joining words (`docs/turns.md`, "Plain commands"), longest first.
const JOINTS: &[&[&str]] = &[
    &["and", "after", "that"],
    &["and", "then"],
    &["after", "that"],
    &["а", "після", "цього"],
    &["після", "цього"],
    &["а", "потім"],
    &["і", "потім"],
    &["й", "потім"],
    &["та", "потім"],
    &["а", "далі"],
    &["і", "далі"],
    &["та", "далі"],
    &["then"],
    &["потім"],
    &["далі"],
];

/// Words that join two commands only before a verb.
const ANDS: &[&str] = &["and", "і", "й", "та", "а"];

/// A line with more words is a text, not a chain of commands; it is not split at joining words.
const CHAIN: usize = 200;

/// Words after a joining word that are examined for a command.
const BEGINNING: usize = 40;

/// Splits a message into its commands.
pub fn split_commands(text: &str) -> Vec<PlainCommand> {
    let all = words(text);
    let mut found = Vec::new();
    let mut start = 0;
    while start < all.len() {
        let end = (start + 1..all.len()).find(|&at| all[at].breaks).unwrap_or(all.len());
        split_line(&all[start..end], &mut found);
        start = end;
    }
    found
}

fn split_line(line: &[Word], found: &mut Vec<PlainCommand>) {
    let mut line = line;
    let mut rest = without_fillers(line);
    'orders: while !rest.is_empty() {
        for at in 1..rest.len().min(CHAIN) {
            if let Some(taken) = joint_at(rest, at) {
                let fillers = line.len() - rest.len();
                push(&line[..fillers + at], &rest[..at], found);
                line = &rest[at + taken..];
                rest = without_fillers(line);
                continue 'orders;
            }
        }
        push(line, rest, found);
        return;
    }
}

/// Adds the command in `words`; `typed` also includes the fillers before it.
fn push(typed: &[Word], words: &[Word], found: &mut Vec<PlainCommand>) {
    let words = without_courtesy(words);
    if !words.is_empty() {
        let wish = parse_command(words);
        let typed = mask_secrets(as_typed(typed), &wish);
        found.push(PlainCommand { text: mask_secrets(command_text(words), &wish), typed, wish });
    }
}

/// Returns the length of the joining words at `at`, 0 for punctuation; `None` if nothing joins here.
fn joint_at(words: &[Word], at: usize) -> Option<usize> {
    let (before, after) = words.split_at(at);
    for joint in JOINTS {
        let matches = after.len() > joint.len() && joint.iter().zip(after).all(|(key, word)| word.is(key));
        if matches {
            return (!lacks_object(before)).then_some(joint.len());
        }
    }
    let taken = usize::from(after[0].is_any(ANDS));
    let ends = |word: &Word| if word.quoted { word.closed } else { word.text.ends_with([',', '.', '!']) };
    let punctuated = before.last().is_some_and(ends);
    if taken == 0 && !punctuated {
        return None;
    }
    // The beginning of the rest shows whether it is a command.
    let next = &after[taken..after.len().min(BEGINNING)];
    joins_two_orders(before, next).then_some(taken)
}

fn lacks_object(words: &[Word]) -> bool {
    matches!(parse_command(words), CommandAction::Unclear { why: ParseFault::NoObject })
}

/// True if both sides are complete commands. `and` and commas are common inside names and texts.
fn joins_two_orders(before: &[Word], after: &[Word]) -> bool {
    let after = without_fillers(after);
    if parse_verb(after).is_none() {
        return false;
    }
    let right = parse_command(after);
    let typed_without_field = match parse_command(before) {
        CommandAction::Unclear { .. } => return false,
        CommandAction::Type { readings } => readings.iter().all(|reading| reading.field.is_none()),
        _ => false,
    };
    match right {
        CommandAction::Unclear { .. } => false,
        // After a text without a field, only commands that are hardly ever part of the text.
        CommandAction::Press { .. } | CommandAction::PressOrClick { .. } | CommandAction::Click { .. } => {
            true
        }
        _ => !typed_without_field,
    }
}

/// Removes courtesies and joining words before the verb.
pub fn without_fillers(words: &[Word]) -> &[Word] {
    let mut rest = words;
    while let Some(first) = rest.first() {
        // A verb may begin with a filler: `I will do it`.
        if !is_filler(first) || (parse_verb(rest).is_some() && !first.key.is_empty()) {
            break;
        }
        rest = &rest[1..];
    }
    rest
}

/// Removes `please` at the end.
fn without_courtesy(words: &[Word]) -> &[Word] {
    match words {
        [rest @ .., last] if last.is_any(&["please", "pls", "прошу", "будь-ласка"]) && !rest.is_empty() => {
            rest
        }
        [rest @ .., one, two] if one.is("будь") && two.is("ласка") && !rest.is_empty() => rest,
        _ => words,
    }
}

/// Returns the command in its own words for a person, with quotes restored.
fn command_text(words: &[Word]) -> String {
    let quoted = words.iter().map(|word| Word {
        text: if word.quoted { quote_again(word) } else { word.text.clone() },
        ..word.clone()
    });
    let text = phrase(&quoted.collect::<Vec<_>>());
    text.trim_end_matches([',', '.', ';']).to_owned()
}

/// Restores the quotes of a word: guillemets where they were typed.
fn quote_again(word: &Word) -> String {
    if word.raw.starts_with('«') { format!("«{}»", word.text) } else { format!("“{}”", word.text) }
}

/// Masks the value for a password or card field: answers and thoughts repeat commands.
fn mask_secrets(text: String, wish: &CommandAction) -> String {
    let text = typed_secrets(wish).fold(text, |text, value| text.replacen(value, typed_secret::MASK, 1));
    typed_secret::mask_placeholders(&text)
}
