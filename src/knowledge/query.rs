//! Builds the full-text query of a question: Ukrainian and English words match all forms that begin alike.
//! Operators in the question are not interpreted. Pure.

use crate::text::word_forms::{english_stem, unify_spelling};

/// Maximum number of words of a query, and of characters that are read.
const WORDS: usize = 24;
const READ: usize = 1_000;

/// Words too common to search for.
const EVERYWHERE: [&str; 44] = [
    "the",
    "and",
    "for",
    "what",
    "how",
    "are",
    "is",
    "of",
    "to",
    "in",
    "on",
    "at",
    "an",
    "do",
    "does",
    "can",
    "with",
    "from",
    "about",
    "which",
    "when",
    "where",
    "що",
    "як",
    "які",
    "який",
    "яка",
    "яке",
    "чи",
    "та",
    "на",
    "по",
    "за",
    "до",
    "від",
    "про",
    "для",
    "або",
    "коли",
    "де",
    "це",
    "із",
    "із-за",
    "не",
];

/// Returns the full-text expression for the index, or `None` if the question has no word.
pub fn expression(query: &str) -> Option<String> {
    let read: String = query.chars().take(READ).collect();
    let plain = unify_spelling(&read).to_lowercase();
    let mut words: Vec<&str> = Vec::new();
    for word in plain.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()) {
        if !words.contains(&word) {
            words.push(word);
        }
    }
    let telling: Vec<&str> =
        words.iter().copied().filter(|word| !EVERYWHERE.contains(word) && word.chars().count() > 1).collect();
    let words = if telling.is_empty() { words } else { telling };
    let sought: Vec<String> = words.iter().take(WORDS).map(|word| term(word)).collect();
    (!sought.is_empty()).then(|| sought.join(" OR "))
}

/// Returns the term of a word: the word itself, or any word with the same stem.
fn term(word: &str) -> String {
    match stem(word) {
        Some(beginning) => format!("(\"{word}\" OR \"{beginning}\" *)"),
        None => format!("\"{word}\""),
    }
}

/// Returns the stem that all forms of a word share, or `None` for short words and words with digits.
fn stem(word: &str) -> Option<String> {
    let letters: Vec<char> = word.chars().collect();
    if letters.len() < 4 || letters.iter().any(|c| !c.is_alphabetic()) {
        return None;
    }
    let kept = if word.is_ascii() { english_stem(word) } else { ukrainian(letters.len()) };
    Some(letters.into_iter().take(kept).collect())
}

/// Length of the stem of a Ukrainian word. Endings of longer words have up to three letters.
fn ukrainian(letters: usize) -> usize {
    match letters {
        0..=4 => letters.saturating_sub(1),
        5 | 6 => letters - 2,
        _ => letters - 3,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_of_a_word_begin_alike() {
        for (forms, beginning_) in [
            (&["доставка", "доставки", "доставку"][..], "доста"),
            (&["ціна", "ціни", "ціною"][..], "цін"),
            (&["returns", "returned", "returning", "return"][..], "return"),
            (&["shipping", "ships", "shipped"][..], "ship"),
            (&["delivery", "deliveries"][..], "deliver"),
        ] {
            for form in forms {
                assert_eq!(stem(form).as_deref(), Some(beginning_), "{form}");
            }
        }
        assert_eq!((stem("2024"), stem("a1b2"), stem("usb")), (None, None, None));
    }

    #[test]
    fn only_words_are_looked_for() {
        assert_eq!(expression("the price").as_deref(), Some("(\"price\" OR \"pric\" *)"));
        assert_eq!(expression("м'яч").as_deref(), Some("\"мяч\""));
        assert_eq!(expression("what is").as_deref(), Some("(\"what\" OR \"what\" *) OR \"is\""));
        for nothing in ["", "\"'()*:^-+ {}", "  \u{0}"] {
            assert_eq!(expression(nothing), None, "{nothing:?}");
        }
        assert_eq!(expression("a\" OR name:x*").as_deref(), Some("\"or\" OR (\"name\" OR \"nam\" *)"));
        let many: String = (0..500).map(|n| format!("w{n} ")).collect();
        assert_eq!(expression(&many).map(|found| found.matches(" OR ").count()), Some(WORDS - 1));
    }
}
