//! Specific parts of a text: numbers, codes, addresses of mail, names. They identify something, so their way
//! from one site to another is a flow; ordinary words are not.

use crate::gate::flow::reading::pieces::{Gap, Piece};
use crate::gate::flow::reading::readability::{is_common_word, is_readable};

/// Most words of one number or code.
const MOST_PIECES: usize = 6;
/// Most digits of one number; the longest are those of cards and accounts.
const MOST_DIGITS: usize = 24;

/// Kind of a specific part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SpecificKind {
    Number,
    Code,
    Mail,
    /// Two capitalised words of a text that was read; any two words of a value.
    Name,
}

/// A specific part of a text.
#[derive(Clone, Debug)]
pub struct Specific {
    /// Letters and digits in their form for comparisons, without separators.
    pub key: String,
    pub kind: SpecificKind,
    /// Bytes of the text.
    pub start: usize,
    pub end: usize,
}

/// Role of a text whose specific parts are sought.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextRole {
    Read,
    Sent,
}

/// Returns the specific parts of a text.
pub fn find_specifics(text: &str, pieces: &[Piece], role: TextRole) -> Vec<Specific> {
    let mut found = Vec::new();
    for at in 0..pieces.len() {
        push_numbers(pieces, at, &mut found);
        push_codes(text, pieces, at, &mut found);
        push_mail(pieces, at, &mut found);
        push_name(pieces, at, role, &mut found);
    }
    found
}

fn join_pieces(pieces: &[Piece], kind: SpecificKind) -> Option<Specific> {
    let key = pieces.iter().map(|piece| piece.key.as_str()).collect();
    Some(Specific { key, kind, start: pieces.first()?.start, end: pieces.last()?.end })
}

/// Pushes the numbers that begin at a word: itself, and those written with separators.
fn push_numbers(pieces: &[Piece], at: usize, found: &mut Vec<Specific>) {
    let joins = |piece: &Piece| match piece.gap {
        Gap::Joined(sign) => matches!(sign, '.' | ',' | '\'' | '’' | '-' | '/' | ':' | '_' | ')' | '('),
        Gap::Space | Gap::Signs('(' | ')') => true,
        Gap::Signs(_) | Gap::Break => false,
    };
    let rest = &pieces[at..];
    let more =
        rest.iter().skip(1).take(MOST_PIECES - 1).take_while(|piece| piece.is_digits() && joins(piece));
    let most = if rest[0].is_digits() { 1 + more.count() } else { 0 };
    for count in 1..=most {
        let group = &rest[..count];
        let digits: usize = group.iter().map(|piece| piece.key.len()).sum();
        if (3..=MOST_DIGITS).contains(&digits) && is_one_number(group, digits) && !is_ordinary_number(group) {
            found.extend(join_pieces(group, SpecificKind::Number));
        }
    }
}

/// True if the groups of digits are written as one number.
fn is_one_number(group: &[Piece], digits: usize) -> bool {
    let spaced = group.iter().skip(1).any(|piece| !matches!(piece.gap, Gap::Joined(_)));
    let thousands = |piece: &Piece| piece.key.len() == 3;
    match group {
        [_] => true,
        // Amounts in two groups; times, scores and short versions are not specific.
        [whole, part] if !spaced => {
            let decimal = matches!(part.gap, Gap::Joined('.' | ','));
            digits > 4
                || (digits == 4 && decimal && (whole.key.len(), part.key.len()) != (1, 3))
                || (whole.key.len() == 1 && part.key.len() == 3)
        }
        _ if !spaced => digits >= 5,
        // Groups of three, with decimals at the end, or the number of a phone, a card or an account.
        [first, middle @ .., last] => {
            let cents = matches!(last.gap, Gap::Joined('.' | ','));
            let grouped = first.key.len() <= 3 && middle.iter().all(thousands) && (cents || thousands(last));
            grouped || digits >= 7
        }
        [] => false,
    }
}

/// True for round numbers, years, dates and times of the present: pages are full of them.
fn is_ordinary_number(group: &[Piece]) -> bool {
    let numbers: Vec<u32> = group.iter().map(|piece| piece.key.parse().unwrap_or(u32::MAX)).collect();
    let year = |value: &u32| (2015..=2039).contains(value);
    let day = |value: &u32| (1..=31).contains(value);
    let joined = |sign| group.iter().skip(1).all(|piece| piece.gap == Gap::Joined(sign));
    match &*numbers {
        [value] => {
            let key = group[0].key.as_str();
            let binary = value.is_power_of_two() && *value >= 128;
            (1990..=2039).contains(value)
                || binary
                || (key.len() <= 6 && key[1..].bytes().all(|byte| byte == b'0'))
        }
        [hour, minute] if joined(':') => *hour < 24 && *minute < 60,
        [hour, minute, second] if joined(':') => *hour < 24 && *minute < 60 && *second < 60,
        [a, b] => (year(a) && *b <= 2039) || (year(b) && day(a)),
        [a, b, c] => (year(a) && day(b) && day(c)) || (year(c) && day(a) && day(b)),
        [a, b, c, clock @ ..] => {
            let date = (year(a) && day(b) && day(c)) || (year(c) && day(a) && day(b));
            date && clock.iter().all(|part| *part < 60)
        }
        [] => true,
    }
}

/// Pushes the codes that begin at a word: letters with digits, whole or joined as in `INV-2024-0077`.
fn push_codes(text: &str, pieces: &[Piece], at: usize, found: &mut Vec<Specific>) {
    let joins = |piece: &Piece| matches!(piece.gap, Gap::Joined('-' | '_' | '.' | '/' | ':' | '#' | '+'));
    let rest = &pieces[at..];
    let most = 1 + rest.iter().skip(1).take(MOST_PIECES - 1).take_while(|piece| joins(piece)).count();
    for count in 1..=most {
        let group = &rest[..count];
        let Some(code) = join_pieces(group, SpecificKind::Code) else { continue };
        let telling = |piece: &Piece| {
            (piece.is_mixed() && !is_ordinary_code(&piece.key))
                || (piece.is_digits()
                    && piece.key.len() >= 3
                    && !is_ordinary_number(std::slice::from_ref(piece)))
        };
        let is_code = match group {
            [piece] if piece.is_mixed() => piece.key.len() >= 4 && !is_ordinary_code(&piece.key),
            // Letters that no language joins so, such as a key.
            [piece] => {
                piece.key.len() >= 8 && !piece.is_digits() && !is_readable(&text[piece.start..piece.end])
            }
            _ => {
                code.key.len() >= 5
                    && group.iter().any(telling)
                    && group.iter().any(|piece| !piece.is_digits() && !is_common_word(&piece.key))
            }
        };
        if is_code {
            found.push(code);
        }
    }
}

/// True for a word with a short number, as `covid19`, and for a number with its unit, as `128gb`.
pub fn is_ordinary_code(key: &str) -> bool {
    let has_digit = |text: &str| text.contains(char::is_numeric);
    let head = key.trim_end_matches(char::is_numeric);
    let tail = key.trim_start_matches(char::is_numeric);
    let word =
        !has_digit(head) && head.chars().count() >= 3 && key.len() - head.len() <= 2 && is_readable(head);
    let unit = !has_digit(tail) && key.len() - tail.len() <= 4 && is_common_word(tail);
    word || unit || is_timestamp(key) || is_common_word(key)
}

/// True for a date and time as in addresses of calendars, such as `20261127t160000z`.
fn is_timestamp(key: &str) -> bool {
    let Some((date, clock)) = key.split_once('t') else { return false };
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let year = date.get(..4).and_then(|year| year.parse::<u32>().ok());
    let clock = clock.trim_end_matches('z');
    date.len() == 8
        && digits(date)
        && digits(clock)
        && clock.len() <= 6
        && year.is_some_and(|y| (2015..=2039).contains(&y))
}

/// Pushes the address of mail whose `@` stands before this word.
fn push_mail(pieces: &[Piece], at: usize, found: &mut Vec<Specific>) {
    if pieces[at].gap != Gap::Joined('@') || at == 0 {
        return;
    }
    let joined = |piece: &Piece| matches!(piece.gap, Gap::Joined('.' | '-' | '_' | '+'));
    let before = pieces[1..at].iter().rev().take_while(|piece| joined(piece)).count().min(MOST_PIECES);
    let after = pieces[at + 1..].iter().take_while(|piece| joined(piece)).count().min(MOST_PIECES);
    if after > 0 {
        found.extend(join_pieces(&pieces[at - 1 - before..=at + after], SpecificKind::Mail));
    }
}

/// Pushes the name that begins at a word, such as `Olena Koval`.
fn push_name(pieces: &[Piece], at: usize, role: TextRole, found: &mut Vec<Specific>) {
    let [first, second, ..] = &pieces[at..] else { return };
    let is_name = |piece: &Piece| {
        let long = piece.key.chars().count() >= 3;
        long && !piece.key.bytes().any(|byte| byte.is_ascii_digit()) && !is_common_word(&piece.key)
    };
    let close = match role {
        TextRole::Read => first.capitalised && second.capitalised && second.gap == Gap::Space,
        TextRole::Sent => true,
    };
    if close && is_name(first) && is_name(second) {
        found.extend(join_pieces(&pieces[at..at + 2], SpecificKind::Name));
        // The family name may be sent first.
        if role == TextRole::Read {
            let key = format!("{}{}", second.key, first.key);
            found.push(Specific { key, kind: SpecificKind::Name, start: first.start, end: second.end });
        }
    }
}
