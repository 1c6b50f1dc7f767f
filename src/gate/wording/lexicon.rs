//! The phrase table of `words.txt`, and the search for its phrases in the words of a name. The longest phrase
//! wins at each position. Scripts without spaces are searched as text.

use crate::gate::meaning::intent::Intent;
use crate::gate::wording::normalize;
use crate::gate::wording::normalize::Token;
use std::collections::HashMap;

/// Condition on the surroundings of a phrase.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Strength {
    /// Counts anywhere in a name.
    Strong,
    /// `~`: a noun too; counts only at the beginning of a name.
    Weak,
    /// `=`: counts only as the whole name.
    Exact,
}

#[derive(Debug)]
pub(crate) struct Phrase {
    intent: Intent,
    strength: Strength,
    words: Vec<PhraseWord>,
}

#[derive(Debug)]
struct PhraseWord {
    text: String,
    /// True if any ending may follow.
    stem: bool,
}

/// A phrase found in a name.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Hit {
    pub intent: Intent,
    pub strength: Strength,
    /// Index of the first token.
    pub position: usize,
    /// Number of tokens.
    pub length: usize,
    /// True if only words like "yes" and "now" precede it in its part of the name.
    pub leads: bool,
}

#[derive(Debug, Default)]
pub(crate) struct PhraseTable {
    /// Phrases by the first two letters of the first word, longest first.
    spaced: HashMap<[char; 2], Vec<Phrase>>,
    /// Phrases of scripts without spaces, longest first.
    unspaced: Vec<(String, Intent, Strength)>,
}

impl PhraseTable {
    /// Reads a table: `[intent]` opens a section, a line is `language: phrase; phrase`, `#` opens a comment.
    pub fn read(text: &str) -> Self {
        let mut table = Self::default();
        let mut intent = None;
        for line in text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')) {
            if let Some(name) = line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
                intent = Intent::from_name(name);
            } else if let (Some(intent), Some((_, phrases))) = (intent, line.split_once(": ")) {
                phrases.split(';').for_each(|phrase| table.add(intent, phrase.trim()));
            }
        }
        for list in table.spaced.values_mut() {
            list.sort_by_key(|phrase| {
                let letters: usize = phrase.words.iter().map(|word| word.text.len()).sum();
                (std::cmp::Reverse((phrase.words.len(), letters)), phrase.intent)
            });
        }
        table.unspaced.sort_by_key(|(text, intent, _)| (std::cmp::Reverse(text.len()), *intent));
        table
    }

    fn add(&mut self, intent: Intent, phrase: &str) {
        let (strength, phrase) = match phrase.chars().next() {
            Some('~') => (Strength::Weak, &phrase[1..]),
            Some('=') => (Strength::Exact, &phrase[1..]),
            Some(_) | None => (Strength::Strong, phrase),
        };
        if normalize::is_cjk_text(phrase) {
            let text: String = normalize::normalize_name(phrase).split(' ').collect();
            self.unspaced.push((text, intent, strength));
            return;
        }
        let mut words = Vec::new();
        for piece in phrase.split_whitespace() {
            let stem = piece.ends_with('*');
            let plain = normalize::normalize_name(piece);
            let parts = plain.split(' ').filter(|part| !part.is_empty());
            words.extend(parts.map(|part| PhraseWord { text: part.to_owned(), stem }));
        }
        if let Some(first) = words.first() {
            self.spaced.entry(key(&first.text)).or_default().push(Phrase { intent, strength, words });
        }
    }

    /// Finds phrases in a name, from left to right and the longest first; they do not overlap.
    pub fn find(&self, tokens: &[Token]) -> Vec<Hit> {
        let mut hits = Vec::new();
        let (mut position, mut leads) = (0, true);
        while let Some(token) = tokens.get(position) {
            leads |= token.first;
            if normalize::is_cjk_text(&token.text) {
                let length =
                    tokens[position..].iter().take_while(|next| normalize::is_cjk_text(&next.text)).count();
                self.find_unspaced(&tokens[position..position + length], position, &mut hits);
                (position, leads) = (position + length, false);
                continue;
            }
            let Some((phrase, length)) = self.longest(&tokens[position..], None) else {
                leads &= token.text.bytes().all(|byte| byte.is_ascii_digit());
                position += 1;
                continue;
            };
            hits.push(Hit { intent: phrase.intent, strength: phrase.strength, position, length, leads });
            leads = (leads && phrase.intent == Intent::Filler) || is_conjunction(&tokens[position]);
            position += length;
        }
        hits
    }

    /// Returns the longest phrase that the tokens begin with.
    pub fn longest(&self, tokens: &[Token], only: Option<Intent>) -> Option<(&Phrase, usize)> {
        let token = tokens.first()?;
        let keys = [Some(key(&token.text)), token.alike.as_deref().map(key)];
        keys.into_iter()
            .flatten()
            .filter_map(|key| self.spaced.get(&key))
            .flatten()
            .filter(|phrase| only.is_none_or(|intent| phrase.intent == intent))
            .find(|phrase| matches_phrase(tokens, phrase))
            .map(|phrase| (phrase, phrase.words.len()))
    }

    fn find_unspaced(&self, tokens: &[Token], position: usize, hits: &mut Vec<Hit>) {
        let mut text: String = tokens.iter().map(|token| token.text.as_str()).collect();
        for (phrase, intent, strength) in &self.unspaced {
            let Some(at) = text.find(phrase.as_str()) else { continue };
            let whole = text.len() == phrase.len();
            if *strength == Strength::Exact && !whole {
                continue;
            }
            text.replace_range(at..at + phrase.len(), "\u{0}");
            hits.push(Hit {
                intent: *intent,
                strength: *strength,
                position,
                length: tokens.len(),
                leads: true,
            });
        }
    }
}

/// True for conjunctions, after which another imperative may follow: "Close and delete".
fn is_conjunction(token: &Token) -> bool {
    const WORDS: [&str; 14] =
        ["and", "та", "і", "и", "und", "et", "y", "e", "i", "oraz", "en", "ve", "a", "och"];
    WORDS.iter().any(|word| token.text == *word)
}

fn matches_phrase(tokens: &[Token], phrase: &Phrase) -> bool {
    phrase.words.len() <= tokens.len()
        && phrase
            .words
            .iter()
            .zip(tokens)
            .all(|(word, token)| if word.stem { token.starts_with(&word.text) } else { token.is(&word.text) })
}

fn key(word: &str) -> [char; 2] {
    let mut letters = word.chars();
    [letters.next().unwrap_or(' '), letters.next().unwrap_or(' ')]
}
