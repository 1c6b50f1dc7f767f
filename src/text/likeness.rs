//! Similarity of names. A person writes `sign in`, `Sign-in` or `Польщу`; the page has `Sign in →` and
//! `Польща`. Only small differences match: a wrong click is worse than a question.

use crate::text::tokenize;

/// Quality of a match between a name and a person's words, from worst to best.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum NameMatch {
    /// A few letters differ.
    Slip,
    /// The person's words contain the whole name, which is most of them.
    Within,
    /// The same words with other endings.
    Endings,
    /// The name contains all of the words in any order, possibly as prefixes.
    Parts,
    /// The name contains the words in this order.
    Contains,
    /// The name begins with the words.
    Begins,
    /// Equal except for spaces.
    Spaces,
    /// Equal except for case and punctuation.
    Case,
    Exact,
}

/// Rates the match between a person's words and an element's name; `None` if they do not match.
pub fn match_name(typed: &str, name: &str) -> Option<NameMatch> {
    if typed.is_empty() || name.is_empty() {
        return None;
    }
    if typed == name {
        return Some(NameMatch::Exact);
    }
    let (typed, name) = (parts(typed), parts(name));
    if typed.is_empty() || name.is_empty() {
        return None;
    }
    if typed == name {
        return Some(NameMatch::Case);
    }
    let (typed_whole, name_whole) = (typed.concat(), name.concat());
    if typed_whole == name_whole {
        return Some(NameMatch::Spaces);
    }
    if name.starts_with(&typed) {
        return Some(NameMatch::Begins);
    }
    if name.windows(typed.len()).any(|window| window == typed) {
        return Some(NameMatch::Contains);
    }
    if typed.iter().all(|part| name.iter().any(|other| begins(other, part))) {
        return Some(NameMatch::Parts);
    }
    if typed.len() == name.len() && typed.iter().zip(&name).all(|(a, b)| same_stem(a, b)) {
        return Some(NameMatch::Endings);
    }
    let (meant, is) = (typed_whole.chars().count(), name_whole.chars().count());
    // `Add to cart` does not mean `Cart`.
    if is >= 4 && is * 3 >= meant * 2 && typed.windows(name.len()).any(|window| window == name) {
        return Some(NameMatch::Within);
    }
    is_typo(&typed_whole, &name_whole).then_some(NameMatch::Slip)
}

/// Returns the words in lower case without punctuation; a name of punctuation alone is split at white space.
fn parts(text: &str) -> Vec<String> {
    let lower: String = text
        .to_lowercase()
        .chars()
        .map(|c| if tokenize::is_apostrophe(c) { '\'' } else { c })
        .take(300)
        .collect();
    let words: Vec<String> = lower
        .split(|c: char| !(c.is_alphanumeric() || c == '\''))
        .map(|word| word.trim_matches('\''))
        .filter(|word| !word.is_empty())
        .map(str::to_owned)
        .collect();
    if words.is_empty() { lower.split_whitespace().map(str::to_owned).collect() } else { words }
}

fn begins(word: &str, part: &str) -> bool {
    word == part || (part.chars().count() >= 3 && word.starts_with(part))
}

/// True for inflected forms of one word: `Польща`, `Польщу`; `упаковка`, `упаковки`.
fn same_stem(first: &str, second: &str) -> bool {
    if first == second {
        return true;
    }
    let (a, b): (Vec<char>, Vec<char>) = (first.chars().collect(), second.chars().collect());
    let shared = a.iter().zip(&b).take_while(|(x, y)| x == y).count();
    let (shorter, longer) = (a.len().min(b.len()), a.len().max(b.len()));
    // Latin words are not inflected here, so `Save` never matches `Saved`.
    let declined = a.iter().chain(&b).all(|c| !c.is_ascii());
    declined && shared >= 3 && longer - shared <= 3 && shorter >= 4
}

/// True if the texts differ by a typing error: one letter in five to eight, two up to thirteen, then three.
/// The first letter must be equal.
fn is_typo(typed: &str, name: &str) -> bool {
    let (a, b): (Vec<char>, Vec<char>) = (typed.chars().collect(), name.chars().collect());
    let allowed = match a.len().max(b.len()) {
        0..=4 => 0,
        5..=8 => 1,
        9..=13 => 2,
        _ => 3,
    };
    allowed > 0
        && a.len().abs_diff(b.len()) <= allowed
        && a.first() == b.first()
        // Numbers must be equal: `Room 12` is not `Room 13`.
        && a.iter().filter(|c| c.is_numeric()).eq(b.iter().filter(|c| c.is_numeric()))
        // Swapping two neighbouring letters is one error.
        && strsim::osa_distance(typed, name) <= allowed
}

/// Returns the similarity of two names from 0 to 1, for suggestions.
pub fn nearness(typed: &str, name: &str) -> f64 {
    let pairs = |text: &str| -> Vec<(char, char)> {
        let chars: Vec<char> = parts(text).join(" ").chars().collect();
        chars.windows(2).map(|pair| (pair[0], pair[1])).collect()
    };
    let (own, mut other) = (pairs(typed), pairs(name));
    let total = own.len() + other.len();
    if total == 0 {
        return 0.0;
    }
    let shared = own.iter().filter(|pair| take(&mut other, pair)).count();
    2.0 * shared as f64 / total as f64
}

fn take(pairs: &mut Vec<(char, char)>, wanted: &(char, char)) -> bool {
    match pairs.iter().position(|pair| pair == wanted) {
        Some(at) => {
            pairs.swap_remove(at);
            true
        }
        None => false,
    }
}
