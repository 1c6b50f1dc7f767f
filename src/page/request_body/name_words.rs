//! Words of the names of values: `user[newPassword]` has the keys `user` and `newPassword`, and the latter the
//! words `new` and `password`.

/// Returns the keys of a path without the indices of lists.
pub fn split_keys(name: &str) -> Vec<&str> {
    name.split(['.', '[', ']', '@', '"', ':', '/'])
        .map(str::trim)
        .filter(|key| key.contains(|c: char| !c.is_ascii_digit()))
        .collect()
}

/// Returns the words of a key in lower case: separated by marks, capitals inside, or digits.
pub fn split_words(key: &str) -> Vec<String> {
    let letters: Vec<char> = key.chars().collect();
    let mut words: Vec<String> = Vec::new();
    let mut word = String::new();
    for (at, letter) in letters.iter().enumerate() {
        let before = at.checked_sub(1).map(|before| letters[before]);
        if !letter.is_alphanumeric()
            || before.is_some_and(|before| begins_word(before, *letter, letters.get(at + 1)))
        {
            words.extend(Some(std::mem::take(&mut word)).filter(|word| !word.is_empty()));
        }
        if letter.is_alphanumeric() {
            word.extend(letter.to_lowercase());
        }
    }
    words.extend(Some(word).filter(|word| !word.is_empty()));
    words
}

fn begins_word(before: char, letter: char, after: Option<&char>) -> bool {
    let is_hump = before.is_lowercase() && letter.is_uppercase();
    // `APIKey` has the words `api` and `key`.
    let ends_capitals =
        before.is_uppercase() && letter.is_uppercase() && after.is_some_and(|after| after.is_lowercase());
    is_hump || ends_capitals || before.is_ascii_digit() != letter.is_ascii_digit()
}

/// Words of the last key of a path.
pub fn last_words(name: &str) -> Vec<String> {
    split_keys(name).last().map(|key| split_words(key)).unwrap_or_default()
}

/// Reports whether these words stand next to each other in a list of words.
pub fn contains_words(words: &[String], wanted: &[&str]) -> bool {
    !wanted.is_empty() && words.windows(wanted.len()).any(|window| window.iter().eq(wanted.iter()))
}
