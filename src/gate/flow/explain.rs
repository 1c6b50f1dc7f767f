//! Explanation of values: each specific part and each longer run of words of a value that is sent somewhere
//! must stand in the person's words, in trusted texts or in the destination's own texts. Others are foreign
//! if another source that the run has read has them.

use crate::gate::flow::read_texts::{ReadTexts, TextSource};
use crate::gate::flow::reading::decoders::{decode_numbers, decode_percent, decode_runs};
use crate::gate::flow::reading::pieces::{Gap, Piece, split_pieces};
use crate::gate::flow::reading::readability::{is_common_word, is_readable};
use crate::gate::flow::reading::specifics::{self, Specific, SpecificKind, TextRole};
use crate::gate::flow::reading::text_index::{HEAD, RUN, TextIndex, hash_run, is_content_word};
use crate::gate::flow::reading::views::{DEEPEST, View, ViewKind, find_views};
use crate::gate::wording::normalize;
use crate::text::truncate::truncate;
use std::sync::Arc;

/// Longest text that is shown, in characters.
const LONGEST_SHOWN: usize = 300;
/// Most bytes of a value that are judged.
const LONGEST_VALUE: usize = 64 * 1024;
/// Letters of a token that no source explains.
const UNKNOWN: usize = 12;
/// Most sources named for a text whose source is unknown.
const MOST_NAMED: usize = 5;

/// Sources that may explain a value, or that it may come from.
#[derive(Clone, Copy, Debug)]
pub struct FlowSources<'a> {
    /// Messages and answers of the person in this run tree.
    pub own_words: &'a TextIndex,
    /// Agent files, and what was computed from the person's words alone.
    pub trusted: &'a [Arc<TextIndex>],
    pub read: &'a ReadTexts,
}

/// Text of a value that comes from elsewhere.
#[derive(Clone, Debug, PartialEq)]
pub struct ForeignText {
    pub from: Vec<TextSource>,
    /// Part of the value, decoded, for a person.
    pub text: String,
}

/// Returns the first foreign text in the values of one action, which go to `to`.
pub fn find_foreign_text(values: &[&str], to: &TextSource, sources: &FlowSources<'_>) -> Option<ForeignText> {
    Judge::new(to, sources)?.find_in_values(values)
}

/// Returns all sources of foreign text in the values of one action, which go to `to`.
pub fn list_foreign_sources(values: &[&str], to: &TextSource, sources: &FlowSources<'_>) -> Vec<TextSource> {
    let Some(judge) = Judge::new(to, sources) else { return Vec::new() };
    let Some(first) = judge.find_in_values(values) else { return Vec::new() };
    let mut found = first.from;
    for source in sources.read.list_sources() {
        if !found.contains(&source) && judge.narrow_to_source(&source).find_in_values(values).is_some() {
            found.push(source);
        }
    }
    found
}

/// Texts against which the values for one destination are judged.
pub(super) struct Judge<'a> {
    explaining: Vec<&'a TextIndex>,
    destination: TextIndex,
    foreign: Vec<(&'a TextSource, &'a TextIndex)>,
    forgotten: Vec<&'a TextSource>,
    /// True if only the texts given are foreign; a token of unknown source is not.
    known_only: bool,
}

impl<'a> Judge<'a> {
    /// Returns `None` if the run has read no other source.
    pub(super) fn new(to: &TextSource, sources: &FlowSources<'a>) -> Option<Self> {
        let foreign = sources.read.list_others(to);
        let forgotten = sources.read.list_forgotten(to);
        if foreign.is_empty() && forgotten.is_empty() {
            return None;
        }
        let mut explaining = vec![sources.own_words];
        explaining.extend(sources.trusted.iter().map(Arc::as_ref));
        explaining.extend(sources.read.find_indexes(to));
        let destination = TextIndex::from_texts([to.to_string().as_str()]);
        Some(Self { explaining, destination, foreign, forgotten, known_only: false })
    }

    /// Narrows the foreign texts to those that one source shows.
    pub(super) fn narrow_to(mut self, source: &'a TextSource, shown: &'a TextIndex) -> Self {
        self.foreign = vec![(source, shown)];
        self.forgotten.clear();
        self.known_only = true;
        self
    }

    /// Narrows the foreign texts to those of one source.
    fn narrow_to_source(&self, source: &TextSource) -> Self {
        let foreign = self.foreign.iter().filter(|(other, _)| *other == source).copied().collect();
        let (explaining, destination) = (self.explaining.clone(), self.destination.clone());
        Self { explaining, destination, foreign, forgotten: Vec::new(), known_only: true }
    }

    /// Returns the first foreign text in the values, each by itself and all joined.
    pub(super) fn find_in_values(&self, values: &[&str]) -> Option<ForeignText> {
        let found = values.iter().find_map(|value| self.find_in_value(value));
        found.or_else(|| if values.len() > 1 { self.find_in_joined(&values.concat()) } else { None })
    }

    fn find_in_value(&self, value: &str) -> Option<ForeignText> {
        let value = without_secrets(cut_value(value));
        let views = find_views(&value);
        let found = views.iter().find_map(|view| self.find_in_view(view));
        // Percent signs hide words of other alphabets.
        let plain = || decode_percent(&value).unwrap_or_else(|| value.clone());
        found.or_else(|| if self.known_only { None } else { self.find_unknown(&plain(), DEEPEST) })
    }

    /// Returns foreign text that appears once pieces are joined, also below a simple encoding.
    pub(super) fn find_in_joined(&self, joined: &str) -> Option<ForeignText> {
        let joined = without_secrets(cut_value(joined));
        find_views(&joined).iter().find_map(|view| {
            let pieces = split_pieces(&view.text);
            let inner =
                || if view.kind == ViewKind::Written { None } else { self.find_specific(view, &pieces) };
            self.find_in_letters(&pieces).or_else(inner)
        })
    }

    /// Returns foreign text in the keys that were pressed one by one: a specific part, or the beginning of one.
    pub(super) fn find_in_keys(&self, keys: &str) -> Option<ForeignText> {
        let view = View::from_written(keys);
        let pieces = split_pieces(keys);
        self.find_specific(&view, &pieces).or_else(|| self.find_beginning(&pieces))
    }

    /// Returns the last letters if a specific part of another source begins so.
    fn find_beginning(&self, pieces: &[Piece]) -> Option<ForeignText> {
        let letters: Vec<char> = pieces.iter().flat_map(|piece| piece.key.chars()).collect();
        let last = &letters[letters.len().checked_sub(HEAD)?..];
        let text: String = last.iter().collect();
        if self.is_explained(&text) {
            return None;
        }
        self.make_foreign(self.list_sources(|index| index.has_head(last)), &text)
    }

    fn find_in_view(&self, view: &View) -> Option<ForeignText> {
        let pieces = split_pieces(&view.text);
        self.find_specific(view, &pieces)
            .or_else(|| self.find_run(&view.text, &pieces))
            .or_else(|| self.find_in_letters(&pieces))
    }

    fn is_explained(&self, key: &str) -> bool {
        self.explaining.iter().chain([&&self.destination]).any(|index| index.has_key(key))
    }

    /// Returns the sources for which the test holds, each once.
    fn list_sources(&self, has: impl Fn(&TextIndex) -> bool) -> Vec<TextSource> {
        let mut found: Vec<TextSource> = Vec::new();
        for (source, index) in &self.foreign {
            if !found.contains(source) && has(index) {
                found.push((*source).clone());
            }
        }
        found
    }

    fn make_foreign(&self, from: Vec<TextSource>, text: &str) -> Option<ForeignText> {
        (!from.is_empty()).then(|| ForeignText { from, text: truncate(text.trim(), LONGEST_SHOWN) })
    }

    /// Returns the longest specific part that another source has and none explains.
    fn find_specific(&self, view: &View, pieces: &[Piece]) -> Option<ForeignText> {
        let mut parts = specifics::find_specifics(&view.text, pieces, TextRole::Sent);
        // Both words of a name as one.
        parts.extend(pieces.iter().filter(|piece| piece.key.len() >= 8).map(|piece| Specific {
            key: piece.key.clone(),
            kind: SpecificKind::Name,
            start: piece.start,
            end: piece.end,
        }));
        parts.sort_by_key(|part| std::cmp::Reverse(part.key.len()));
        parts.iter().find_map(|part| {
            let by_chance = view.kind == ViewKind::Turned && part.key.chars().count() < HEAD - 1;
            if by_chance {
                return None;
            }
            let mut from = self.list_sources(|index| index.has_specific(&part.key, part.kind));
            if from.is_empty() && view.kind != ViewKind::Turned && is_telling(part) {
                from.extend(self.forgotten.iter().take(MOST_NAMED).map(|source| (*source).clone()));
            }
            if from.is_empty() || self.is_ordinary_part(&view.text, part) {
                return None;
            }
            self.make_foreign(from, &view.text[part.start..part.end])
        })
    }

    /// True if a source explains the part, or it is a name whose words are ordinary.
    fn is_ordinary_part(&self, text: &str, part: &Specific) -> bool {
        if self.is_explained(&part.key) {
            return true;
        }
        let words = || split_pieces(&text[part.start..part.end]);
        match part.kind {
            SpecificKind::Name => {
                let lower = |key: &str| {
                    let foreign = self.foreign.iter().any(|(_, index)| index.has_lower(key));
                    foreign || self.explaining.iter().any(|index| index.has_lower(key))
                };
                let words = words();
                words.iter().all(|word| self.is_explained(&word.key))
                    || words.iter().any(|word| lower(&word.key))
            }
            SpecificKind::Mail => words().iter().all(|word| self.is_explained(&word.key)),
            SpecificKind::Number | SpecificKind::Code => false,
        }
    }

    /// Returns the first run of words that another source has and none explains.
    fn find_run(&self, text: &str, pieces: &[Piece]) -> Option<ForeignText> {
        let is_foreign = |run: &[Piece]| {
            let hash = hash_run(run);
            self.foreign.iter().any(|(_, index)| index.has_run(hash))
                && !self.explaining.iter().any(|index| index.has_run(hash))
        };
        let mut at = 0;
        while at + RUN <= pieces.len() {
            let runs = pieces[at..].windows(RUN).take_while(|run| is_foreign(run)).count();
            if runs == 0 {
                at += 1;
                continue;
            }
            let words = &pieces[at..at + runs + RUN - 1];
            if self.tells_something(words) {
                let hash = hash_run(&words[..RUN]);
                let from = self.list_sources(|index| index.has_run(hash));
                return self.make_foreign(from, &text[words[0].start..words[words.len() - 1].end]);
            }
            at += runs;
        }
        None
    }

    /// True if a run of words says more than a common phrase: it has words that no source explains.
    fn tells_something(&self, words: &[Piece]) -> bool {
        let signs = words.iter().filter(|word| word.key.chars().all(normalize::is_cjk)).count();
        let content = |word: &&Piece| is_content_word(&word.key) && !self.is_explained(&word.key);
        let content = words.iter().filter(content).count();
        let wanted = match words.len() {
            ..=RUN => RUN,
            length if length == RUN + 1 => RUN - 1,
            _ => RUN - 2,
        };
        content >= wanted || (signs >= 8 && words.len() >= 8)
    }

    /// Returns a specific part of another source inside the letters, whatever the separators.
    fn find_in_letters(&self, pieces: &[Piece]) -> Option<ForeignText> {
        let letters: Vec<char> = pieces.iter().flat_map(|piece| piece.key.chars()).collect();
        (0..letters.len()).find_map(|at| {
            let rest = &letters[at..letters.len().min(at + 64)];
            let (source, length) = self.foreign.iter().find_map(|(source, index)| {
                let unexplained = |length: &usize| {
                    let key: String = rest[..*length].iter().collect();
                    !self.is_explained(&key)
                };
                index.find_lengths(rest).find(unexplained).map(|length| (*source, length))
            })?;
            let text: String = rest[..length].iter().collect();
            self.make_foreign(vec![source.clone()], &text)
        })
    }

    /// Returns a token that no source explains, and that is no word of a language: encrypted data, or data in
    /// an encoding that is not looked through.
    fn find_unknown(&self, text: &str, depth: usize) -> Option<ForeignText> {
        let pieces = split_pieces(text);
        for group in pieces.chunk_by(|_, next| matches!(next.gap, Gap::Joined(_))) {
            let written = &text[group[0].start..group[group.len() - 1].end];
            if self.count_unreadable(text, group) >= UNKNOWN && !self.is_readable_within(written, depth) {
                return self.make_foreign(self.list_all_sources(), written);
            }
        }
        // Data that is split into words.
        let all: usize = pieces.iter().map(|piece| piece.key.chars().count()).sum();
        let dark = self.count_unreadable(text, &pieces);
        let is_data = dark >= UNKNOWN + 4 && dark * 5 > all * 3 && !self.is_readable_within(text, depth);
        if is_data { self.make_foreign(self.list_all_sources(), text) } else { None }
    }

    /// Counts the letters and digits of words that are no words of a language and that no source explains.
    fn count_unreadable(&self, text: &str, pieces: &[Piece]) -> usize {
        let unreadable = pieces.iter().filter(|piece| {
            let written = &text[piece.start..piece.end];
            let readable = if piece.is_digits() {
                piece.key.len() < 5
            } else if piece.is_mixed() {
                specifics::is_ordinary_code(&piece.key)
            } else {
                piece.key.len() < 5 || is_common_word(&piece.key) || is_readable(written)
            };
            !readable && !self.is_explained(&piece.key)
        });
        unreadable.map(|piece| piece.key.chars().count()).sum()
    }

    /// True if the text is an encoding of readable text, which is judged by itself.
    fn is_readable_within(&self, text: &str, depth: usize) -> bool {
        let mut decoded = decode_runs(text);
        decoded.extend(decode_numbers(text));
        depth > 0 && decoded.iter().any(|inner| self.find_unknown(inner, depth - 1).is_none())
    }

    fn list_all_sources(&self) -> Vec<TextSource> {
        let mut from = self.list_sources(|_| true);
        from.extend(self.forgotten.iter().map(|source| (*source).clone()));
        from.truncate(MOST_NAMED);
        from
    }
}

/// True for a part that is specific enough to be asked about although its source is unknown.
fn is_telling(part: &Specific) -> bool {
    match part.kind {
        SpecificKind::Mail => true,
        SpecificKind::Code => part.key.len() >= HEAD,
        SpecificKind::Number => part.key.len() >= HEAD - 1,
        SpecificKind::Name => false,
    }
}

fn cut_value(value: &str) -> &str {
    let mut end = value.len().min(LONGEST_VALUE);
    while !value.is_char_boundary(end) {
        end -= 1;
    }
    &value[..end]
}

/// Returns the value without the placeholders of secrets, which are judged elsewhere.
fn without_secrets(value: &str) -> String {
    let mut out = String::with_capacity(value.len());
    let mut rest = value;
    while let Some(start) = rest.find("<secret:") {
        out.push_str(&rest[..start]);
        rest = rest[start..].split_once('>').map_or("", |(_, after)| after);
    }
    out + rest
}
