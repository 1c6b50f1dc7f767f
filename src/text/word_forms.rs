//! Word forms of Ukrainian and English for full-text indexes: uniform spelling and stems. Pure.

/// Normalizes the spelling for an index: removes apostrophes within words, and replaces ґ with г.
pub fn unify_spelling(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    let mut before = ' ';
    while let Some(c) = chars.next() {
        let within = before.is_alphabetic() && chars.peek().is_some_and(|next| next.is_alphabetic());
        match c {
            '\'' | '’' | 'ʼ' | '‘' | '`' if within => {}
            'ґ' => out.push('г'),
            'Ґ' => out.push('Г'),
            other => out.push(other),
        }
        before = c;
    }
    out
}

/// Returns the length of an English word without its ending, in bytes.
pub fn english_stem(word: &str) -> usize {
    let ending = ["ings", "ing", "ies", "ied", "ed", "es", "s", "y", "e"]
        .into_iter()
        .find(|ending| word.ends_with(ending) && word.len() - ending.len() >= 3);
    let stem = ending.map_or(word.len(), |ending| word.len() - ending.len());
    let bytes = word.as_bytes();
    let doubled = stem > 3 && stem < word.len() && bytes.get(stem - 1) == bytes.get(stem - 2);
    if doubled { stem - 1 } else { stem }
}

/// Returns the stem that the forms of a word share. It is cut only a little, so that a search finds few other
/// words. Words with digits and words of up to three letters stay whole.
pub fn close_stem(word: &str) -> String {
    let letters = word.chars().count();
    if letters < 4 || word.chars().any(|c| !c.is_alphabetic()) {
        return word.to_owned();
    }
    let kept = match letters {
        _ if word.is_ascii() => english_stem(word),
        4 | 5 => letters - 1,
        6 | 7 => letters - 2,
        _ => letters - 3,
    };
    word.chars().take(kept).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_of_a_word_share_a_close_stem() {
        for (forms, stem) in [
            (&["лампа", "лампу", "лампи"][..], "ламп"),
            (&["замовлення", "замовленню"][..], "замовлен"),
            (&["lamps", "lamp"][..], "lamp"),
            (&["orders", "ordered", "ordering", "order"][..], "order"),
        ] {
            for form in forms {
                assert!(close_stem(form).starts_with(stem) || stem.starts_with(&close_stem(form)), "{form}");
            }
        }
        assert_eq!(close_stem("лампу"), "ламп");
        for whole in ["usb", "2024", "a1b2", "ваз"] {
            assert_eq!(close_stem(whole), whole);
        }
    }

    #[test]
    fn a_word_has_one_spelling() {
        assert_eq!(unify_spelling("м’яч і ґанок, 'так'"), "мяч і ганок, 'так'");
    }
}
