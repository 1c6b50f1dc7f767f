//! Secrets that are recognised by their form: payment cards, tokens, keys.

use crate::turn::typed_secret::MASK;

/// Beginnings of keys of well-known services, each with the fewest letters of such a key.
const KEY_STARTS: &[(&str, usize)] = &[
    ("sk-", 20),
    ("sk_live_", 20),
    ("sk_test_", 20),
    ("rk_live_", 20),
    ("rk_test_", 20),
    ("whsec_", 20),
    ("ghp_", 30),
    ("gho_", 30),
    ("ghu_", 30),
    ("ghs_", 30),
    ("ghr_", 30),
    ("github_pat_", 30),
    ("glpat-", 20),
    ("AKIA", 20),
    ("ASIA", 20),
    ("xoxb-", 20),
    ("xoxp-", 20),
    ("xoxa-", 20),
    ("xoxr-", 20),
    ("xoxs-", 20),
    ("xapp-", 20),
    ("AIza", 35),
    ("ya29.", 20),
    ("SG.", 30),
    ("npm_", 30),
    ("pypi-", 30),
    ("hf_", 30),
    ("dop_v1_", 30),
    ("shpat_", 30),
    ("EAACEdEose0cBA", 20),
    ("AGE-SECRET-KEY-", 30),
    ("glsa_", 30),
    ("lin_api_", 20),
    ("secret_", 40),
    ("tok_", 20),
    ("pk_live_", 200),
];
/// Issuers of payment cards: the first and last beginning, and the lengths of numbers.
const ISSUERS: &[(u32, u32, &[usize])] = &[
    (4000, 4999, &[13, 16, 19]),
    (5100, 5599, &[16]),
    (2221, 2720, &[16]),
    (3400, 3499, &[15]),
    (3700, 3799, &[15]),
    (6011, 6011, &[16, 19]),
    (6440, 6599, &[16, 19]),
    (6200, 6299, &[16, 17, 18, 19]),
    (3528, 3589, &[16, 17, 18, 19]),
    (3000, 3059, &[14, 16]),
    (3600, 3699, &[14]),
    (3800, 3999, &[14]),
    (5018, 5018, &[13, 14, 15, 16, 17, 18, 19]),
    (5020, 5020, &[13, 14, 15, 16, 17, 18, 19]),
    (5038, 5038, &[13, 14, 15, 16, 17, 18, 19]),
    (5600, 5899, &[16, 19]),
    (6304, 6304, &[16, 17, 18, 19]),
    (6700, 6799, &[16, 17, 18, 19]),
    (2200, 2204, &[16, 17, 18, 19]),
    (9792, 9792, &[16]),
    (6050, 6099, &[16]),
    (8100, 8299, &[16]),
];

/// Returns a text with its secrets masked; `None` if it has none.
pub fn mask_patterns(text: &str) -> Option<String> {
    if text.contains("PRIVATE KEY") && text.contains("-----BEGIN") {
        return Some(MASK.to_owned());
    }
    let mut out = String::with_capacity(text.len());
    // A word after "bearer" or "basic" may be a secret; "Basic settings" are none.
    let (mut is_bearer, mut is_basic) = (false, false);
    for piece in text.split_inclusive(is_separator) {
        let word = piece.trim_end_matches(is_separator);
        let is_secret = is_token(word) || word.len() >= 8 && (is_bearer || is_basic && !is_of_prose(word));
        if !word.is_empty() {
            (is_bearer, is_basic) = (word.eq_ignore_ascii_case("bearer"), word.eq_ignore_ascii_case("basic"));
        }
        out.push_str(if is_secret { MASK } else { word });
        out.push_str(&piece[word.len()..]);
    }
    let masked = mask_cards(&out);
    (masked != text).then_some(masked)
}

/// True for a word of letters, all small after the first; a name with its password in base64 has others.
fn is_of_prose(word: &str) -> bool {
    let mut letters = word.chars();
    letters.next().is_some_and(char::is_alphabetic) && letters.all(char::is_lowercase)
}

fn is_separator(c: char) -> bool {
    c.is_whitespace()
        || matches!(
            c,
            '"' | '\'' | ',' | ';' | '(' | ')' | '<' | '>' | '{' | '}' | '[' | ']' | '&' | '=' | '?'
        )
}

fn is_token(word: &str) -> bool {
    let is_plain =
        |word: &str| word.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.+/~:".contains(&byte));
    let has_key_start =
        KEY_STARTS.iter().any(|(start, fewest)| word.starts_with(start) && word.len() >= *fewest);
    is_plain(word) && (has_key_start && word.contains(|c: char| c.is_ascii_digit()) || is_web_token(word))
}

/// Recognizes a JSON Web Token: three base64 parts, the first an object.
fn is_web_token(word: &str) -> bool {
    let parts: Vec<&str> = word.split('.').collect();
    word.starts_with("eyJ")
        && (3..=5).contains(&parts.len())
        && parts[..2].iter().all(|part| part.len() >= 10)
}

/// Masks the numbers of payment cards, with or without spaces and hyphens.
fn mask_cards(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find(|c: char| c.is_ascii_digit()) {
        let run = &rest[start..start + find_run_end(&rest[start..])];
        let before = if start == 0 { out.chars().next_back() } else { rest[..start].chars().next_back() };
        let after = rest[start + run.len()..].chars().next();
        let is_inside = |letter: Option<char>| {
            letter.is_some_and(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.'))
        };
        out.push_str(&rest[..start]);
        let is_end = after.is_none_or(|c| !c.is_alphanumeric() && c != '_' && c != '-');
        out.push_str(if is_card_number(run) && !is_inside(before) && is_end { MASK } else { run });
        rest = &rest[start + run.len()..];
    }
    out.push_str(rest);
    out
}

/// Returns the end of digits in groups with single spaces or hyphens between them.
fn find_run_end(text: &str) -> usize {
    let bytes = text.as_bytes();
    let is_digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    let joins = |at: usize| matches!(bytes.get(at), Some(b' ' | b'-')) && is_digit(at + 1);
    (0..bytes.len()).find(|&at| !is_digit(at) && !joins(at)).unwrap_or(bytes.len())
}

/// Reports whether digits are the number of a payment card: a known issuer, its length, and the check digit.
pub fn is_card_number(text: &str) -> bool {
    let digits: Vec<u32> = text.chars().filter_map(|c| c.to_digit(10)).collect();
    let start = digits.iter().take(4).fold(0, |number, digit| number * 10 + digit);
    let is_issued = ISSUERS
        .iter()
        .any(|(first, last, lengths)| (*first..=*last).contains(&start) && lengths.contains(&digits.len()));
    let doubled = |digit: u32| if digit > 4 { digit * 2 - 9 } else { digit * 2 };
    let weigh = |(index, digit): (usize, &u32)| if index % 2 == 1 { doubled(*digit) } else { *digit };
    let sum: u32 = digits.iter().rev().enumerate().map(weigh).sum();
    is_issued && sum.is_multiple_of(10)
}
