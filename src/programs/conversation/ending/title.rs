//! The title of a conversation in lists: the subject of its task rather than its first command. It consists
//! of the person's own words and of page titles, so it needs no translation. Pure.

use crate::command_planner::grammar::subject::{CommandsSubject, commands_subject, without_opening};
use crate::programs::conversation::state::turn::turn_progress::ObservationSummary;
use crate::text::invisible_chars::is_invisible;
use crate::text::truncate::one_line;
use crate::turn::typed_secret;

/// Longest title, in characters.
const MAX_TITLE_CHARS: usize = 80;
/// Longest title made from a goal in free words, in characters.
const GOAL: usize = 64;
/// Separator between the parts of a title.
const SEPARATOR: &str = " · ";
/// Separators that pages put between their own name and that of their site.
const TITLE_SEPARATORS: [&str; 9] = [" · ", " | ", " — ", " – ", " - ", " :: ", " • ", " » ", " / "];
/// Page titles that say nothing about a task, without numbers.
const GENERIC_NAMES: [&str; 54] = [
    "home",
    "homepage",
    "welcome",
    "start",
    "index",
    "untitled",
    "new tab",
    "loading",
    "loading…",
    "just a moment…",
    "just a moment...",
    "error",
    "not found",
    "page not found",
    "access denied",
    "forbidden",
    "sign in",
    "log in",
    "login",
    "signin",
    "sign up",
    "register",
    "search",
    "cart",
    "basket",
    "your cart",
    "shopping cart",
    "checkout",
    "order",
    "thank you",
    "account",
    "dashboard",
    "головна",
    "ласкаво просимо",
    "початок",
    "без назви",
    "завантаження",
    "помилка",
    "не знайдено",
    "сторінку не знайдено",
    "доступ заборонено",
    "вхід",
    "увійти",
    "реєстрація",
    "пошук",
    "кошик",
    "ваш кошик",
    "оформлення",
    "оформлення замовлення",
    "замовлення",
    "дякуємо",
    "обліковий запис",
    "кабінет",
    "about:blank",
];

/// Beginnings of such titles: greetings and sign-in pages add the name of the site or of the person.
const GREETINGS: [&str; 14] = [
    "welcome to ",
    "welcome back",
    "welcome, ",
    "hello",
    "sign in ",
    "log in ",
    "login ",
    "sign up ",
    "з поверненням",
    "вітаємо",
    "ласкаво просимо ",
    "увійдіть",
    "вхід ",
    "реєстрація ",
];

/// Returns the title before any page was seen, from the first message.
pub fn opening_title(message: &str) -> String {
    let message = typed_secret::mask_placeholders(message);
    match commands_subject(&message) {
        Some(CommandsSubject { site: Some(site), order: Some(order) }) => {
            join_name_and_site(&capitalize(&order), &site)
        }
        Some(CommandsSubject { order: Some(order), .. }) => cut_at_word(&capitalize(&order), MAX_TITLE_CHARS),
        Some(CommandsSubject { site: Some(site), .. }) => site,
        Some(CommandsSubject { .. }) => cut_at_word(&capitalize(&message), MAX_TITLE_CHARS),
        None => goal(&message),
    }
}

/// Returns a new title from the page, for plain commands, if it says more than the current one.
pub fn title_after(message: &str, observation: &ObservationSummary, current: &str) -> Option<String> {
    let message = typed_secret::mask_placeholders(message);
    let subject = commands_subject(&message);
    subject.as_ref()?;
    let page = PageName::from_observation(observation)?;
    let first = opening_title(&message);
    let is_first = current == first;
    // The action says more than the page; only the name of the site is better known now.
    if let Some(CommandsSubject { order: Some(order), site: _ }) = &subject {
        let site = page.site.unwrap_or(page.name);
        return is_first
            .then(|| join_name_and_site(&capitalize(order), &site))
            .filter(|title| title != current);
    }
    let is_in_title = current.to_lowercase().contains(&page.name.to_lowercase());
    let title = match (is_first, page.is_generic()) {
        (true, true) => Some(page.site.unwrap_or(page.name)),
        (true, false) => Some(page.title()),
        (false, is_generic) => (!is_in_title && !is_generic).then(|| page.title()),
    };
    title.filter(|title| title != current)
}

/// Returns the first words of a goal, with addresses shortened to their hosts.
fn goal(message: &str) -> String {
    let rest = without_opening(message.trim());
    let words: Vec<String> = rest.split_whitespace().map(strip_address).collect();
    capitalize(&cut_at_word(&words.join(" "), GOAL))
}

/// The text with its first letter in upper case.
fn capitalize(text: &str) -> String {
    let mut letters = text.chars();
    let first: String = letters.next().map(|c| c.to_uppercase().collect()).unwrap_or_default();
    first + letters.as_str()
}

/// Shortens `https://www.shop.test/lamps?x=1` to `shop.test`; returns other words unchanged.
fn strip_address(word: &str) -> String {
    let host = url::Url::parse(word).ok().filter(|_| word.contains("://"));
    let host = host.and_then(|url| url.host_str().map(|host| host.trim_start_matches("www.").to_owned()));
    host.unwrap_or_else(|| word.to_owned())
}

/// The title of a page, split into its own name and that of its site.
struct PageName {
    name: String,
    site: Option<String>,
}

impl PageName {
    fn from_observation(observation: &ObservationSummary) -> Option<Self> {
        let page_title = visible_line(&observation.title);
        // Chromium's own error page says nothing about the task.
        if observation.url.starts_with("chrome-error:") {
            return None;
        }
        let host = url::Url::parse(&observation.url).ok().and_then(|url| match url.host()? {
            url::Host::Domain(host) => Some(host.trim_start_matches("www.").to_owned()),
            // A numeric address says nothing to people.
            url::Host::Ipv4(_) | url::Host::Ipv6(_) => None,
        });
        if page_title.is_empty() {
            return None;
        }
        let separator = TITLE_SEPARATORS
            .iter()
            .filter_map(|separator| page_title.rfind(separator).map(|at| (at, *separator)))
            .max();
        if let Some((at, separator)) = separator {
            let (name, site) = (page_title[..at].trim(), page_title[at + separator.len()..].trim());
            return Some(Self { name: name.to_owned(), site: Some(site.to_owned()) });
        }
        let label = host.as_deref().and_then(|host| host.split('.').next()).unwrap_or_default();
        let tells_site = !label.is_empty() && page_title.to_lowercase().contains(&label.to_lowercase());
        Some(Self { name: page_title, site: host.filter(|_| !tells_site) })
    }

    fn is_generic(&self) -> bool {
        let name = self.name.to_lowercase();
        let words = name.split(|c: char| c.is_whitespace() || matches!(c, '#' | '№' | ':' | ','));
        let meaningful = words.filter(|word| !word.is_empty() && !word.chars().all(|c| c.is_ascii_digit()));
        let meaningful = meaningful.collect::<Vec<_>>().join(" ");
        meaningful.is_empty()
            || GENERIC_NAMES.contains(&meaningful.as_str())
            || GREETINGS.iter().any(|greeting| name.starts_with(greeting))
    }

    fn title(&self) -> String {
        match &self.site {
            Some(site) => join_name_and_site(&self.name, site),
            None => cut_at_word(&self.name, MAX_TITLE_CHARS),
        }
    }
}

/// Joins both parts; a long name is cut at its end, never the site.
fn join_name_and_site(name: &str, site: &str) -> String {
    let site = cut_at_word(site, MAX_TITLE_CHARS / 2);
    let max_chars = MAX_TITLE_CHARS.saturating_sub(site.chars().count() + SEPARATOR.chars().count());
    format!("{}{SEPARATOR}{site}", cut_at_word(name, max_chars))
}

/// Returns the text on one line, without invisible characters.
fn visible_line(text: &str) -> String {
    let visible: String =
        text.chars().map(|c| if c.is_control() { ' ' } else { c }).filter(|c| !is_invisible(*c)).collect();
    one_line(&visible)
}

/// Returns one line of at most `most` characters, cut after a whole word if possible.
pub fn cut_at_word(text: &str, most: usize) -> String {
    let line = visible_line(text);
    let Some((end, _)) = line.char_indices().nth(most) else { return line };
    let head = &line[..end];
    let complete_words = if line[end..].starts_with(' ') {
        head
    } else {
        head.rsplit_once(' ').map_or(head, |(complete_words, _)| complete_words)
    };
    format!("{}…", complete_words.trim_end_matches([' ', ',', '.', ';', ':', '-', '–', '—']))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(title: &str, url: &str) -> ObservationSummary {
        ObservationSummary {
            number: 1,
            url: url.to_owned(),
            title: title.to_owned(),
            ..ObservationSummary::default()
        }
    }

    #[test]
    fn a_title_says_what_the_task_is_about_before_any_page_is_seen() {
        for (message, title) in [
            ("open shop.test/lamps", "shop.test"),
            ("відкрий shop.test", "shop.test"),
            ("open http://127.0.0.1:8787/demo/\nread", "127.0.0.1:8787"),
            ("open shop.test; type lamp into Search; click Buy now", "Click Buy now · shop.test"),
            ("відкрий shop.test; впиши 2 в поле Кількість; натисни «Купити»", "Натисни «Купити» · shop.test"),
            ("open shop.test; type Ann into Name", "Type Ann into Name · shop.test"),
            ("click Buy", "Click Buy"),
            ("buy the cheapest blue lamp", "Buy the cheapest blue lamp"),
            ("купи найдешевшу синю лампу", "Купи найдешевшу синю лампу"),
            (
                "find every lamp that costs less than forty and compare the three best of them in a table",
                "Find every lamp that costs less than forty and compare the three…",
            ),
            (
                "compare https://www.shop.test/lamps?x=1 with example.com",
                "Compare shop.test with example.com",
            ),
            ("two\nlines of a goal", "Two lines of a goal"),
            ("", ""),
        ] {
            assert_eq!(opening_title(message), title, "{message:?}");
        }
    }

    #[test]
    fn secrets_are_not_in_titles() {
        assert_eq!(
            opening_title("my password is <typed:3fa9c1>, sign me up"),
            "My password is ••••, sign me up"
        );
    }

    #[test]
    fn titles_of_acting_commands_name_the_action_and_the_site() {
        let commands = "open shop.test; click Lamp Zoria; click Add to cart";
        let first = opening_title(commands);
        assert_eq!(first, "Click Add to cart · shop.test");
        let page = seen("Welcome back · Svitlo", "http://127.0.0.1/x");
        let second = title_after(commands, &page, &first).unwrap();
        assert_eq!(second, "Click Add to cart · Svitlo");
        // It stays, wherever the task leads.
        assert_eq!(title_after(commands, &seen("Lamp Zoria · Svitlo", "http://127.0.0.1/x"), &second), None);
        let login = "open http://127.0.0.1:1/demo/; click Sign in";
        let page = seen("Catalogue", "http://127.0.0.1:1/demo/");
        assert_eq!(title_after(login, &page, &opening_title(login)).unwrap(), "Click Sign in · Catalogue");
    }

    #[test]
    fn titles_of_looking_commands_name_the_page() {
        let orders = "open shop.test; scroll down; read";
        let first = opening_title(orders);
        for (title, url, current, next) in [
            ("Lamp Zoria · Demo shop", "http://127.0.0.1/x", first.as_str(), Some("Lamp Zoria · Demo shop")),
            ("Lamp Zoria | Shop", "https://shop.test/", "Lamps · Shop", Some("Lamp Zoria · Shop")),
            ("Lamp Zoria", "https://www.shop.test/z", first.as_str(), Some("Lamp Zoria · shop.test")),
            ("Lamp Zoria", "http://127.0.0.1:99/z", first.as_str(), Some("Lamp Zoria")),
            ("Example Domain", "https://example.com/", first.as_str(), Some("Example Domain")),
            // Pages that every shop has say less than the current title.
            ("Cart · Demo shop", "http://127.0.0.1/c", "Lamp Zoria · Demo shop", None),
            ("Замовлення № 1001 · Крамниця", "http://a.test/", "Лампа · Крамниця", None),
            ("Demo shop", "http://127.0.0.1/", "Lamp Zoria · Demo shop", None),
            ("404", "http://a.test/", "Lamp Zoria · Demo shop", None),
            ("Welcome back, Ann · Demo shop", "http://127.0.0.1/c", "Lamp Zoria · Demo shop", None),
            // At the beginning, the name of the site says more than the command.
            ("Cart · Demo shop", "http://127.0.0.1/c", first.as_str(), Some("Demo shop")),
            ("Welcome back · Svitlo", "http://127.0.0.1/c", first.as_str(), Some("Svitlo")),
            ("Увійдіть до Крамниці", "http://127.0.0.1/c", first.as_str(), Some("Увійдіть до Крамниці")),
            ("Lamp Zoria · Demo shop", "http://127.0.0.1/x", "Demo shop", Some("Lamp Zoria · Demo shop")),
            ("", "http://a.test/", first.as_str(), None),
            ("127.0.0.1", "chrome-error://chromewebdata/", first.as_str(), None),
            ("A\u{202e}\n  b - C", "http://a.test/", first.as_str(), Some("A b · C")),
        ] {
            assert_eq!(
                title_after(orders, &seen(title, url), current).as_deref(),
                next,
                "{title:?} {current:?}"
            );
        }
    }

    #[test]
    fn the_title_of_a_free_text_goal_is_its_text() {
        let page = seen("Lamp Zoria · Demo shop", "https://shop.test/");
        assert_eq!(title_after("buy the cheapest blue lamp", &page, "Buy the cheapest blue lamp"), None);
    }

    #[test]
    fn long_titles_end_after_a_word() {
        assert_eq!(cut_at_word("one two three", 9), "one two…");
        assert_eq!(cut_at_word("one two three", 7), "one two…");
        assert_eq!(cut_at_word("onetwothree", 5), "onetw…");
        let long = "слово ".repeat(40);
        let title =
            title_after("open a.test", &seen(&format!("{long}| Shop"), "http://a.test/"), "a.test").unwrap();
        assert!(title.chars().count() <= MAX_TITLE_CHARS + 1 && title.ends_with("слово… · Shop"), "{title}");
    }
}
