//! Values that went to each destination, so that a text that is sent in pieces, one with each action, is
//! seen.

use crate::gate::flow::explain::{FlowSources, ForeignText, Judge, Sink};
use crate::gate::flow::read_texts::TextSource;
use std::collections::{HashMap, VecDeque};

/// Most values kept for one destination, and most characters of each: pieces are short.
const MOST_VALUES: usize = 50;
const MOST_LETTERS: usize = 48;
/// Fewest keys that are read as a number or a name.
const FEWEST_KEYS: usize = 4;
/// Most destinations.
const MOST_DESTINATIONS: usize = 100;

/// Ledger of the values that a run tree has sent.
#[derive(Clone, Debug, Default)]
pub struct SentPieces {
    values: HashMap<TextSource, VecDeque<String>>,
}

impl SentPieces {
    /// Records a value that was sent.
    pub fn add(&mut self, to: &TextSource, value: &str) {
        if value.is_empty() || (self.values.len() >= MOST_DESTINATIONS && !self.values.contains_key(to)) {
            return;
        }
        let values = self.values.entry(to.clone()).or_default();
        values.push_back(value.chars().take(MOST_LETTERS).collect());
        if values.len() > MOST_VALUES {
            values.pop_front();
        }
    }

    /// Returns foreign text that this value completes, with those sent before it in this or the opposite
    /// order.
    pub fn find_foreign(&self, value: &str, sink: &Sink, sources: &FlowSources<'_>) -> Option<ForeignText> {
        let before = self.values.get(&sink.to)?;
        let judge = Judge::new(sink, sources)?;
        let value: String = value.chars().take(MOST_LETTERS).collect();
        let forward: String = before.iter().map(String::as_str).collect();
        let backward: String = before.iter().rev().map(String::as_str).collect();
        let complete = |before: &str, with: String| {
            let found = judge.find_in_joined(&with)?;
            judge.find_in_joined(before).is_none().then_some(found)
        };
        complete(&forward, format!("{forward}{value}"))
            .or_else(|| complete(&backward, format!("{value}{backward}")))
            .or_else(|| judge.find_in_keys(&join_keys(before, &value)?))
    }
}

/// Joins the keys pressed last, one character each; `None` if they are too few to say something.
fn join_keys(before: &VecDeque<String>, last: &str) -> Option<String> {
    let is_key = |value: &str| value.chars().count() == 1;
    let count = before.iter().rev().take_while(|value| is_key(value)).count();
    let keys: String = before.iter().skip(before.len() - count).map(String::as_str).chain([last]).collect();
    (is_key(last) && count + 1 >= FEWEST_KEYS).then_some(keys)
}
