//! Parses how a click is done: `with Shift`, `holding Control`, `for 2 seconds`.

use crate::command_planner::grammar::command::{ClickManner, CommandAction};
use crate::command_planner::grammar::elements::names::parse_name;
use crate::command_planner::grammar::keys::parse_modifier;
use crate::command_planner::grammar::waits::parse_time;
use crate::text::tokenize::Word;

const HOLDING: &[&str] =
    &["with", "holding", "while", "з", "зі", "із", "утримуючи", "затиснувши", "тримаючи"];
const SMALL: &[&str] =
    &["the", "key", "keys", "held", "and", "і", "й", "та", "клавішу", "клавіші", "клавішею"];
const FOR: &[&str] = &["for", "протягом", "упродовж"];
/// Milliseconds of a `hold` without a time, and the most.
const HOLD_MS: u32 = 1000;
const MOST_HOLD_MS: u32 = 10_000;

/// Splits the keys held during a click from the words before them.
pub fn parse_manner(rest: &[Word]) -> (&[Word], ClickManner) {
    for at in 1..rest.len() {
        if !rest[at].is_any(HOLDING) {
            continue;
        }
        if let Some(modifiers) = parse_modifiers(&rest[at + 1..]) {
            return (&rest[..at], ClickManner { modifiers, hold_ms: 0 });
        }
    }
    (rest, ClickManner::default())
}

/// Reads `Shift`, `Ctrl+Shift`, `the Control key`; `None` if there is another word, or none.
fn parse_modifiers(words: &[Word]) -> Option<Vec<&'static str>> {
    let mut found = Vec::new();
    for word in words.iter().filter(|word| !word.is_any(SMALL) && !word.is_any(HOLDING)) {
        if word.quoted {
            return None;
        }
        for part in word.key.split('+').filter(|part| !part.is_empty()) {
            found.push(parse_modifier(part)?);
        }
    }
    (!found.is_empty()).then_some(found)
}

/// Parses the words after `hold`: a quoted name, or a name with a time.
pub fn parse_hold(rest: &[Word]) -> Option<CommandAction> {
    let timed = (1..rest.len()).find_map(|at| {
        let begins = usize::from(rest[at].is_any(FOR));
        let seconds = parse_time(&rest[at + begins..]).filter(|_| at + begins < rest.len())?;
        Some((at, seconds))
    });
    let (named, hold_ms) = match timed {
        // Seconds are at most 60, so the milliseconds fit.
        Some((at, seconds)) => (&rest[..at], ((seconds * 1000.0) as u32).clamp(1, MOST_HOLD_MS)),
        None => (rest, HOLD_MS),
    };
    if timed.is_none() && !named.iter().any(|word| word.quoted) {
        return None;
    }
    let manner = ClickManner { modifiers: Vec::new(), hold_ms };
    parse_name(named).map(|name| CommandAction::Click { name, times: 1, right: false, manner })
}
