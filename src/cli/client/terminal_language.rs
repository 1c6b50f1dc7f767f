//! Language of the terminal, for messages and for requests to the service.

use crate::protocol::{Locale, Status};
use crate::texts::terminal::word_name;
use std::sync::LazyLock;

#[expect(clippy::disallowed_methods, reason = "the terminal's language is read here, once")]
static TERMINAL_LOCALE: LazyLock<Locale> =
    LazyLock::new(|| locale_of_environment(|name| std::env::var(name).ok()));

/// Returns the language that the environment names, English by default.
pub fn terminal() -> Locale {
    if cfg!(test) { Locale::En } else { *TERMINAL_LOCALE }
}

/// Reads LC_ALL before LC_MESSAGES before LANG, as POSIX does; an empty variable counts as unset.
fn locale_of_environment(read: impl Fn(&str) -> Option<String>) -> Locale {
    let set = |name: &&str| read(name).filter(|value| !value.is_empty());
    let named = ["LC_ALL", "LC_MESSAGES", "LANG"].iter().find_map(set);
    named.map_or(Locale::En, |tag| Locale::from_tag(&tag))
}

/// Returns a status as text for people.
pub fn status(status: Status, locale: Locale) -> &'static str {
    word_name(status.word(), locale)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_language_is_that_of_the_first_variable_that_is_set() {
        let language = |set: &[(&str, &str)]| {
            locale_of_environment(|name| {
                set.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
            })
        };
        assert_eq!(language(&[]), Locale::En);
        assert_eq!(language(&[("LANG", "uk_UA.UTF-8")]), Locale::Uk);
        assert_eq!(language(&[("LANG", "uk_UA.UTF-8"), ("LC_ALL", "C")]), Locale::En);
        assert_eq!(
            language(&[("LANG", "uk_UA.UTF-8"), ("LC_ALL", ""), ("LC_MESSAGES", "POSIX")]),
            Locale::En
        );
        assert_eq!(language(&[("LANG", "C.UTF-8"), ("LC_MESSAGES", "uk_UA")]), Locale::Uk);
        assert_eq!(language(&[("LANG", "de_DE.UTF-8")]), Locale::En);
    }
}
