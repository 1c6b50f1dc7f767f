//! Index of texts: hashes of their words, specific parts and runs of words. Small, and quick to look up.

use crate::gate::flow::reading::pieces::{Gap, Piece, split_pieces};
use crate::gate::flow::reading::readability::is_common_word;
use crate::gate::flow::reading::specifics::{
    Specific, SpecificKind, TextRole, find_specifics, is_ordinary_code,
};
use std::collections::{HashMap, HashSet};

/// Words of a run that is recognised.
pub const RUN: usize = 4;
/// Shortest specific part that is recognised inside of other letters, and the part of it that is looked up
/// first.
pub const HEAD: usize = 6;
/// Length of a part of a longer code or number that is recognised by itself.
pub const PART: usize = 8;
/// Digits of a phone number without its country.
const PHONE: usize = 9;
/// Most bytes of letters kept for each index.
const MOST_LETTERS: usize = 256 * 1024;
/// Most bytes that are indexed of one text.
const MOST_TEXT: usize = 512 * 1024;

/// Bit of a word that stands in the texts in lower case.
const LOWER: u8 = 1;
/// Bits of the kinds of specific parts.
fn kind_bit(kind: SpecificKind) -> u8 {
    match kind {
        SpecificKind::Number => 2,
        SpecificKind::Code => 4,
        SpecificKind::Mail => 8,
        SpecificKind::Name => 16,
    }
}

/// Index of some texts.
#[derive(Clone, Debug, Default)]
pub struct TextIndex {
    keys: HashMap<u64, u8>,
    runs: HashSet<u64>,
    /// Lengths of the specific parts that begin so, as bits.
    heads: HashMap<u64, u64>,
    /// Parts of codes and numbers.
    windows: HashSet<u64>,
    /// Letters and digits of all texts, without separators.
    letters: String,
    /// Digits of all texts: a phone number has other signs inside where it is read and where it is typed.
    digits: String,
}

impl TextIndex {
    /// Makes the index of these texts.
    pub fn from_texts<'a>(texts: impl IntoIterator<Item = &'a str>) -> Self {
        let mut index = Self::default();
        for text in texts {
            index.add_text(text);
        }
        index
    }

    /// Adds a text.
    pub fn add_text(&mut self, text: &str) {
        let mut end = text.len().min(MOST_TEXT);
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        let text = &text[..end];
        let pieces = split_pieces(text);
        self.letters.push(' ');
        for (at, piece) in pieces.iter().enumerate() {
            // Names stand in lower case in addresses and file names.
            let joined = |piece: &Piece| matches!(piece.gap, Gap::Joined(_));
            let alone = !joined(piece) && !pieces.get(at + 1).is_some_and(joined);
            let bit = if piece.lower && alone { LOWER } else { 0 };
            *self.keys.entry(hash_text(&piece.key)).or_default() |= bit;
            if self.letters.len() < MOST_LETTERS {
                self.letters.push_str(&piece.key);
                self.digits.extend(piece.key.chars().filter(char::is_ascii_digit));
            }
        }
        for specific in find_specifics(text, &pieces, TextRole::Read) {
            self.add_specific(&specific);
        }
        self.runs.extend(pieces.windows(RUN).map(hash_run));
    }

    fn add_specific(&mut self, specific: &Specific) {
        let hash = hash_text(&specific.key);
        *self.keys.entry(hash).or_default() |= kind_bit(specific.kind);
        let letters: Vec<char> = specific.key.chars().collect();
        if letters.len() < HEAD || specific.kind == SpecificKind::Name {
            return;
        }
        *self.heads.entry(hash_letters(&letters[..HEAD])).or_default() |= length_bit(letters.len());
        match specific.kind {
            SpecificKind::Code => {
                self.windows.extend(letters.windows(HEAD).filter(|part| is_jagged(part)).map(hash_letters));
                self.windows.extend(letters.windows(PART).filter(|part| is_code(part)).map(hash_letters));
            }
            SpecificKind::Number => self.windows.extend(letters.windows(PART).map(hash_letters)),
            SpecificKind::Mail | SpecificKind::Name => {}
        }
    }

    /// True if the word or specific part stands in the texts, or inside their letters if it is long.
    pub fn has_key(&self, key: &str) -> bool {
        self.keys.contains_key(&hash_text(key))
            || (key.chars().count() >= HEAD && self.letters.contains(key))
            || (key.len() >= PHONE
                && key.bytes().all(|byte| byte.is_ascii_digit())
                && self.digits.contains(key))
    }

    /// True if the specific part of this kind stands in the texts. Codes and numbers stand for each other,
    /// because a unit or prefix may be left out.
    pub fn has_specific(&self, key: &str, kind: SpecificKind) -> bool {
        let wanted = match kind {
            SpecificKind::Number | SpecificKind::Code => {
                kind_bit(SpecificKind::Number) | kind_bit(SpecificKind::Code)
            }
            SpecificKind::Mail | SpecificKind::Name => kind_bit(kind),
        };
        self.keys.get(&hash_text(key)).is_some_and(|bits| bits & wanted != 0)
    }

    /// True if the word stands in the texts in lower case, so that it is no name.
    pub fn has_lower(&self, key: &str) -> bool {
        self.keys.get(&hash_text(key)).is_some_and(|bits| bits & LOWER != 0)
    }

    /// True if a specific part begins with these letters, of which there are [`HEAD`].
    pub fn has_head(&self, head: &[char]) -> bool {
        self.heads.contains_key(&hash_letters(head))
    }

    /// True if the run of words stands in the texts.
    pub fn has_run(&self, run: u64) -> bool {
        self.runs.contains(&run)
    }

    /// Returns the lengths of the specific parts that begin with these letters and stand whole in `rest`, and
    /// the length of a part of one.
    pub fn find_lengths<'a>(&'a self, rest: &'a [char]) -> impl Iterator<Item = usize> + 'a {
        let bits =
            rest.get(..HEAD).and_then(|head| self.heads.get(&hash_letters(head))).copied().unwrap_or(0);
        let whole = (HEAD..64).filter(move |length| bits & length_bit(*length) != 0).filter(|length| {
            let key = rest.get(..*length).map(|part| part.iter().collect::<String>());
            key.is_some_and(|key| self.keys.get(&hash_text(&key)).is_some_and(|bits| *bits > LOWER))
        });
        let part = [HEAD, PART].into_iter().filter(|length| {
            rest.get(..*length).is_some_and(|part| self.windows.contains(&hash_letters(part)))
        });
        whole.chain(part)
    }

    /// Returns about how many bytes the index takes.
    pub fn count_bytes(&self) -> usize {
        (self.keys.capacity() + self.heads.capacity()) * 20
            + (self.runs.capacity() + self.windows.capacity()) * 10
            + self.letters.capacity()
            + self.digits.capacity()
    }
}

/// True for a short part of a code that alternates between letters and digits, as no word does.
fn is_jagged(part: &[char]) -> bool {
    const FEWEST_CHANGES: usize = 3;
    part.windows(2).filter(|pair| pair[0].is_numeric() != pair[1].is_numeric()).count() >= FEWEST_CHANGES
}

/// True for a part of a code that has letters and digits and is no word with a number.
fn is_code(part: &[char]) -> bool {
    let digits = part.iter().filter(|letter| letter.is_ascii_digit()).count();
    (1..part.len()).contains(&digits) && !is_ordinary_code(&part.iter().collect::<String>())
}

fn length_bit(length: usize) -> u64 {
    1 << length.min(63)
}

/// Returns the hash of a run of words.
pub fn hash_run(run: &[Piece]) -> u64 {
    run.iter().fold(OFFSET, |hash, piece| mix(mix_bytes(hash, piece.key.as_bytes()), 0x20))
}

/// True for a word that says something by itself.
pub fn is_content_word(key: &str) -> bool {
    key.chars().count() >= 4 && !is_common_word(key)
}

/// Returns the hash of a text.
pub fn hash_text(text: &str) -> u64 {
    mix_bytes(OFFSET, text.as_bytes())
}

fn hash_letters(letters: &[char]) -> u64 {
    letters.iter().fold(OFFSET, |hash, letter| mix(hash, u64::from(u32::from(*letter))))
}

/// Start and factor of the FNV-1a hash.
const OFFSET: u64 = 0xcbf2_9ce4_8422_2325;
const FACTOR: u64 = 0x0100_0000_01b3;

fn mix(hash: u64, value: u64) -> u64 {
    (hash ^ value).wrapping_mul(FACTOR)
}

fn mix_bytes(hash: u64, bytes: &[u8]) -> u64 {
    bytes.iter().fold(hash, |hash, byte| mix(hash, u64::from(*byte)))
}
