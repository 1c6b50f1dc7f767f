//! Parses `wait`, `wait 3 seconds`, `зачекай, поки з'явиться Готово`, `wait until Loading is gone`.

use crate::command_planner::grammar::command::{CommandAction, ParseFault};
use crate::text::tokenize::{Word, name};

/// Seconds of a `wait` without a time.
const PAUSE_S: f64 = 2.0;
/// Longest wait for a text, in seconds.
const PATIENCE_S: f64 = 20.0;

const SMALL: &[&str] = &[
    "for",
    "until",
    "till",
    "the",
    "a",
    "text",
    "на",
    "поки",
    "доки",
    "не",
    "з'явиться",
    "з'явилось",
    "зявиться",
    "покажеться",
    "буде",
    "появу",
    "появи",
    "текст",
    "тексту",
    "напис",
    "слово",
    "about",
    "approximately",
    "близько",
    "ще",
    "приблизно",
    "there",
    "is",
];
const TRAILING: &[&str] = &[
    "appears",
    "appear",
    "shows",
    "show",
    "up",
    "is",
    "visible",
    "shown",
    "loads",
    "to",
    "with",
    "з'явиться",
    "зявиться",
    "покажеться",
    "завантажиться",
];

/// Words that say that a text is to disappear.
const GONE: &[&str] = &[
    "gone",
    "disappears",
    "disappear",
    "vanishes",
    "vanish",
    "away",
    "зникне",
    "зникнуть",
    "щезне",
    "щезнуть",
    "пропаде",
    "пропадуть",
    "зникнення",
];

/// Parses the words after `wait`.
pub fn parse_wait(rest: &[Word]) -> CommandAction {
    if let Some(seconds) = time(rest) {
        return CommandAction::Wait { seconds, text: None, gone: None };
    }
    let goes = |word: &Word| word.is_any(GONE);
    let is_at_end =
        |at: usize| at == 0 || at + 1 == rest.len() || rest[..at].iter().all(|word| word.is_any(SMALL));
    let gone_at = (0..rest.len()).find(|&at| goes(&rest[at]) && is_at_end(at));
    let without: Vec<Word>;
    let mut body = match gone_at {
        Some(at) => {
            without = [&rest[..at], &rest[at + 1..]].concat();
            &without[..]
        }
        None => rest,
    };
    while let [first, more @ ..] = body
        && first.is_any(SMALL)
    {
        body = more;
    }
    while let [front @ .., last] = body
        && (last.is_any(TRAILING) || gone_at.is_some() && last.is_any(&["goes", "go"]))
        && !front.is_empty()
    {
        body = front;
    }
    let text = name(body);
    match (rest.is_empty(), text.is_empty()) {
        (true, _) => CommandAction::Wait { seconds: PAUSE_S, text: None, gone: None },
        (false, true) => CommandAction::Unclear { why: ParseFault::NoObject },
        (false, false) if gone_at.is_some() => {
            CommandAction::Wait { seconds: PATIENCE_S, text: None, gone: Some(text) }
        }
        (false, false) => CommandAction::Wait { seconds: PATIENCE_S, text: Some(text), gone: None },
    }
}

/// Parses `3 seconds`, `3s`, `пів хвилини`; `None` without a number or if there are other words.
pub fn parse_time(words: &[Word]) -> Option<f64> {
    let has_number =
        |word: &Word| parse_number(word).is_some() || word.key.starts_with(|c: char| c.is_ascii_digit());
    time(words).filter(|_| words.iter().any(has_number))
}

/// Parses `3 seconds`, `3s`, `пів хвилини`, `a minute`; `None` if there are other words.
fn time(rest: &[Word]) -> Option<f64> {
    const SECONDS: &[&str] =
        &["s", "sec", "secs", "second", "seconds", "с", "сек", "секунда", "секунду", "секунди", "секунд"];
    const MINUTES: &[&str] =
        &["m", "min", "mins", "minute", "minutes", "хв", "хвилина", "хвилину", "хвилини", "хвилин"];
    const MILLIS: &[&str] = &["ms", "milliseconds", "millisecond", "мс", "мілісекунд", "мілісекунди"];
    let (mut amount, mut unit) = (None, None);
    for word in rest {
        if word.quoted {
            return None;
        }
        match parse_number(word) {
            Some(found) if amount.is_none() => amount = Some(found),
            _ if word.is_any(SECONDS) => unit = Some(1.0),
            _ if word.is_any(MINUTES) => unit = Some(60.0),
            _ if word.is_any(MILLIS) => unit = Some(0.001),
            _ if word.is_any(SMALL)
                || word.is_any(&["moment", "bit", "трохи", "трошки", "мить", "хвильку"]) =>
                {}
            _ => match parse_joined_amount(&word.key, &[(SECONDS, 1.0), (MINUTES, 60.0), (MILLIS, 0.001)]) {
                Some(seconds) => return Some(seconds),
                None => return None,
            },
        }
    }
    match (amount, unit) {
        (None, None) => (!rest.is_empty()
            && rest.iter().all(|w| !w.is_any(&["until", "till", "поки", "доки"])))
        .then_some(PAUSE_S),
        (amount, unit) => Some((amount.unwrap_or(1.0) * unit.unwrap_or(1.0)).clamp(0.0, 60.0)),
    }
}

/// Parses an amount with its unit in one word: `3s`.
fn parse_joined_amount(key: &str, units: &[(&[&str], f64)]) -> Option<f64> {
    let digits = key.find(|c: char| !(c.is_ascii_digit() || c == '.' || c == ','))?;
    let amount: f64 = key[..digits].replace(',', ".").parse().ok()?;
    let (_, factor) = units.iter().find(|(names, _)| names.contains(&&key[digits..]))?;
    Some((amount * factor).clamp(0.0, 60.0))
}

/// Parses a number in digits or as a word.
pub fn parse_number(word: &Word) -> Option<f64> {
    const WORDS: &[(f64, &[&str])] = &[
        (1.0, &["one", "один", "одну", "одна"]),
        (2.0, &["two", "couple", "два", "дві"]),
        (3.0, &["three", "три"]),
        (4.0, &["four", "чотири"]),
        (5.0, &["five", "п'ять"]),
        (10.0, &["ten", "десять"]),
        (0.5, &["half", "пів"]),
    ];
    if word.quoted {
        return None;
    }
    let digits = word.key.replace(',', ".");
    if digits.starts_with(|c: char| c.is_ascii_digit()) {
        return digits.parse().ok().filter(|n: &f64| n.is_finite());
    }
    WORDS.iter().find(|(_, names)| word.is_any(names)).map(|(value, _)| *value)
}
