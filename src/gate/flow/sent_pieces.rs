//! Values that went to each destination, so that a text that is sent in pieces, one with each action, is
//! seen.

use crate::gate::flow::addresses::AddressParts;
use crate::gate::flow::explain::{FlowSources, ForeignText, Judge};
use crate::gate::flow::read_texts::TextSource;
use std::collections::{HashMap, VecDeque};

/// Most values kept for one place of a destination, and most characters of each: pieces are short.
const MOST_VALUES: usize = 50;
const MOST_LETTERS: usize = 48;
/// Fewest keys that are read as a number or a name.
const FEWEST_KEYS: usize = 4;
/// Most places.
const MOST_PLACES: usize = 600;

/// Part of an action in which pieces of one text may follow each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PiecePlace {
    Label,
    User,
    Path,
    LastSegment,
    Name,
    Value,
    Fragment,
    TypedText,
    Key,
    Argument,
}

/// A value with its place.
pub type SentPiece = (PiecePlace, String);

/// Ledger of the values that a run tree has sent.
#[derive(Clone, Debug, Default)]
pub struct SentPieces {
    values: HashMap<(TextSource, PiecePlace), VecDeque<String>>,
}

impl SentPieces {
    /// Records a value that was sent.
    pub fn add(&mut self, to: &TextSource, (place, value): &SentPiece) {
        let key = (to.clone(), *place);
        if value.is_empty() || (self.values.len() >= MOST_PLACES && !self.values.contains_key(&key)) {
            return;
        }
        let values = self.values.entry(key).or_default();
        values.push_back(value.chars().take(MOST_LETTERS).collect());
        if values.len() > MOST_VALUES {
            values.pop_front();
        }
    }

    /// Returns foreign text that this value completes, with those sent before it in this or the opposite
    /// order.
    pub fn find_foreign(
        &self,
        to: &TextSource,
        (place, value): &SentPiece,
        sources: &FlowSources<'_>,
    ) -> Option<ForeignText> {
        let before = self.values.get(&(to.clone(), *place))?;
        let judge = Judge::new(to, sources)?;
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

/// Returns the parts of an address as pieces. Pieces of a text may stand in all segments, or in the last ones of
/// addresses that begin alike.
pub fn pieces_of_address(parts: &AddressParts) -> Vec<SentPiece> {
    let lists = [
        (PiecePlace::Label, &parts.labels),
        (PiecePlace::User, &parts.user),
        (PiecePlace::Path, &parts.path),
        (PiecePlace::Name, &parts.names),
        (PiecePlace::Value, &parts.values),
        (PiecePlace::Fragment, &parts.fragment),
    ];
    let all = lists.into_iter().flat_map(|(place, list)| list.iter().map(move |text| (place, text.clone())));
    let last = parts.path.last().map(|text| (PiecePlace::LastSegment, text.clone()));
    all.chain(last).collect()
}

/// Joins the keys pressed last, one character each; `None` if they are too few to say something.
fn join_keys(before: &VecDeque<String>, last: &str) -> Option<String> {
    let is_key = |value: &str| value.chars().count() == 1;
    let count = before.iter().rev().take_while(|value| is_key(value)).count();
    let keys: String = before.iter().skip(before.len() - count).map(String::as_str).chain([last]).collect();
    (is_key(last) && count + 1 >= FEWEST_KEYS).then_some(keys)
}
