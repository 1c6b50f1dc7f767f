//! What a name means: the intents that `words.txt` lists in the languages of the web, found in the
//! name of a button or link. The table is built once; finding takes microseconds.

use super::fold::{self, Token};
pub use super::intent::Intent;
use super::lexicon::{Hit, Strength, Table};
use std::sync::LazyLock;

static TABLE: LazyLock<Table> = LazyLock::new(|| Table::read(include_str!("words.txt")));

/// What a name says, all told.
#[derive(Debug)]
pub struct Said {
    hits: Vec<Hit>,
    tokens: usize,
    letters: bool,
}

/// Reads a name.
pub fn read(name: &str) -> Said {
    let tokens = fold::tokens(name);
    let mut hits = TABLE.find(&tokens);
    let whole =
        |hit: &Hit| tokens[..hit.place].iter().all(is_filler) && hit.place + hit.length == tokens.len();
    hits.retain(|hit| hit.strength != Strength::Exact || whole(hit));
    let letters = tokens.iter().any(|token| token.text.chars().filter(|c| c.is_alphabetic()).count() > 1);
    Said { hits, tokens: tokens.len(), letters }
}

impl Said {
    /// What a button of this name does. A name that begins with "show", "view" and the like only
    /// shows, whatever it shows ("View order").
    pub fn button(&self) -> Option<Intent> {
        let mut showing = false;
        let mut found: Option<Intent> = None;
        for hit in &self.hits {
            if hit.leads {
                showing = matches!(hit.intent, Intent::View | Intent::Plain);
            }
            let passive = showing && !hit.leads;
            if let Some(intent) = counted(hit, self.tokens).filter(|_| !passive) {
                found = Some(found.map_or(intent, |before| before.min(intent)));
            }
        }
        found
    }

    /// What a link of this name does besides leading somewhere: only a short order does anything
    /// ("Delete account"), a headline ("Delete your old photos before …") does not.
    pub fn link(&self) -> Option<Intent> {
        const LONGEST: usize = 6;
        let hit = self.hits.iter().find(|hit| hit.intent != Intent::Filler)?;
        let order = hit.strength == Strength::Strong && hit.leads && self.tokens <= LONGEST;
        order.then_some(hit.intent)
    }

    pub fn speaks_of(&self, intent: Intent) -> bool {
        self.hits.iter().any(|hit| hit.intent == intent)
    }

    /// Whether there is a word in it at all: "×", "+", "12" and "›" have none.
    pub fn has_words(&self) -> bool {
        self.letters
    }

    /// How many words it has.
    pub fn count(&self) -> usize {
        self.tokens
    }
}

/// What a hit adds to the sense of a button's name.
fn counted(hit: &Hit, tokens: usize) -> Option<Intent> {
    let ends = hit.place + hit.length == tokens;
    match hit.intent {
        Intent::Cookie | Intent::Program | Intent::Plain | Intent::Filler => None,
        Intent::View => (hit.leads || ends).then_some(hit.intent),
        Intent::Commit | Intent::Step | Intent::Filter if hit.strength == Strength::Strong => {
            (hit.leads || ends).then_some(hit.intent)
        }
        _ => (hit.strength != Strength::Weak || hit.leads).then_some(hit.intent),
    }
}

fn is_filler(token: &Token) -> bool {
    TABLE.longest(std::slice::from_ref(token), Some(Intent::Filler)).is_some()
}
