//! Takes known values out of texts and addresses: where a secret would be read, something else stands.

use url::Url;

/// Values of so many letters are looked for inside of words too; shorter ones only as whole words.
const LONG: usize = 6;
/// Shorter ones stand for themselves everywhere else.
const SHORT: usize = 3;
/// What stands in place of a value in an address.
const HIDDEN: &str = "****";

/// A value, and what stands in its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Known {
    pub value: String,
    pub with: String,
}

/// A text without any of the values, as they are and as HTML has them.
pub fn text(text: &str, known: &[Known]) -> String {
    let mut text = text.to_owned();
    for Known { value, with } in longest_first(known) {
        text = replaced(&text, value, with, value.chars().count() >= SHORT);
        let html = escaped(value);
        if html != *value {
            text = text.replace(&html, with);
        }
        if is_long(value) && text.contains(['%', '+']) {
            text = decoded_away(&text, value, with);
        }
    }
    text
}

/// An address without any of the values in its query, and without the longer ones anywhere.
pub fn address(address: &str, known: &[Known]) -> String {
    let Some(mut url) = Url::parse(address).ok().filter(|_| !known.is_empty()) else {
        return address.to_owned();
    };
    let pairs: Vec<(String, String)> = url.query_pairs().into_owned().collect();
    let is_known = |value: &str| known.iter().any(|known| known.value == value);
    // Otherwise it stays as it was written.
    let mut address = address.to_owned();
    if pairs.iter().any(|(_, value)| is_known(value)) {
        let shown = pairs.iter().map(|(name, value)| (name, if is_known(value) { HIDDEN } else { value }));
        url.query_pairs_mut().clear().extend_pairs(shown);
        address = url.to_string();
    }
    for known in longest_first(known).into_iter().filter(|known| is_long(&known.value)) {
        address = decoded_away(&address, &known.value, HIDDEN);
    }
    address
}

/// One that begins as a longer one does would leave the rest of that to be read.
fn longest_first(known: &[Known]) -> Vec<&Known> {
    let mut known: Vec<&Known> = known.iter().collect();
    known.sort_by_key(|known| std::cmp::Reverse(known.value.len()));
    known
}

fn is_long(value: &str) -> bool {
    value.chars().count() >= LONG
}

/// Without what reads as the value once it is decoded, however much of it was encoded.
fn decoded_away(text: &str, value: &str, with: &str) -> String {
    let once = undone(text, value, with, b'+');
    if once.contains('+') { undone(&once, value, with, b' ') } else { once }
}

/// The same, where a plus means this.
fn undone(text: &str, value: &str, with: &str, plus: u8) -> String {
    let (bytes, sought) = (text.as_bytes(), value.as_bytes());
    let mut read = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        let escape = (*byte == b'%').then(|| text.get(at + 1..at + 3)).flatten();
        let (means, length) = match escape.and_then(|hex| u8::from_str_radix(hex, 16).ok()) {
            Some(means) => (means, 3),
            None => (if *byte == b'+' { plus } else { *byte }, 1),
        };
        read.push((means, at));
        at += length;
    }
    let means = |from: usize| sought.iter().zip(&read[from..]).all(|(sought, (means, _))| sought == means);
    let (mut out, mut kept, mut from) = (String::with_capacity(text.len()), 0, 0);
    while from + sought.len() <= read.len() {
        if !means(from) {
            from += 1;
            continue;
        }
        out.push_str(&text[kept..read[from].1]);
        out.push_str(with);
        from += sought.len();
        kept = read.get(from).map_or(text.len(), |(_, at)| *at);
    }
    out.push_str(&text[kept..]);
    out
}

/// One value in place of another, in a person's words.
pub fn replaced(text: &str, value: &str, with: &str, at_all: bool) -> String {
    if !at_all || value.is_empty() || !text.contains(value) {
        return text.to_owned();
    }
    if value.chars().count() >= LONG {
        return text.replace(value, with);
    }
    let pieces: Vec<&str> = text.split(value).collect();
    let mut out = String::with_capacity(text.len());
    for (index, piece) in pieces.iter().enumerate() {
        out.push_str(piece);
        if let Some(next) = pieces.get(index + 1) {
            let joined = piece.ends_with(char::is_alphanumeric) || next.starts_with(char::is_alphanumeric);
            out.push_str(if joined { value } else { with });
        }
    }
    out
}

/// As Markdown is made HTML of.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known(value: &str) -> [Known; 1] {
        [Known { value: value.to_owned(), with: String::from("<x>") }]
    }

    #[test]
    fn values_are_found_however_they_were_encoded() {
        let known = known("Tr0ub & три");
        for written in [
            "Tr0ub & три",
            "Tr0ub+%26+%D1%82%D1%80%D0%B8",
            "Tr0ub%20&%20%d1%82%d1%80%d0%b8",
            "%54r0ub%20%26 три",
            "Tr0ub &amp; три",
        ] {
            assert_eq!(text(&format!("a {written}!"), &known), "a <x>!", "{written}");
        }
        for (at, hidden) in [
            ("http://a/?p=Tr0ub%20%26%20%D1%82%D1%80%D0%B8#Tr0ub%20&%20три", "http://a/?p=****#****"),
            ("http://a/Tr0ub%20&%20три/x?q=1+2%25", "http://a/****/x?q=1+2%25"),
            ("http://a/?q=Tr0ub", "http://a/?q=Tr0ub"),
        ] {
            assert_eq!(address(at, &known), hidden);
        }
    }

    #[test]
    fn of_a_value_that_holds_another_nothing_is_left() {
        let known = ["abcdef", "abcdef99!", "9!"]
            .map(|value| Known { value: value.to_owned(), with: format!("<{}>", value.len()) });
        assert_eq!(text("abcdef, abcdef99! and abcdef+99!", &known), "<6>, <9> and <6>+99!");
        assert_eq!(text("abcdef99%21", &known), "<9>");
        assert_eq!(address("http://a/abcdef99!/x#abcdef99%21", &known), "http://a/****/x#****");
    }

    #[test]
    fn other_texts_stay_as_they_are() {
        let known = known("opensesame");
        for said in ["100 % sure + more", "%", "a%2", "%D1%8", "при%в+іт", "opensesam"] {
            assert_eq!(text(said, &known), said);
        }
        assert_eq!(text("+opensesame%", &known), "+<x>%");
    }
}
