//! Finds secrets that a person names explicitly: `pass: hunter2`, `сезам — мій пароль`, `use hunter2 as the
//! password`. Hiding one word too many is better than one too few, but plain commands stay readable. Pure.

use crate::text::tokenize::{Word, words};
use crate::turn::typed_secret;

const NOUNS: &str = "password passwords passcode passphrase passwd pwd pw pin pin-code cvv cvc cvv2 cvc2 otp \
    пароль паролем паролю пароля паролі пін пін-код піном пін-кодом";
/// Words that denote a secret only before a colon, or in "my … is".
const WEAK: &str = "pass secret token секрет токен";
/// Pairs of words that denote a secret.
const PAIRS: [(&str, &str); 12] = [
    ("api", "key"),
    ("api", "token"),
    ("access", "key"),
    ("secret", "key"),
    ("access", "code"),
    ("access", "token"),
    ("code", "word"),
    ("код", "доступу"),
    ("кодове", "слово"),
    ("ключ", "api"),
    ("ключ", "доступу"),
    ("секретне", "слово"),
];
const IS: &str = "is це є буде was = equals дорівнює";
const MARKS: [&str; 5] = [":", "=", "—", "–", "-"];
const WITH: &str = "with using and з із та і";
const OWN: &str = "my the a an our your his her new account мій моя моє наш його її новий";
/// Prepositions between the noun and the account that it belongs to.
const OF: &str = "for of to on для від до у в на";
const INTO: &str = "in into to у в до as";
const FIELD: &str = "field box input поле полі the";
const THEN: &str = "then and потім і та далі тоді";
const PUTS: &str = "type enter put write input paste drop throw stick use set впиши введи напиши встав вставте кинь \
    надрукуй вкажи постав введіть впишіть використай";
/// Words next to the noun that are never values.
const NO_VALUE: &str = "field box reset link button manager page form and or then in into to for on is поле кнопку \
    сторінку та і й або потім в у до на для з із не not what which this that it there here where who why how if \
    whether login email user username name my your the a new old any something same що це який яке цей той тут там \
    якщо чи логін пошта пошту ім'я свій мій його її новий старий той such value значення wrong";
/// Words that describe the state of a password.
const STATES: &str = "required wrong weak strong correct incorrect needed too shown hidden visible empty secret ok \
    okay missing invalid valid expired optional safe right changed asked saved known unknown case protected policy policies \
    recovery change rules length strength hint below above attached provided separately later unchanged same default \
    none only потрібен потрібний захищено захищений захищена нижче вище окремо пізніше підказка відновлення зміна \
    неправильний правильний слабкий сильний порожній видно прихований обов'язковий невірний вірний застарів";
/// Shorter words are never values.
const SHORTEST: usize = 3;

/// Returns every value that a text names as a secret.
pub fn explicit_secrets(text: &str) -> Vec<String> {
    let words = words(&separate_assignments(text));
    let mut found = Vec::new();
    for at in 0..words.len() {
        let Some(noun) = Noun::find_at(&words, at) else { continue };
        let values = [
            noun.value_after(),
            noun.value_of_something(),
            noun.value_typed_then(),
            noun.value_before(),
            noun.value_put_into(),
        ];
        found.extend(values.into_iter().flatten().filter_map(value));
    }
    found
}

/// Splits `pwd=x` into `pwd= x`, so that noun and value are separate words.
fn separate_assignments(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 8);
    for piece in text.split_inclusive(char::is_whitespace) {
        let sign = piece.find([':', '=']).filter(|at| {
            let noun = piece[..*at].trim_start_matches(['(', ',', '"']).to_lowercase();
            is_listed(&noun, NOUNS)
                || is_listed(&noun, WEAK)
                || matches!(noun.as_str(), "key" | "слово" | "доступу")
        });
        match sign {
            Some(at) if !piece[at + 1..].starts_with("//") => {
                out.push_str(&piece[..=at]);
                out.push(' ');
                out.push_str(&piece[at + 1..]);
            }
            Some(_) | None => out.push_str(piece),
        }
    }
    out
}

fn is_listed(word: &str, list: &str) -> bool {
    !word.is_empty() && list.split_whitespace().any(|known| known == word)
}

fn is_in_list(word: &Word, list: &str) -> bool {
    !word.quoted && is_listed(trim_punctuation(word), list)
}

fn trim_punctuation(word: &Word) -> &str {
    if word.key == "=" {
        "="
    } else {
        word.key.trim_start_matches(['(', '[']).trim_end_matches(['=', ':', ')', ']'])
    }
}

fn ends_with_mark(word: &Word) -> bool {
    !word.quoted && word.text.ends_with([':', '='])
}

/// Returns the value without the punctuation of the sentence; `None` if it is too short or a placeholder.
fn value(word: &Word) -> Option<String> {
    let text = if word.quoted { word.text.as_str() } else { trim_sentence(&word.text) };
    let long = text.chars().count() >= SHORTEST;
    (long && typed_secret::placeholders(text).is_empty()).then(|| text.to_owned())
}

/// Returns a value without the punctuation of the sentence behind it. A closing bracket belongs to the value if the
/// opening one does.
pub(super) fn trim_sentence(text: &str) -> &str {
    let mut text = text;
    loop {
        let is_unopened = |open: char, close: char| text.matches(close).count() > text.matches(open).count();
        let rest = match text.chars().next_back() {
            Some(',' | '.' | ';' | ':' | '…') => text.strip_suffix([',', '.', ';', ':', '…']),
            Some(')') if is_unopened('(', ')') => text.strip_suffix(')'),
            Some(']') if is_unopened('[', ']') => text.strip_suffix(']'),
            Some('»' | '”') => text.strip_suffix(['»', '”']),
            // Behind a bracket it ends the sentence, elsewhere it may be part of the value.
            Some('!' | '?') => {
                text.strip_suffix(['!', '?']).filter(|rest| rest.ends_with(')') && is_unopened('(', ')'))
            }
            Some(_) | None => None,
        };
        match rest {
            Some(rest) => text = rest,
            None => return text,
        }
    }
}

/// A noun that denotes a secret, and the words around it.
struct Noun<'a> {
    words: &'a [Word],
    first: usize,
    last: usize,
    strong: bool,
}

impl<'a> Noun<'a> {
    fn find_at(words: &'a [Word], at: usize) -> Option<Self> {
        let word = words.get(at)?;
        let pair = words.get(at + 1).is_some_and(|next| {
            PAIRS
                .iter()
                .any(|(one, two)| is_in_list(word, one) && !next.quoted && trim_punctuation(next) == *two)
        });
        let strong = is_in_list(word, NOUNS);
        (pair || strong || is_in_list(word, WEAK)).then_some(Self {
            words,
            first: at,
            last: at + usize::from(pair),
            strong: pair || strong,
        })
    }

    fn word(&self, at: usize) -> Option<&'a Word> {
        self.words.get(at)
    }

    fn word_before(&self, steps: usize) -> Option<&'a Word> {
        self.words.get(self.first.checked_sub(steps)?)
    }

    fn is_own(&self) -> bool {
        self.word_before(1).is_some_and(|word| is_in_list(word, "my our мій моя моє наш"))
    }

    /// Matches `password: x`, `with password x`, `my secret is x`.
    fn value_after(&self) -> Option<&'a Word> {
        let noun = self.word(self.last)?;
        let next = self.word(self.last + 1)?;
        if ends_with_mark(noun) {
            return Some(next);
        }
        if !next.quoted && MARKS.contains(&next.text.as_str()) {
            return self.word(self.last + 2);
        }
        let plain = is_in_list(next, NO_VALUE) || is_in_list(next, STATES);
        if is_in_list(next, IS) {
            let value = self.word(self.last + 2)?;
            let is_stated = self.is_own() && !is_in_list(value, NO_VALUE) && !is_in_list(value, STATES);
            return (is_stated || (self.strong && (value.quoted || looks_secret(&value.text))))
                .then_some(value);
        }
        let with = trim_punctuation(noun).ends_with("ем")
            || self.word_before(1).is_some_and(|word| is_in_list(word, WITH));
        // "(password sesame)"
        let bracketed = self.word(self.first).is_some_and(|word| word.text.starts_with(['(', '[']))
            && next.text.contains([')', ']'])
            && !noun.text.contains([')', ']']);
        let code = self.last > self.first && trim_punctuation(noun) == "слово";
        let sure = next.quoted || looks_secret(&next.text) || ((with || code || bracketed) && !plain);
        (self.strong && sure).then_some(next)
    }

    /// Matches `password for olena: x`, `пароль від пошти x1`.
    fn value_of_something(&self) -> Option<&'a Word> {
        const FAR: usize = 5;
        if !self.word(self.last + 1).is_some_and(|word| is_in_list(word, OF)) || !self.strong {
            return None;
        }
        for at in self.last + 2..self.last + 2 + FAR {
            let (word, next) = (self.word(at)?, self.word(at + 1)?);
            if next.breaks {
                return None;
            }
            let plain = is_in_list(next, NO_VALUE) || is_in_list(next, STATES);
            if ends_with_mark(word) || (is_in_list(word, IS) && !plain) || MARKS.contains(&word.text.as_str())
            {
                return Some(next);
            }
            if !plain && at == self.last + 2 && (next.quoted || looks_secret(&next.text)) {
                return Some(next);
            }
        }
        None
    }

    /// Matches `Password field: type x`, `click Password then type x`.
    fn value_typed_then(&self) -> Option<&'a Word> {
        let mut at = self.last + 1;
        while self
            .word(at)
            .is_some_and(|word| is_in_list(word, FIELD) || is_in_list(word, THEN) || word.key.is_empty())
        {
            at += 1;
        }
        let verb = self.word(at).filter(|word| is_in_list(word, PUTS))?;
        let value = self.word(at + 1).filter(|word| !is_in_list(word, NO_VALUE) && !word.breaks)?;
        let elsewhere = self.word(at + 2).is_some_and(|word| is_in_list(word, INTO));
        (self.strong && !verb.quoted && !elsewhere).then_some(value)
    }

    /// Matches `x is my password`, `use x as the password`, `x - пароль`.
    fn value_before(&self) -> Option<&'a Word> {
        let mut steps = 1;
        while self.word_before(steps).is_some_and(|word| is_in_list(word, OWN)) {
            steps += 1;
        }
        let joint = self.word_before(steps)?;
        let value = self.word_before(steps + 1)?;
        let sure = value.quoted || looks_secret(&value.text);
        let used = is_in_list(joint, "as як")
            && self.word_before(steps + 2).is_some_and(|word| is_in_list(word, PUTS));
        let named = is_in_list(joint, "is це є") && steps > 1;
        let dash = MARKS[2..].contains(&joint.text.as_str());
        let alone = dash && self.word_before(steps + 2).is_none();
        let joined = used || named || alone || (sure && (dash || is_in_list(joint, "is це є as як")));
        let plain = is_in_list(value, NO_VALUE) || is_in_list(value, STATES) || ends_with_mark(value);
        (self.strong && joined && !plain).then_some(value)
    }

    /// Matches `кинь x у Пароль`, `drop x in the password field`.
    fn value_put_into(&self) -> Option<&'a Word> {
        let mut steps = 1;
        while self.word_before(steps).is_some_and(|word| is_in_list(word, FIELD) || is_in_list(word, OWN)) {
            steps += 1;
        }
        self.word_before(steps).filter(|word| is_in_list(word, INTO))?;
        let value = self.word_before(steps + 1).filter(|word| !is_in_list(word, NO_VALUE))?;
        let put = self.word_before(steps + 2).is_some_and(|word| is_in_list(word, PUTS));
        (self.strong && put).then_some(value)
    }
}

/// True if the text contains a digit, a symbol, or a capital after the first letter.
pub(super) fn looks_secret(text: &str) -> bool {
    let bare = text.trim_end_matches([',', '.', ';', ':', '!', '?', ')']);
    let capital = bare.chars().skip(1).any(char::is_uppercase) && bare.chars().any(char::is_lowercase);
    let sign = |c: char| c.is_ascii_punctuation() && !matches!(c, '-' | '\'' | '/' | '.' | ',');
    bare.chars().any(|c| c.is_ascii_digit() || sign(c)) || capital
}

#[cfg(test)]
mod tests {
    use crate::secrets::detect::secrets;

    // A stored message must not contain these values.
    #[test]
    fn a_secret_is_found_by_any_of_its_names() {
        for (text, secret) in [
            ("log in, pass: sesame", "sesame"),
            ("login: olena, pass: sesame", "sesame"),
            ("pwd=sesame", "sesame"),
            ("log in with pwd=ab=cd9", "ab=cd9"),
            ("pw: sesame", "sesame"),
            ("Password=\"open sesame\"", "open sesame"),
            ("use sesame as the password", "sesame"),
            ("sesame is my password", "sesame"),
            ("сезам це мій пароль", "сезам"),
            ("сезам - пароль", "сезам"),
            ("qwerty12 — мій пароль", "qwerty12"),
            ("the password for my mail is sesame", "sesame"),
            ("пароль для olena: сезам", "сезам"),
            ("пароль від пошти Qwerty12", "Qwerty12"),
            ("Password field: type sesame", "sesame"),
            ("кинь сезам у Пароль", "сезам"),
            ("drop sesame in the password field", "sesame"),
            ("click Password then type sesame", "sesame"),
            ("натисни Password потім впиши сезам", "сезам"),
            ("код доступу 482100", "482100"),
            ("кодове слово сезам", "сезам"),
            ("секрет: сезам", "сезам"),
            ("my secret is sesame", "sesame"),
            ("token: abcdef", "abcdef"),
            ("API key: abcdef", "abcdef"),
            ("API key=abcdef", "abcdef"),
        ] {
            let found = secrets(text);
            assert!(found.iter().any(|value| value == secret), "{text}: {found:?}");
        }
    }

    #[test]
    fn a_value_ends_where_the_sentence_goes_on() {
        for (text, secret) in [
            ("(user anna, password Lamp-4417-blue): how many pages are there?", "Lamp-4417-blue"),
            ("sign in (password Lamp-4417-blue) and move the page", "Lamp-4417-blue"),
            ("(password sesame) open the shop", "sesame"),
            ("with the password Lamp-4417-blue.", "Lamp-4417-blue"),
            ("[password: Lamp-4417-blue], then read", "Lamp-4417-blue"),
            ("my password is ab(1)cd", "ab(1)cd"),
            ("(password Lamp-4417-blue)!", "Lamp-4417-blue"),
            ("password hunter2!", "hunter2!"),
            ("(api key Zx81-77) list the pages", "Zx81-77"),
            ("увійди (користувач anna, пароль Lamp-4417-blue): скільки сторінок?", "Lamp-4417-blue"),
            ("увійди (пароль Lamp-4417-blue), і перенеси сторінку", "Lamp-4417-blue"),
            ("(пароль сезам) відкрий магазин", "сезам"),
            ("пароль «два слова»): далі", "два слова"),
            ("Логін: anna, пароль: Lamp-4417-blue;", "Lamp-4417-blue"),
        ] {
            assert_eq!(secrets(text), [secret], "{text}");
        }
    }

    #[test]
    fn commands_without_secrets_are_unchanged() {
        for text in [
            "what is my password",
            "tell me if this is the password page",
            "click Forgot password then type olena into Login",
            "the password for the shop is required",
            "скинь пароль від пошти",
            "пароль для сайту потрібен",
            "buy a pass to the museum",
            "open https://shop.test/?token=abc",
            "find the secret garden book",
            "pass the test and stop",
            "press the key Enter",
            "explain what a token is",
            "add the item called Password Book to the cart",
            "go to the password reset page",
            "search for api key rotation",
            "натисни Забули пароль",
            "зміни пароль і вийди",
            "the page says that the password is required",
            "look at the form (password field last)",
            "the file (password protected) is on the desk",
            "open the settings (password reset) and read",
            "is there a field for it (password)?",
            "відкрий сторінку (пароль потрібен)",
            "файл (пароль окремо) на столі",
        ] {
            assert_eq!(secrets(text), Vec::<String>::new(), "{text}");
        }
    }
}
