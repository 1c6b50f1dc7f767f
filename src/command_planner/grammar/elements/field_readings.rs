//! Readings of commands with a value and a field. The words alone may be ambiguous, so all readings are
//! listed, the most likely first.

use crate::command_planner::grammar::command::{ElementRef, FieldReading};
use crate::command_planner::grammar::element_kinds::{ElementKind, parse_kind};
use crate::command_planner::grammar::elements::names::parse_name;
use crate::text::tokenize::{Word, name, phrase};

const INTO: &[&str] = &["into", "inside", "всередину"];
const IN: &[&str] = &["in", "to", "on", "в", "у", "до", "на"];
const FROM: &[&str] =
    &["in", "from", "into", "at", "for", "on", "to", "в", "у", "з", "із", "зі", "до", "на", "для", "серед"];
const VALUE: &[&str] = &["value", "text", "значення", "значенням", "текст", "текстом", "слово", "словом"];

/// Most words in the name of a field.
const NAME_WORDS: usize = 12;

/// Yields the positions where a field's name may begin, the last first.
fn cuts(rest: &[Word]) -> impl Iterator<Item = usize> + use<> {
    let (first, end) = (rest.len().saturating_sub(NAME_WORDS + 1).max(1), rest.len().saturating_sub(1));
    (first..end.max(first)).rev()
}

/// Reads `olena into Login`, `olena`, `у поле Логін olena`.
pub fn typings(rest: &[Word]) -> Vec<FieldReading> {
    let mut readings = Vec::new();
    if rest.first().is_some_and(|word| word.is_any(INTO) || word.is_any(&["in", "в", "у", "до"])) {
        if rest.len() < 3 {
            // `type into Search` has no text.
            return readings;
        }
        readings.extend(fields_first(&rest[1..]));
    }
    for strong in [true, false] {
        for at in cuts(rest) {
            if is_strong(rest, at) != strong || !(rest[at].is_any(INTO) || rest[at].is_any(IN)) {
                continue;
            }
            if let Some(field) = field_name(&rest[at + 1..]) {
                readings.push(FieldReading { values: vec![value(&rest[..at])], field: Some(field) });
            }
        }
    }
    if readings.is_empty() && !rest.is_empty() {
        readings.push(FieldReading { values: vec![value(rest)], field: None });
    }
    readings
}

/// True if the preposition certainly precedes a field: `into`, `у поле`, or any preposition after a quoted
/// value.
fn is_strong(rest: &[Word], at: usize) -> bool {
    let names_field =
        rest.get(at + 1).is_some_and(|next| matches!(parse_kind(next), Some(ElementKind::Field)));
    let after_quote = at == 1 && rest[0].quoted;
    rest[at].is_any(INTO) || names_field || after_quote
}

/// Reads `Login with olena`, `поле Логін: olena`. With `quiet`, also tries every split without a word
/// between.
pub fn assignments(rest: &[Word], quiet: bool) -> Vec<FieldReading> {
    const WITH: &[&str] = &["with", "as", "=", "to", "значенням", "текстом", "словом", "на", "в", "у", "by"];
    let mut readings = Vec::new();
    for at in 1..rest.len().min(NAME_WORDS) {
        let colon = !rest[at - 1].quoted && rest[at - 1].text.ends_with(':');
        if colon {
            push_assignment(&mut readings, &rest[..at], &rest[at..]);
        } else if (rest[at].is_any(WITH) || rest[at].is_any(VALUE) || rest[at].text == "=")
            && at + 1 < rest.len()
        {
            let skip = usize::from(rest[at + 1].is_any(VALUE) && at + 2 < rest.len());
            push_assignment(&mut readings, &rest[..at], &rest[at + 1 + skip..]);
        }
    }
    if readings.is_empty() && quiet {
        readings = fields_first(rest);
    }
    readings
}

/// Reads `Login with olena, Email: a@b.example`, one field after another. Empty unless each part between commas is an
/// assignment.
pub fn several_assignments(rest: &[Word]) -> Vec<FieldReading> {
    let ends = |word: &Word| if word.quoted { word.closed } else { word.text.ends_with(',') };
    let parts = rest.split_inclusive(ends).map(|part| {
        let mut reading = assignments(part, false).into_iter().next()?;
        for value in &mut reading.values {
            *value = value.trim_end_matches(',').trim_end().to_owned();
        }
        Some(reading)
    });
    parts.collect::<Option<Vec<FieldReading>>>().unwrap_or_default()
}

fn push_assignment(readings: &mut Vec<FieldReading>, field: &[Word], text: &[Word]) {
    if let Some(field) = field_name(field) {
        readings.push(FieldReading { values: vec![value(text)], field: Some(field) });
    }
}

/// Reads `поле Логін olena`: a field followed by its value.
fn fields_first(rest: &[Word]) -> Vec<FieldReading> {
    let skipped = |words: &[Word]| usize::from(words.len() > 1 && words[0].is_any(VALUE));
    let mut readings = Vec::new();
    let cuts: Vec<usize> = match quoted_cut(rest) {
        Some(at) => vec![at],
        None => (1..rest.len().min(NAME_WORDS)).rev().collect(),
    };
    for at in cuts {
        let colon_earlier = rest[..at - 1].iter().any(|word| !word.quoted && word.text.ends_with(':'));
        if let (false, Some(field)) = (colon_earlier, field_name(&rest[..at])) {
            let text = &rest[at..];
            readings.push(FieldReading { values: vec![value(&text[skipped(text)..])], field: Some(field) });
        }
    }
    readings
}

/// Returns the split that quotes indicate: after a quoted field, or before a quoted value.
fn quoted_cut(rest: &[Word]) -> Option<usize> {
    let first = rest.iter().position(|word| word.quoted)?;
    let only_nouns = rest[..first].iter().all(|word| parse_kind(word).is_some() || word.is_any(&["the"]));
    let at = if only_nouns { first + 1 } else { first };
    (at > 0 && at < rest.len()).then_some(at)
}

/// Reads `Poland in Country`, `Польщу у списку Країна`, `"A", "B" from Tags`, `Poland`.
pub fn selections(rest: &[Word]) -> Vec<FieldReading> {
    let mut readings = Vec::new();
    if rest.first().is_some_and(|word| word.is_any(&["in", "from", "у", "в", "зі", "з", "із"]))
        && rest.len() > 2
    {
        readings.extend(fields_first(&rest[1..]));
    }
    for at in cuts(rest) {
        if rest[at].is_any(FROM)
            && let Some(field) = field_name(&rest[at + 1..])
        {
            readings.push(FieldReading { values: options(&rest[..at]), field: Some(field) });
        }
    }
    if let Some(plain) = parse_name(rest) {
        let values = options(rest);
        readings.push(FieldReading {
            values: if values.len() > 1 { values } else { vec![plain.text] },
            field: None,
        });
    }
    readings
}

/// Returns one option, or several quoted ones.
fn options(words: &[Word]) -> Vec<String> {
    let quoted: Vec<String> = words.iter().filter(|word| word.quoted).map(|word| word.text.clone()).collect();
    if quoted.len() > 1 {
        return quoted;
    }
    let words = match words {
        [first, more @ ..] if !more.is_empty() && (first.is_any(&["the"]) || parse_kind(first).is_some()) => {
            more
        }
        _ => words,
    };
    vec![name(words)]
}

fn field_name(words: &[Word]) -> Option<ElementRef> {
    let mut name = parse_name(words)?;
    if name.kind.is_none() && words.len() > 1 && words[0].is_any(&["my", "свій", "своє", "моє"]) {
        name = parse_name(&words[1..])?;
    }
    Some(name)
}

/// Returns a typed value as written.
fn value(words: &[Word]) -> String {
    phrase(words)
}
