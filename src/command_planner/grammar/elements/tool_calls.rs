//! Calls of a page's tools: `call the tool search with city: "New York", days: 3`.

use crate::command_planner::grammar::command::CommandAction;
use crate::text::tokenize::{Word, name};

const WITH: &[&str] = &["with", "using", "and", "з", "зі", "із", "та", "і", "й"];

/// Parses the name of a tool and its arguments; `None` if there is no name.
pub fn parse_tool_call(rest: &[Word]) -> Option<CommandAction> {
    let first = rest.iter().position(|word| begins_argument(word).is_some()).unwrap_or(rest.len());
    let named: Vec<Word> = rest[..first].iter().filter(|word| !word.is_any(WITH)).cloned().collect();
    let tool = name(&named);
    (!tool.is_empty()).then(|| CommandAction::Tool { name: tool, arguments: parse_arguments(&rest[first..]) })
}

/// Reads `name: value` and `name=value`; a value ends where the next name stands.
fn parse_arguments(words: &[Word]) -> Vec<(String, String)> {
    let mut found: Vec<(String, Vec<Word>)> = Vec::new();
    for word in words {
        match (begins_argument(word), found.last_mut()) {
            (Some((name, value)), _) => {
                let value = value.map(|value| Word { text: value.to_owned(), ..word.clone() });
                found.push((name.to_owned(), Vec::from_iter(value)));
            }
            (None, Some((_, value))) if !(word.is_any(WITH) && value.iter().any(|part| part.quoted)) => {
                value.push(word.clone());
            }
            (None, _) => {}
        }
    }
    found.into_iter().map(|(argument, value)| (argument, value_text(&value))).collect()
}

/// Returns the name of the argument that a word begins, and the value if that stands in the word too.
fn begins_argument(word: &Word) -> Option<(&str, Option<&str>)> {
    if word.quoted {
        return None;
    }
    let (name, value) = word.text.split_once(['=', ':'])?;
    let is_name =
        !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.'));
    let is_address = value.starts_with("//");
    (is_name && !is_address).then_some((name, Some(value).filter(|value| !value.is_empty())))
}

/// Joins the words of a value as typed, without the comma before the next argument.
fn value_text(words: &[Word]) -> String {
    if let [only] = words
        && only.quoted
    {
        return only.text.clone();
    }
    let text = words.iter().map(|word| word.text.as_str()).collect::<Vec<_>>().join(" ");
    text.trim_end_matches([',', '.']).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::tokenize::words;

    fn call(text: &str) -> Option<(String, Vec<(String, String)>)> {
        match parse_tool_call(&words(text))? {
            CommandAction::Tool { name, arguments } => Some((name, arguments)),
            _ => None,
        }
    }

    #[test]
    fn names_and_arguments_are_told_apart() {
        let pairs = |list: &[(&str, &str)]| -> Vec<(String, String)> {
            list.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
        };
        for (text, name, arguments) in [
            ("search", "search", vec![]),
            ("add_to_cart with id=7, count: 2", "add_to_cart", pairs(&[("id", "7"), ("count", "2")])),
            (
                "search flights with from: \"New York\" and to: Kyiv",
                "search flights",
                pairs(&[("from", "New York"), ("to", "Kyiv")]),
            ),
            ("«знайти» з місто: Нова Каховка", "знайти", pairs(&[("місто", "Нова Каховка")])),
            ("open_page with url=https://a.test/?q=1", "open_page", pairs(&[("url", "https://a.test/?q=1")])),
        ] {
            assert_eq!(call(text), Some((name.to_owned(), arguments)), "{text}");
        }
        assert_eq!(call(""), None);
    }
}
