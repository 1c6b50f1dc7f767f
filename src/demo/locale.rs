//! The two languages of the shop: the choice between them, and the texts of `demo/locales/`.

use crate::demo::embedded::Files;
use serde_json::Value;
use std::sync::LazyLock;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lang {
    Uk,
    En,
}

impl Lang {
    pub fn parse(code: &str) -> Option<Self> {
        match code {
            "uk" => Some(Self::Uk),
            "en" => Some(Self::En),
            _ => None,
        }
    }

    pub fn code(self) -> &'static str {
        match self {
            Self::Uk => "uk",
            Self::En => "en",
        }
    }

    pub fn other(self) -> Self {
        match self {
            Self::Uk => Self::En,
            Self::En => Self::Uk,
        }
    }

    /// Chooses the language: from the URL, else the cookie, else `Accept-Language`, else English.
    pub fn choose(query: Option<&str>, cookie: Option<&str>, accept: Option<&str>) -> Self {
        let named = query.and_then(Self::parse).or_else(|| cookie.and_then(Self::parse));
        named.or_else(|| accept.and_then(Self::from_accept_language)).unwrap_or(Self::En)
    }

    /// Returns the preferred supported language in an `Accept-Language` header.
    fn from_accept_language(header: &str) -> Option<Self> {
        let ranges = header.split(',').filter_map(|range| {
            let (tag, weight) = range.split_once(';').unwrap_or((range, "q=1"));
            let weight: f32 = weight.trim().strip_prefix("q=")?.parse().ok()?;
            let language = tag.trim().split('-').next()?.to_ascii_lowercase();
            Some((weight, Self::parse(&language)?)).filter(|(weight, _)| *weight > 0.0)
        });
        // Among equal weights the first wins.
        ranges.reduce(|best, next| if next.0 > best.0 { next } else { best }).map(|(_, lang)| lang)
    }

    /// Returns all texts, which templates see as `t`.
    pub fn texts(self) -> &'static Value {
        static UK: LazyLock<Value> = LazyLock::new(|| read("locales/uk.json"));
        static EN: LazyLock<Value> = LazyLock::new(|| read("locales/en.json"));
        match self {
            Self::Uk => &UK,
            Self::En => &EN,
        }
    }

    /// Returns the text at a path such as `"cart.empty"`, or the path itself if there is none.
    pub fn text(self, path: &str) -> String {
        let found = path.split('.').try_fold(self.texts(), |at, key| at.get(key));
        found.and_then(Value::as_str).unwrap_or(path).to_owned()
    }

    /// Returns a group of texts, such as the options of a select, in the order of the keys.
    pub fn options(self, group: &str, keys: &[&'static str]) -> Vec<(&'static str, String)> {
        keys.iter().map(|key| (*key, self.text(&format!("{group}.{key}")))).collect()
    }

    /// Formats an amount in hryvnias: `1 290 ₴` or `₴1,290`.
    pub fn money(self, amount: u32) -> String {
        let digits = amount.to_string();
        let mut grouped = String::new();
        for (at, digit) in digits.chars().enumerate() {
            if at > 0 && (digits.len() - at).is_multiple_of(3) {
                grouped.push(if self == Self::Uk { '\u{a0}' } else { ',' });
            }
            grouped.push(digit);
        }
        match self {
            Self::Uk => format!("{grouped}\u{a0}₴"),
            Self::En => format!("₴{grouped}"),
        }
    }
}

fn read(path: &str) -> Value {
    let file = Files::get(path).map(|file| file.data).unwrap_or_default();
    serde_json::from_slice(&file).unwrap_or_else(|error| {
        tracing::error!(%path, %error, "the shop's texts cannot be read");
        Value::Null
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn language_follows_address_then_cookie_then_browser() {
        let accepted = [
            (None, Lang::En),
            (Some("uk-UA,uk;q=0.9"), Lang::Uk),
            (Some("ru,uk;q=0.5"), Lang::Uk),
            (Some("ru"), Lang::En),
            (Some("en-US,uk;q=0.5"), Lang::En),
            (Some("*"), Lang::En),
            (Some("ї"), Lang::En),
        ];
        for (accept, expected) in accepted {
            assert_eq!(Lang::choose(None, None, accept), expected, "{accept:?}");
        }
        assert_eq!(Lang::choose(Some("en"), Some("uk"), None), Lang::En);
        assert_eq!(Lang::choose(Some("xx"), Some("en"), Some("uk")), Lang::En);
    }

    #[test]
    fn both_languages_have_the_same_texts() {
        fn paths(value: &Value, at: &str, all: &mut Vec<String>) {
            match value {
                Value::Object(map) => {
                    map.iter().for_each(|(key, inner)| paths(inner, &format!("{at}.{key}"), all));
                }
                Value::Array(list) => {
                    list.iter().enumerate().for_each(|(n, inner)| paths(inner, &format!("{at}.{n}"), all));
                }
                _ => all.push(at.to_owned()),
            }
        }
        let mut both = [Vec::new(), Vec::new()];
        paths(Lang::Uk.texts(), "", &mut both[0]);
        paths(Lang::En.texts(), "", &mut both[1]);
        assert!(both[0].len() > 250);
        assert_eq!(both[0], both[1]);
    }

    #[test]
    fn money_is_grouped_as_each_language_does() {
        assert_eq!(Lang::Uk.money(1290), "1\u{a0}290\u{a0}₴");
        assert_eq!(Lang::En.money(1_234_567), "₴1,234,567");
        assert_eq!(Lang::En.money(90), "₴90");
    }
}
