//! The address that a person's order names. Pure.

use url::Url;

/// Returns the address if the text names exactly one: with `http://` or `https://`, or else one of the hosts that the
/// agent may visit.
pub(crate) fn only_address(text: &str, allowed_hosts: &[String]) -> Option<String> {
    let words: Vec<&str> =
        text.split(|letter: char| letter.is_whitespace() || "<>\"'«»“”„`|".contains(letter)).collect();
    let written = unique(words.iter().filter_map(|word| web_address(word)));
    match written.as_slice() {
        [address] => Some(address.clone()),
        [] => match unique(words.iter().filter_map(|word| allowed_host(word, allowed_hosts))).as_slice() {
            [address] => Some(address.clone()),
            _ => None,
        },
        _ => None,
    }
}

fn unique(addresses: impl Iterator<Item = String>) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    for address in addresses {
        if !all.contains(&address) {
            all.push(address);
        }
    }
    all
}

/// Removes the punctuation of the sentence around a word.
fn bare(word: &str) -> &str {
    let word =
        word.trim_start_matches(['(', '[', '{']).trim_end_matches(['.', ',', ';', ':', '!', '?', ']', '}']);
    match word.contains('(') {
        true => word,
        false => word.trim_end_matches([')', '.', ',']),
    }
}

fn web_address(word: &str) -> Option<String> {
    let at = word.find("http://").or_else(|| word.find("https://"))?;
    let address = bare(word.get(at..)?);
    Url::parse(address).ok().filter(|url| url.has_host()).map(|_| address.to_owned())
}

fn allowed_host(word: &str, allowed_hosts: &[String]) -> Option<String> {
    let word = bare(word);
    let host = word.split('/').next().unwrap_or_default();
    let known = allowed_hosts.iter().any(|allowed| allowed.eq_ignore_ascii_case(host));
    known.then(|| format!("https://{word}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    // Several addresses are no order to open one, and a name of a file is no host.
    #[test]
    fn the_only_address_of_an_order_is_found() {
        let allowed = [String::from("shop.test")];
        for (text, address) in [
            ("Open http://127.0.0.1:8787/demo/ and buy a lamp.", Some("http://127.0.0.1:8787/demo/")),
            ("Зайди на https://shop.test/cart, будь ласка", Some("https://shop.test/cart")),
            ("Buy a lamp (https://shop.test/a?b=1).", Some("https://shop.test/a?b=1")),
            ("See «https://shop.test/a» and https://shop.test/a", Some("https://shop.test/a")),
            ("Compare https://a.test with https://b.test", None),
            ("Find a lamp at shop.test.", Some("https://shop.test")),
            ("Find a lamp at other.test", None),
            ("Read report.pdf and send it to a@shop.test", None),
            ("What is http:// for?", None),
        ] {
            assert_eq!(only_address(text, &allowed).as_deref(), address, "{text}");
        }
    }
}
