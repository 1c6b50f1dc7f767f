//! Checks of the texts: both languages present and different, Ukrainian in Cyrillic, English without it, and the
//! same placeholders in both. The macros call them for every text.

use std::collections::BTreeSet;

fn is_cyrillic(letter: char) -> bool {
    ('\u{400}'..='\u{4ff}').contains(&letter)
}

/// Placeholders `{name}` and `{name:format}` of a text, as written.
fn placeholders(text: &str) -> BTreeSet<&str> {
    text.split('{').skip(1).filter_map(|rest| Some(rest.split_once('}')?.0)).collect()
}

/// Returns the first fault of a message.
fn fault(uk: &str, en: &str, parameters: &[&str]) -> Option<String> {
    if uk.trim().is_empty() || en.trim().is_empty() {
        return Some(String::from("has no text in one language"));
    }
    if !uk.contains(is_cyrillic) {
        return Some(format!("the Ukrainian text has no Cyrillic letter: {uk}"));
    }
    if en.contains(is_cyrillic) {
        return Some(format!("the English text has Cyrillic letters: {en}"));
    }
    // A text without parameters is not formatted, so its braces are text.
    if parameters.is_empty() {
        return None;
    }
    let (used, other) = (placeholders(uk), placeholders(en));
    if used != other {
        return Some(format!("has other placeholders in Ukrainian than in English: {used:?}, {other:?}"));
    }
    let names: BTreeSet<&str> = used.iter().map(|one| one.split(':').next().unwrap_or(one)).collect();
    let declared: BTreeSet<&str> = parameters.iter().copied().collect();
    (names != declared).then(|| format!("has placeholders {names:?} and parameters {declared:?}"))
}

/// Fails unless the message is complete in both languages.
pub(super) fn check_message(name: &str, uk: &str, en: &str, parameters: &[&str]) {
    assert_eq!(fault(uk, en, parameters), None, "{name}");
}

/// Fails unless a pattern with placeholders `{}` is complete in both languages.
pub(super) fn check_pattern(uk: &str, en: &str) {
    assert_eq!(fault(uk, en, &[]), None, "{en}");
    assert_eq!(uk.matches("{}").count(), en.matches("{}").count(), "{en}");
}

/// Fails unless the text is Ukrainian and its key is not.
pub(super) fn check_translation(key: &str, uk: &str) {
    assert_eq!(fault(uk, key, &[]), None, "{key}");
}

#[test]
fn an_incomplete_message_is_found() {
    let fine = [
        ("Готово.", "Done.", &[][..]),
        ("Крок {n} з {of}", "Step {n} of {of}", &["n", "of"][..]),
        ("Ще раз {n:.2}", "Again {n:.2}", &["n"][..]),
        ("`{}` є", "`{}` is there", &[][..]),
    ];
    for (uk, en, parameters) in fine {
        assert_eq!(fault(uk, en, parameters), None, "{uk}");
    }
    let faulty = [
        ("", "Done.", &[][..]),
        ("Готово.", " ", &[][..]),
        ("Done.", "Done.", &[][..]),
        ("Готово.", "Готово.", &[][..]),
        ("Готово.", "Donе.", &[][..]),
        ("Крок {n}", "Step", &["n"][..]),
        ("Крок {n}", "Step {m}", &["n", "m"][..]),
        ("Крок {n:.2}", "Step {n}", &["n"][..]),
        ("Крок", "Step", &["n"][..]),
    ];
    for (uk, en, parameters) in faulty {
        assert!(fault(uk, en, parameters).is_some(), "{uk}, {en}");
    }
}
