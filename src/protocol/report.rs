//! How the report begins of what changed on a page while a person had it. By that it is known again among
//! a run's messages: it is no order, and nobody said it.

use super::Locale;

const UK: &str = "Людина повернула сторінку;";
const EN: &str = "The person handed the page back;";

pub fn opening(locale: Locale) -> &'static str {
    locale.pick(UK, EN)
}

pub fn is_report(message: &str) -> bool {
    [UK, EN].into_iter().any(|opening| message.starts_with(opening))
}
