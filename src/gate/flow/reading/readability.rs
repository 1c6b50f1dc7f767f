//! Readability: tells words of a language from codes, keys and encoded data.

use crate::gate::wording::normalize;
use std::collections::HashSet;
use std::sync::LazyLock;

/// Longest word of a language; longer runs of letters are data.
const LONGEST: usize = 32;
/// Longest short form, such as `HTTPS`.
const LONGEST_SHORT_FORM: usize = 6;

static COMMON: LazyLock<HashSet<String>> = LazyLock::new(|| {
    let lines = include_str!("../../wording/common_words.txt").lines().filter(|line| !line.starts_with('#'));
    let words = lines.filter_map(|line| line.split_once(':')).flat_map(|(_, words)| words.split_whitespace());
    words.map(|word| normalize::normalize_name(word).replace(' ', "")).collect()
});

/// True for an ordinary word of sentences and pages.
pub fn is_common_word(key: &str) -> bool {
    COMMON.contains(key)
}

/// True if a run of letters and digits, as written, could be words of a language, also joined as in
/// `openStreetMap`.
pub fn is_readable(written: &str) -> bool {
    // Apostrophes and invisible characters are inside of words.
    let word: String = written.chars().filter(|letter| letter.is_alphanumeric()).collect();
    is_readable_word(&word)
}

fn is_readable_word(written: &str) -> bool {
    if !written.is_ascii() {
        return written.chars().count() <= LONGEST && written.chars().all(char::is_alphabetic);
    }
    if written.len() > LONGEST || !written.bytes().all(|byte| byte.is_ascii_alphabetic()) {
        return false;
    }
    if written.len() <= LONGEST_SHORT_FORM && written.bytes().all(|byte| byte.is_ascii_uppercase()) {
        return true;
    }
    let parts = split_by_case(written);
    // Random letters change their case every few letters, joined words every six or so.
    (parts.len() == 1 || written.len() / parts.len() >= 4) && parts.iter().all(|part| is_pronounceable(part))
}

/// Splits `openStreetMap` into its words.
fn split_by_case(written: &str) -> Vec<String> {
    let mut parts: Vec<String> = Vec::new();
    let mut before_lower = false;
    for letter in written.chars() {
        let starts = letter.is_ascii_uppercase() && before_lower;
        before_lower = letter.is_ascii_lowercase();
        match parts.last_mut().filter(|_| !starts) {
            Some(part) => part.push(letter.to_ascii_lowercase()),
            None => parts.push(letter.to_ascii_lowercase().to_string()),
        }
    }
    parts
}

/// Pairs of letters that make up most of the text of European languages.
const PAIRS: &str = "th he in er an re on at en nd ti es or te of ed is it al ar st to nt ng se ha as ou io le ve co me \
    de hi ri ro ic ne ea ra ce li ch ll be ma si om ur ca el ta la ns di fo ho pe ec pr no ct us ac ot \
    il tr ly nc et ut ss so rs un lo wa ge ie wh ee wi em ad ol rt po we na ul ni ts mo ow pa im mi ai \
    sh ir su id os iv ia am fi ci vi pl ig tu ev ld ry mp fe bl ab gh ty op wo sa ay ex ke fr oo av ag \
    if ap gr od bo sp rd do uc bu ei ov by rm ep tt oc fa ef cu rn sc gi da yo cr cl du ga qu ue ff ba \
    ey ls va um pp ua up lu go ht ru ug ds lt pi rc rr eg au ck ew mu br bi pt ak pu ui rg ib tl ny ki \
    rk ys ob mm fu ph og ms ye ud mb ip ub oi rl gu dr hr cc tw ft wn nu af hu nn eo vo rv nf xp gn sm \
    fl iz ok nl my gl aw ju oa eq sy sl ps jo lf nv je nk kn gs dy hy ze ks xt bs ik dd rp sk xi oe oy \
    ws lv dl rf eu dg wr xa yi nm eb uk tm xc mn ax ej iu cz sz rz aj oj";

static KNOWN_PAIRS: LazyLock<HashSet<[u8; 2]>> =
    LazyLock::new(|| PAIRS.split_whitespace().filter_map(|pair| pair.as_bytes().try_into().ok()).collect());

/// True if lower-case ASCII letters have vowels, no long runs of consonants, and pairs that languages have.
fn is_pronounceable(letters: &str) -> bool {
    if letters.len() <= 4 {
        return true;
    }
    let is_vowel = |byte: &u8| matches!(byte, b'a' | b'e' | b'i' | b'o' | b'u' | b'y');
    let vowels = letters.bytes().filter(|byte| is_vowel(byte)).count() * 100 / letters.len();
    let consonants = letters.as_bytes().split(is_vowel).map(<[u8]>::len).max().unwrap_or(0);
    let pairs = letters.as_bytes().windows(2);
    let known = pairs.filter(|pair| KNOWN_PAIRS.contains(*pair)).count() * 100 / (letters.len() - 1);
    (11..=80).contains(&vowels) && consonants <= 8 && known >= if letters.len() < 8 { 50 } else { 60 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[rustfmt::skip]
    #[test]
    fn words_are_told_from_codes() {
        for word in [ "internationalization", "accommodation", "confirmation", "openStreetMap",
            "stackoverflow", "JavaScript", "Donaudampfschifffahrt", "відповідальність",
            "Straßenbahnhaltestelle", "subscription", "knowledgeable", "rechtsschutzversicherung",
            "przedsiębiorstwo", "Kyiv", "responsabilidad", "développement", "dishwasher", "strengths",
            "HTTPS", "compiler's", "aggiornamento", "gebruikersnaam", "newsletters", "throughout",
        ] {
            assert!(is_readable(word), "{word}");
        }
        for code in [ "SGVsbG8gd29ybGQ", "xkqzpwvbnmtr", "QWxhZGRpbjpvcGVu", "bcdfghjklmnp",
            "aGVsbG9Xb3JsZA", "pnanel7s3n9d", "zqxjkvbwpmzqx", "4a1b9c", "nCKpQwZx", "lorem2ipsum",
        ] {
            assert!(!is_readable(code), "{code}");
        }
        for word in ["the", "лампи", "privacy", "sha256", "kyiv"] {
            assert!(is_common_word(&normalize::normalize_name(word)), "{word}");
        }
    }
}
