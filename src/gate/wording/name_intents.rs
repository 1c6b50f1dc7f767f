//! Meanings of names: the intents that `words.txt` lists in many languages, found in the name of a button or
//! link. The table is built once; a search takes microseconds.

use crate::gate::meaning::intent::Intent;
use crate::gate::wording::lexicon::{Hit, PhraseTable, Strength};
use crate::gate::wording::normalize;
use crate::gate::wording::normalize::Token;
use std::sync::LazyLock;

static TABLE: LazyLock<PhraseTable> = LazyLock::new(|| PhraseTable::read(include_str!("words.txt")));

/// Meanings found in a name.
#[derive(Debug)]
pub struct NameIntents {
    hits: Vec<Hit>,
    tokens: usize,
    letters: bool,
}

/// Finds the meanings in a name.
pub fn read_name(name: &str) -> NameIntents {
    let tokens = normalize::tokenize_name(name);
    let mut hits = TABLE.find(&tokens);
    let whole =
        |hit: &Hit| tokens[..hit.position].iter().all(is_filler) && hit.position + hit.length == tokens.len();
    hits.retain(|hit| hit.strength != Strength::Exact || whole(hit));
    let letters = tokens.iter().any(|token| token.text.chars().filter(|c| c.is_alphabetic()).count() > 1);
    NameIntents { hits, tokens: tokens.len(), letters }
}

/// True if a text speaks of words to other people.
pub(crate) fn is_chat(text: &str) -> bool {
    const STEMS: [&str; 16] = [
        "message",
        "chat",
        "reply",
        "comment",
        "повідомлен",
        "сообщен",
        "коментар",
        "комментар",
        "чат",
        "nachricht",
        "mensaje",
        "messaggi",
        "wiadomosc",
        "mensagem",
        "bericht",
        "mesaj",
    ];
    normalize::tokenize_name(text).iter().any(|token| STEMS.iter().any(|stem| token.starts_with(stem)))
}

impl NameIntents {
    /// Returns the intent of a button with this name. A name that begins with "show", "view" and the like
    /// only shows something ("View order").
    pub fn button_intent(&self) -> Option<Intent> {
        let mut showing = false;
        let mut found: Option<Intent> = None;
        for hit in &self.hits {
            if hit.leads {
                showing = matches!(hit.intent, Intent::View | Intent::Plain);
            }
            let passive = showing && !hit.leads;
            if let Some(intent) = contribution(hit, self.tokens).filter(|_| !passive) {
                found = Some(found.map_or(intent, |before| before.min(intent)));
            }
        }
        found
    }

    /// Returns the intent with which a title begins, of all that it names; else that of a button.
    pub fn first_intent(&self) -> Option<Intent> {
        let first = self.hits.iter().find(|hit| hit.leads && hit.intent != Intent::Filler);
        first.map(|hit| hit.intent).or_else(|| self.button_intent())
    }

    /// Returns the intent of a link besides its navigation. Only a short imperative has one ("Delete
    /// account"); a headline does not ("Delete your old photos before …").
    pub fn link_intent(&self) -> Option<Intent> {
        const LONGEST: usize = 6;
        let hit = self.hits.iter().find(|hit| hit.intent != Intent::Filler)?;
        let order = hit.strength == Strength::Strong && hit.leads && self.tokens <= LONGEST;
        order.then_some(hit.intent)
    }

    /// True if a phrase of this intent is in the name.
    pub fn mentions(&self, intent: Intent) -> bool {
        self.hits.iter().any(|hit| hit.intent == intent)
    }

    /// True if the name contains a word: "×", "+", "12" and "›" do not.
    pub fn has_words(&self) -> bool {
        self.letters
    }

    /// Returns the number of words.
    pub fn count(&self) -> usize {
        self.tokens
    }
}

/// Returns the meaning that a hit contributes to a button's name.
fn contribution(hit: &Hit, tokens: usize) -> Option<Intent> {
    let ends = hit.position + hit.length == tokens;
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
