//! Cuts a message into orders, at line ends, semicolons and joining words, never inside quotes. A
//! joining word that the order before it still needs is no joint: in `натисни далі` it is the name.

use super::order::{Order, Unclear, Wish};
use super::parse::wish;
use super::secrecy::typed_secrets;
use super::verbs::{is_filler, verb_of};
use super::words::{Word, as_typed, phrase, words};
use crate::turn::typed;

/// Joining words (PROTOCOL section 6), longest first.
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

/// Words that join two orders only if a verb follows.
const ANDS: &[&str] = &["and", "і", "й", "та", "а"];

/// Beyond so many words a line is a text, not a chain of orders: nothing joins there but line ends.
const CHAIN: usize = 200;

/// Words of the second order that are looked at to see whether it is one.
const BEGINNING: usize = 40;

/// The orders of a message, in order.
pub fn orders(text: &str) -> Vec<Order> {
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

fn split_line(line: &[Word], found: &mut Vec<Order>) {
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

/// Adds the order that `words` are; `typed` has the fillers before it, too.
fn push(typed: &[Word], words: &[Word], found: &mut Vec<Order>) {
    let words = without_courtesy(words);
    if !words.is_empty() {
        let wish = wish(words);
        let typed = masked(as_typed(typed), &wish);
        found.push(Order { said: masked(said(words), &wish), typed, wish });
    }
}

/// How many words join here the order before `at` to the one after; none if nothing does.
fn joint_at(words: &[Word], at: usize) -> Option<usize> {
    let (before, after) = words.split_at(at);
    for joint in JOINTS {
        let matches = after.len() > joint.len() && joint.iter().zip(after).all(|(key, word)| word.is(key));
        if matches {
            return (!lacks_object(before)).then_some(joint.len());
        }
    }
    let taken = usize::from(after[0].any(ANDS));
    let ends = |word: &Word| if word.quoted { word.closed } else { word.text.ends_with([',', '.', '!']) };
    let punctuated = before.last().is_some_and(ends);
    if taken == 0 && !punctuated {
        return None;
    }
    // The beginning of what follows tells whether it is an order.
    let next = &after[taken..after.len().min(BEGINNING)];
    joins_two_orders(before, next).then_some(taken)
}

fn lacks_object(words: &[Word]) -> bool {
    matches!(wish(words), Wish::Unclear { why: Unclear::NoObject })
}

/// `and` and commas are common inside names and texts, so both sides must stand as orders.
fn joins_two_orders(before: &[Word], after: &[Word]) -> bool {
    let after = without_fillers(after);
    if verb_of(after).is_none() {
        return false;
    }
    let right = wish(after);
    let typed_without_field = match wish(before) {
        Wish::Unclear { .. } => return false,
        Wish::Type { readings } => readings.iter().all(|reading| reading.field.is_none()),
        _ => false,
    };
    match right {
        Wish::Unclear { .. } => false,
        // After a text without a field only what can hardly be meant as text.
        Wish::Press { .. } | Wish::PressOrClick { .. } | Wish::Click { .. } => true,
        _ => !typed_without_field,
    }
}

/// The words without courtesy and joining words before the verb.
pub fn without_fillers(words: &[Word]) -> &[Word] {
    let mut rest = words;
    while let Some(first) = rest.first() {
        // A verb may begin with such a word: `I will do it`, `a`.
        if !is_filler(first) || (verb_of(rest).is_some() && !first.key.is_empty()) {
            break;
        }
        rest = &rest[1..];
    }
    rest
}

/// Without `please` at the end.
fn without_courtesy(words: &[Word]) -> &[Word] {
    match words {
        [rest @ .., last] if last.any(&["please", "pls", "прошу", "будь-ласка"]) && !rest.is_empty() => {
            rest
        }
        [rest @ .., one, two] if one.is("будь") && two.is("ласка") && !rest.is_empty() => rest,
        _ => words,
    }
}

/// The order in its own words, for a person; quotes are put back.
pub fn said(words: &[Word]) -> String {
    let quoted = words.iter().map(|word| Word {
        text: if word.quoted { format!("“{}”", word.text) } else { word.text.clone() },
        ..word.clone()
    });
    let text = phrase(&quoted.collect::<Vec<_>>());
    text.trim_end_matches([',', '.', ';']).to_owned()
}

/// Without the value that goes into a password or card field: answers and thoughts repeat orders.
fn masked(said: String, wish: &Wish) -> String {
    let said = typed_secrets(wish).fold(said, |said, value| said.replacen(value, typed::MASK, 1));
    typed::shown(&said)
}
