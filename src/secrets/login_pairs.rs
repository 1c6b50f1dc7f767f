//! Finds passwords that stand beside a login without being named: `Login: anna, Lamp-44`, `(anna / Lamp-44)`, `sign in as
//! anna / Lamp-44`. Pure.

use crate::secrets::named_in_text::{looks_secret, trim_sentence};
use crate::text::tokenize::{Word, words};

/// Words that denote a login, before a colon or directly before the pair.
const LOGINS: &str = "login logins username user credentials creds account логін логіну користувач обліковка доступ \
    доступи вхід креди";
/// Words between the verb of signing in and the pair.
const AS: &str = "as with using як під з із через";
/// Verbs of signing in, or their last word.
const SIGN_IN: &str = "in log-in login signin sign увійди увійдіть увійти зайди зайдіть зайти авторизуйся логінься \
    залогінься";
/// Shortest password of a pair, and the shortest that needs no word of a login before it, in characters.
const SHORTEST: usize = 4;
const SHORTEST_ALONE: usize = 8;

/// Returns the passwords of all pairs in a text.
pub fn paired_secrets(text: &str) -> Vec<String> {
    let words = words(text);
    (0..words.len()).filter_map(|at| pair_at(&words, at)).collect()
}

/// Returns the password of the pair whose login is the word at this place.
fn pair_at(words: &[Word], at: usize) -> Option<String> {
    let login = words.get(at)?;
    let is_announced = follows_login_word(words, at);
    let in_brackets = login.text.starts_with('(');
    if !(is_announced || in_brackets) || login.quoted {
        return None;
    }
    let bare = login.text.trim_start_matches('(');
    let (name, password) = match split_glued(bare) {
        Some((name, password)) => (name, trim_sentence(password).to_owned()),
        None => (bare.trim_end_matches([',', ';', '/']), password_after(words, at, bare)?),
    };
    let shortest = if is_announced { SHORTEST } else { SHORTEST_ALONE };
    let has_letter = || password.chars().any(char::is_alphabetic);
    let is_password = is_like_password(&password, shortest) && (is_announced || has_letter());
    (is_login(name) && is_password).then_some(password)
}

/// Splits `anna/Lamp-44` and `anna:Lamp-44`, but no address and no path.
fn split_glued(text: &str) -> Option<(&str, &str)> {
    let (name, password) = text.split_once(['/', ':'])?;
    let is_pair = !name.is_empty() && !password.is_empty() && !password.contains('/');
    is_pair.then_some((name, password))
}

/// Returns what follows a login after a comma or a slash.
fn password_after(words: &[Word], at: usize, login: &str) -> Option<String> {
    let next = words.get(at + 1)?;
    let is_sign = !next.quoted && matches!(next.text.as_str(), "/" | "|" | "-" | "–" | "—" | ",");
    let value = match (login.ends_with([',', '/', ';']), is_sign) {
        (true, false) => next,
        (false, true) => words.get(at + 2)?,
        (true, true) | (false, false) => return None,
    };
    Some(if value.quoted { value.text.clone() } else { trim_sentence(&value.text).to_owned() })
}

fn follows_login_word(words: &[Word], at: usize) -> bool {
    let before = |steps: usize| at.checked_sub(steps).and_then(|at| words.get(at));
    let is_in = |word: Option<&Word>, list: &str| {
        word.is_some_and(|word| !word.quoted && list.split_whitespace().any(|known| bare_key(word) == known))
    };
    let signs_in = || is_in(before(1), AS) && is_in(before(2), SIGN_IN);
    is_in(before(1), LOGINS) || signs_in()
}

fn bare_key(word: &Word) -> &str {
    word.key.trim_matches(['(', ')', ':', '='])
}

/// True for a name by which somebody signs in: one word of small letters, or an address of mail.
fn is_login(name: &str) -> bool {
    let is_letter = |c: char| c.is_lowercase() || c.is_ascii_digit() || matches!(c, '.' | '_' | '-');
    let is_mail = name.contains('@') && !name.contains(':');
    let is_name = name.chars().all(is_letter) && name.starts_with(char::is_lowercase);
    name.chars().count() >= 2 && (is_mail || is_name)
}

fn is_like_password(text: &str, shortest: usize) -> bool {
    let has_digit = text.chars().any(|c| c.is_ascii_digit());
    let is_date = text.chars().all(|c| c.is_ascii_digit() || matches!(c, '.' | '-' | ':' | ','))
        && text.contains(['.', '-', ':', ',']);
    let is_address = text.contains("://") || text.contains('@') || text.starts_with('/');
    text.chars().count() >= shortest && (looks_secret(text) || has_digit) && !is_date && !is_address
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passwords_beside_logins_are_found() {
        for (text, secret) in [
            ("Login: anna, Lamp-4417-blue. Delete both documents.", "Lamp-4417-blue"),
            ("Open the site (anna / Lamp-4417-blue) and set the time zone", "Lamp-4417-blue"),
            ("Увійди на сайт (anna / Lamp-4417-blue) і зміни тему", "Lamp-4417-blue"),
            ("Логін: anna, Lamp-4417-blue", "Lamp-4417-blue"),
            ("login anna / qwerty7 then open Pages", "qwerty7"),
            ("sign in as anna / Tr0ub4dor, then read", "Tr0ub4dor"),
            ("log in with anna:Tr0ub4dor and read", "Tr0ub4dor"),
            ("увійди як olena / сезам77", "сезам77"),
            ("credentials: anna@shop.test, 482100", "482100"),
            ("(anna/Lamp-4417-blue): how many pages?", "Lamp-4417-blue"),
        ] {
            assert_eq!(paired_secrets(text), [secret], "{text}");
        }
    }

    #[test]
    fn other_pairs_stay_readable() {
        for text in [
            "the password field (login / password)",
            "Login: anna, then open the pages",
            "open the page (http://pages.example/admin/reports-2026)",
            "compare the sizes (small / medium)",
            "open the file (src/main.rs)",
            "it is open all week (24/7)",
            "sign in as anna, then delete it",
            "account 12, 2026-11-28",
            "user anna, role editor",
            "the user olena, born 12.03.1990",
            "click Login, wait 5000 ms",
            "Accounts (name / e-mail)",
            "log in with Google / Facebook",
        ] {
            assert_eq!(paired_secrets(text), Vec::<String>::new(), "{text}");
        }
    }
}
