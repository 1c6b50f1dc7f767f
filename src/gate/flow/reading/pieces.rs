//! Words of a text in their form for comparisons: lower case, no accents, no invisible characters, digits of
//! all scripts as ASCII. Each keeps its place in the text.

use crate::gate::wording::normalize;

/// Separator between a word and the one before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gap {
    /// A single sign, as in `12-34` and `a.b`.
    Joined(char),
    Space,
    /// Signs and space, as in `a, b`; the last sign.
    Signs(char),
    /// The end of a sentence or line, or the start of the text.
    Break,
}

/// A word of a text.
#[derive(Clone, Debug)]
pub struct Piece {
    pub key: String,
    /// Bytes of the text.
    pub start: usize,
    pub end: usize,
    pub gap: Gap,
    /// True for a capital followed by lower-case letters.
    pub capitalised: bool,
    /// True if the word has letters, none of them capital.
    pub lower: bool,
}

impl Piece {
    /// True if the word is a number.
    pub fn is_digits(&self) -> bool {
        self.key.bytes().all(|byte| byte.is_ascii_digit())
    }

    /// True if the word has both letters and digits.
    pub fn is_mixed(&self) -> bool {
        self.key.bytes().any(|byte| byte.is_ascii_digit()) && !self.is_digits()
    }
}

/// Returns the words of a text, in order.
pub fn split_pieces(text: &str) -> Vec<Piece> {
    let mut found = Vec::new();
    let mut open: Option<Piece> = None;
    let mut gap = GapReader { signs: 0, joiner: ' ', space: false, breaks: true };
    for (at, letter) in text.char_indices() {
        if normalize::is_ignored(letter) || is_inner_apostrophe(letter, open.as_ref(), &text[at..]) {
            continue;
        }
        let digit = plain_digit(letter);
        let is_word = digit.is_some() || letter.is_alphanumeric();
        let cjk = normalize::is_cjk(letter);
        if !is_word || cjk {
            close_piece(&mut found, &mut open);
        }
        if !is_word {
            gap.read(letter);
            continue;
        }
        let piece = open.get_or_insert_with(|| Piece {
            key: String::new(),
            start: at,
            end: at,
            gap: gap.take(),
            capitalised: letter.is_uppercase(),
            lower: true,
        });
        push_letter(piece, letter, digit, at);
        if cjk {
            close_piece(&mut found, &mut open);
        }
    }
    close_piece(&mut found, &mut open);
    found
}

fn push_letter(piece: &mut Piece, letter: char, digit: Option<char>, at: usize) {
    if letter.is_uppercase() {
        piece.lower = false;
        piece.capitalised &= piece.key.is_empty();
    }
    match digit {
        Some(digit) => piece.key.push(digit),
        None => normalize::push_normalized(letter, &mut piece.key),
    }
    piece.end = at + letter.len_utf8();
}

fn close_piece(found: &mut Vec<Piece>, open: &mut Option<Piece>) {
    let Some(mut piece) = open.take().filter(|piece| !piece.key.is_empty()) else { return };
    // A code with a letter of another alphabet reads the same to a person.
    let latin = piece.key.bytes().any(|byte| byte.is_ascii_alphanumeric());
    if latin && !piece.key.is_ascii() {
        piece.key = normalize::without_look_alikes(&piece.key).unwrap_or(piece.key);
    }
    piece.lower &= !piece.is_digits();
    piece.capitalised &= piece.key.len() > 1;
    found.push(piece);
}

/// Recognizes the apostrophe inside a word, as in `п'ять` and `don't`.
fn is_inner_apostrophe(letter: char, open: Option<&Piece>, rest: &str) -> bool {
    let letters = |key: &str| key.chars().next_back().is_some_and(char::is_alphabetic);
    matches!(letter, '\'' | '’' | 'ʼ')
        && open.is_some_and(|piece| letters(&piece.key))
        && rest.chars().nth(1).is_some_and(char::is_alphabetic)
}

/// Returns the ASCII digit for a decimal digit of any script.
fn plain_digit(letter: char) -> Option<char> {
    const ZEROS: [u32; 11] = [0x30, 0x660, 0x6f0, 0x966, 0x9e6, 0xa66, 0xae6, 0xe50, 0xff10, 0x2070, 0x2080];
    let code = u32::from(letter);
    let value = match code {
        0xb9 => 1,
        0xb2 | 0xb3 => code - 0xb0,
        0x2460..=0x2468 => code - 0x245f,
        0x24ea => 0,
        0x1d7ce..=0x1d7ff => (code - 0x1d7ce) % 10,
        _ => ZEROS.iter().find_map(|zero| code.checked_sub(*zero).filter(|value| *value < 10))?,
    };
    char::from_digit(value, 10)
}

/// State of the signs between two words.
struct GapReader {
    signs: usize,
    joiner: char,
    space: bool,
    breaks: bool,
}

impl GapReader {
    fn read(&mut self, letter: char) {
        match letter {
            '\n' | '\r' => self.breaks = true,
            letter if letter.is_whitespace() => {
                self.space = true;
                self.breaks |=
                    self.signs > 0 && matches!(self.joiner, '.' | '!' | '?' | ':' | ';' | '|' | '•');
            }
            letter => {
                self.signs += 1;
                self.joiner = letter;
            }
        }
    }

    fn take(&mut self) -> Gap {
        let gap = match (self.breaks, self.signs, self.space) {
            (true, ..) => Gap::Break,
            (false, 1, false) => Gap::Joined(self.joiner),
            (false, 0, _) => Gap::Space,
            (false, ..) => Gap::Signs(self.joiner),
        };
        *self = Self { signs: 0, joiner: ' ', space: false, breaks: false };
        gap
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_compared_in_one_form() {
        for (text, keys) in [
            ("Blue LAMPS, 2 of them", "blue lamps 2 of them"),
            ("1,204.77", "1 204 77"),
            ("don't п'ять об’єкт", "dont пять обєкт"),
            ("C\u{200b}AN\u{ad}ARY", "canary"),
            ("１２０４ ٣٤ ④²", "1204 34 42"),
            ("Café Łódź", "cafe lodz"),
            ("CАNАRY7", "canary7"),
            ("注文1", "注 文 1"),
            ("", ""),
            ("—…!", ""),
        ] {
            let found: Vec<String> = split_pieces(text).into_iter().map(|piece| piece.key).collect();
            assert_eq!(found.join(" "), keys, "{text}");
        }
    }

    #[test]
    fn gaps_tell_joined_words_from_separate_ones() {
        let gaps: Vec<Gap> = split_pieces("Ab-c d, e. F\ng").iter().map(|piece| piece.gap).collect();
        assert_eq!(gaps, [Gap::Break, Gap::Joined('-'), Gap::Space, Gap::Signs(','), Gap::Break, Gap::Break]);
    }
}
