//! Reading of numbers as pages write them: with separators of either language, units and currencies around them.

/// Signs and words of currencies, which belong to a whole number.
const CURRENCY_SIGNS: [char; 5] = ['$', '€', '£', '₴', '¥'];
const CURRENCY_WORDS: [&str; 11] =
    ["грн", "гривень", "гривні", "коп", "uah", "usd", "eur", "gbp", "chf", "pln", "zł"];
/// Most digits of a number that is read.
const MAX_DIGITS: usize = 18;

/// Reads the first number of a text: `1,234.50`, `1 234,50 грн`, `-3`, `1.5k`.
pub fn first_number(text: &str) -> Option<f64> {
    numbers_in(text).into_iter().next().and_then(|number| number.readings.first().copied())
}

/// A number of a text, with every value that it may stand for: `1.234` is a fraction or a thousand.
#[derive(Clone, Debug, PartialEq)]
pub struct WrittenNumber {
    pub readings: Vec<f64>,
}

/// Returns the numbers of a text in order. Neighbouring groups of three digits are read together and apart.
pub fn numbers_in(text: &str) -> Vec<WrittenNumber> {
    let chars: Vec<char> = text.chars().collect();
    let mut found = Vec::new();
    let mut at = 0;
    while at < chars.len() {
        if !chars[at].is_ascii_digit() {
            at += 1;
            continue;
        }
        let end = end_of_number(&chars, at);
        let is_negative = at > 0
            && matches!(chars[at - 1], '-' | '−' | '–')
            && !at.checked_sub(2).is_some_and(|before| chars[before].is_alphanumeric());
        let digits: String = chars[at..end].iter().collect();
        let factors = factors_after(&chars[end..]);
        let mut readings = Vec::new();
        for value in readings_of(&digits) {
            let value = if is_negative { -value } else { value };
            readings.extend(factors.iter().map(|factor| value * factor));
        }
        if may_be_several(&chars, at, end) {
            readings.extend(parts_of(&digits));
        }
        found.push(WrittenNumber { readings });
        at = end;
    }
    found
}

/// Returns the end of the number that begins at `at`. A space belongs to it only before three digits.
fn end_of_number(chars: &[char], at: usize) -> usize {
    let is_digit = |index: usize| chars.get(index).is_some_and(char::is_ascii_digit);
    let mut end = at;
    while end < chars.len() {
        let joins = match chars[end] {
            '0'..='9' => true,
            '.' | ',' | '\'' | '’' => is_digit(end + 1),
            ' ' | '\u{a0}' | '\u{202f}' | '\u{2009}' => {
                (1..=3).all(|offset| is_digit(end + offset)) && !is_digit(end + 4)
            }
            _ => false,
        };
        if !joins {
            break;
        }
        end += 1;
    }
    end
}

/// Returns the values that digits with separators may stand for, the likeliest first.
fn readings_of(digits: &str) -> Vec<f64> {
    let plain: String = digits.chars().filter(|c| c.is_ascii_digit() || matches!(c, '.' | ',')).collect();
    if plain.chars().filter(char::is_ascii_digit).count() > MAX_DIGITS {
        return Vec::new();
    }
    let parse = |text: String| text.parse::<f64>().ok();
    let whole = || parse(plain.replace(['.', ','], ""));
    let decimal = |point: char| {
        let other = if point == '.' { ',' } else { '.' };
        parse(plain.replace(other, "").replace(point, "."))
    };
    let count = |c: char| plain.matches(c).count();
    let in_thousands = |c: char| {
        let mut groups = plain.split(c);
        groups.next().is_some_and(|first| (1..=3).contains(&first.len()) && first != "0")
            && groups.all(|group| group.len() == 3)
    };
    let found = match (count('.'), count(','), plain.rfind('.') > plain.rfind(',')) {
        (0, 0, _) => vec![whole()],
        (1, 0, _) if in_thousands('.') => vec![decimal('.'), whole()],
        (1, 0, _) => vec![decimal('.')],
        (0, 1, _) if in_thousands(',') => vec![whole(), decimal(',')],
        (0, 1, _) => vec![decimal(',')],
        (_, 0, _) | (0, _, _) => vec![whole()],
        (1, _, true) => vec![decimal('.')],
        (_, 1, false) => vec![decimal(',')],
        _ => Vec::new(),
    };
    found.into_iter().flatten().collect()
}

/// Reports whether neighbouring groups of digits may be numbers of their own, as in two columns: a fraction or a
/// currency says that they are one.
fn may_be_several(chars: &[char], start: usize, end: usize) -> bool {
    let digits = &chars[start..end];
    let is_blank = |c: &&char| matches!(**c, ' ' | '\u{a0}' | '\u{202f}' | '\u{2009}');
    let has_currency_before =
        chars[..start].iter().rev().find(|c| !is_blank(c)).is_some_and(|c| CURRENCY_SIGNS.contains(c));
    let after = chars[end..].iter().skip_while(is_blank);
    let word: String =
        after.take_while(|c| c.is_alphabetic() || CURRENCY_SIGNS.contains(c)).take(8).collect();
    let has_currency_after =
        word.starts_with(CURRENCY_SIGNS) || CURRENCY_WORDS.contains(&word.to_lowercase().as_str());
    !digits.iter().any(|c| matches!(c, '.' | ',')) && !has_currency_before && !has_currency_after
}

/// Returns the numbers between spaces, which may be several: `12 345` of two columns.
fn parts_of(digits: &str) -> Vec<f64> {
    let parts: Vec<&str> = digits.split(' ').collect();
    if parts.len() < 2 {
        return Vec::new();
    }
    parts.into_iter().flat_map(readings_of).collect()
}

/// Returns what the words after a number multiply it by; 1 is always among them.
fn factors_after(rest: &[char]) -> Vec<f64> {
    let mut word = String::new();
    for c in rest.iter().skip_while(|c| **c == ' ' || **c == '\u{a0}').take(8) {
        if !c.is_alphabetic() && *c != '%' {
            break;
        }
        word.extend(c.to_lowercase());
    }
    let more: &[f64] = match word.as_str() {
        "k" | "тис" | "тисяч" | "thousand" => &[1e3],
        "m" | "mn" | "mln" | "million" | "млн" => &[1e6],
        "b" | "bn" | "billion" | "млрд" => &[1e9],
        "%" => &[0.01],
        _ => &[],
    };
    [1.0].into_iter().chain(more.iter().copied()).collect()
}

/// Compares two numbers as closely as a page writes them.
pub fn is_same(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-9 * a.abs().max(b.abs()).max(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_in_either_language() {
        for (text, number) in [
            ("$1,234.50", 1234.5),
            ("1 234,50 грн", 1234.5),
            ("1\u{a0}234\u{202f}567", 1_234_567.0),
            ("1.234,5 €", 1234.5),
            ("12'345.00 CHF", 12345.0),
            ("-3", -3.0),
            ("−0,5", -0.5),
            ("4.75 of 5", 4.75),
            ("3,000", 3000.0),
            ("0,125", 0.125),
            ("1.234.567", 1_234_567.0),
            ("SKU A-17", 17.0),
        ] {
            assert_eq!(first_number(text), Some(number), "{text}");
        }
        for text in ["", "none", "٣", "12345678901234567890123"] {
            assert_eq!(first_number(text), None, "{text}");
        }
    }

    #[test]
    fn a_number_may_stand_for_several_values() {
        let all =
            |text: &str| numbers_in(text).into_iter().flat_map(|number| number.readings).collect::<Vec<_>>();
        assert_eq!(all("1.234"), [1.234, 1234.0]);
        assert_eq!(all("12 345"), [12345.0, 12.0, 345.0]);
        assert_eq!(all("12 345 грн"), [12345.0]);
        assert_eq!(all("$ 12 345"), [12345.0]);
        assert_eq!(all("1 234,50"), [1234.5]);
        assert_eq!(all("12'345"), [12345.0]);
        assert_eq!(all("1.5k views"), [1.5, 1500.0]);
        assert_eq!(all("15%"), [15.0, 0.15]);
        assert_eq!(all("2026-05-04"), [2026.0, 5.0, 4.0]);
        assert!(is_same(0.1 + 0.2, 0.3) && !is_same(1.0, 1.01));
    }
}
