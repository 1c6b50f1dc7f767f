//! Finds the secret in an answer to a question that asks for one: of "The password is sesame" the last word. Pure.

use crate::secrets::named_in_text::trim_sentence;
use crate::text::tokenize::{Word, as_typed, words};

/// Words of an answer before the secret.
const LEAD: &str = "the my our your a an this that here please use try enter type just for it it's its password passcode \
    passphrase code pin key token secret login ok okay sure yes of course пароль паролем пароля код кодом пін ключ секрет \
    мій моя моє наш це ось так звісно будь ласка введи використай впиши тримай для входу сайту";
/// Words and marks directly before it.
const JOINTS: &str =
    "is are = : - – — it's use try enter type це є буде ось введи використай впиши тримай here's";

/// Returns the secret of an answer that says more than it; `None` if the whole answer may be the secret.
pub fn secret_of_answer(answer: &str) -> Option<String> {
    let words = words(answer.trim());
    let is_lead = |word: &Word| !word.quoted && (is_listed(word, LEAD) || is_joint(word));
    let lead = words.iter().take_while(|word| is_lead(word)).count().min(words.len().saturating_sub(1));
    let begins = words.get(..lead)?.last().is_some_and(is_joint);
    let (first, rest) = words.get(lead..)?.split_first().filter(|_| begins)?;
    if first.quoted {
        return Some(first.text.clone());
    }
    // "sesame, thanks"; several words may be a phrase that is the secret.
    let goes_on = rest.first().is_some_and(|word| is_listed(word, "and for then і та й для"));
    let ends = rest.is_empty() || goes_on || first.text.ends_with([',', '.', ';']);
    let value = if ends { first.text.clone() } else { as_typed(&words[lead..]) };
    Some(trim_sentence(&value).to_owned()).filter(|value| !value.is_empty())
}

fn is_listed(word: &Word, list: &str) -> bool {
    let bare = word.key.trim_end_matches(['=', ':']);
    list.split_whitespace().any(|known| known == bare)
}

fn is_joint(word: &Word) -> bool {
    let ends_in_mark = || is_listed(word, LEAD) && word.text.ends_with([':', '=']);
    !word.quoted
        && (is_listed(word, JOINTS) || JOINTS.split(' ').any(|mark| mark == word.text) || ends_in_mark())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_secret_of_a_sentence_is_its_last_word() {
        for (answer, secret) in [
            ("The password is Lamp-4417-blue", Some("Lamp-4417-blue")),
            ("The password is sesame.", Some("sesame")),
            ("it's sesame, thanks", Some("sesame")),
            ("Password: sesame", Some("sesame")),
            ("my password is correct horse battery", Some("correct horse battery")),
            ("use \"open sesame\"", Some("open sesame")),
            ("The code is 482100", Some("482100")),
            ("Пароль: сезам", Some("сезам")),
            ("пароль — Lamp-4417-blue", Some("Lamp-4417-blue")),
            ("Це сезам", Some("сезам")),
            ("sesame", None),
            ("correct horse battery", None),
            ("the secret", None),
            ("password", None),
            ("is", None),
            ("p@ss: w0rd", None),
        ] {
            assert_eq!(secret_of_answer(answer).as_deref(), secret, "{answer}");
        }
    }
}
