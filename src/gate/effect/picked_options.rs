//! Words of picked options beside the ids that are sent for them: `4711 (Maria)`. Pure.

use crate::gate::wording::normalize::visible_line;
use crate::page::target::{PickedOption, Target};

/// Longest words of an option, in characters.
const LONGEST_WORDS: usize = 80;
/// Shortest value that is known without the name of its field, in characters: a small number may be anything.
const SHORTEST_VALUE: usize = 3;

/// Returns a value as a person is shown it: with the words of the option that was picked for it.
pub fn with_picked_words(target: Option<&Target>, name: &str, value: String) -> String {
    let words = target.and_then(|target| find_words(&target.picked, name, &value));
    match words.map(|words| visible_line(words, LONGEST_WORDS)).filter(|words| !words.is_empty()) {
        Some(words) => format!("{value} ({words})"),
        None => value,
    }
}

/// Returns the words of the option that has this value, by the name of its field, or else if they are the only ones.
fn find_words<'a>(picked: &'a [PickedOption], name: &str, value: &str) -> Option<&'a str> {
    let fits = || picked.iter().filter(|option| option.value == value && !value.is_empty());
    let by_name = fits().rfind(|option| is_same_name(&option.name, name));
    if let Some(option) = by_name {
        return Some(option.words.as_str());
    }
    let is_plain = matches!(value, "true" | "false" | "null" | "none");
    let mut known = fits().filter(|_| value.chars().count() >= SHORTEST_VALUE && !is_plain);
    let first = known.next()?;
    known.all(|option| option.words == first.words).then_some(first.words.as_str())
}

/// Reports whether a value of a request is named like a field: `task.assigneeId` like `assignee`.
fn is_same_name(field: &str, value: &str) -> bool {
    let own = |name: &str| {
        let part = name.rsplit(['.', '[', ']']).find(|part| part.chars().any(char::is_alphabetic));
        let letters: String = part
            .unwrap_or_default()
            .chars()
            .filter(|c| c.is_alphanumeric())
            .flat_map(char::to_lowercase)
            .collect();
        letters.strip_suffix("id").map(str::to_owned).unwrap_or(letters)
    };
    !own(field).is_empty() && own(field) == own(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_shown_with_the_words_of_its_option() {
        let option = |name: &str, value: &str, words: &str| PickedOption {
            name: name.into(),
            value: value.into(),
            words: words.into(),
        };
        let picked = vec![
            option("assignee", "4711", "Maria"),
            option("priority", "2", "High"),
            option("", "u-99", "Olha"),
            option("from", "100", "Kyiv"),
            option("to", "100", "Lviv"),
        ];
        let target = Target { picked, ..Target::default() };
        for (name, value, shown) in [
            ("assignee", "4711", "4711 (Maria)"),
            ("task.assigneeId", "4711", "4711 (Maria)"),
            ("owner", "4711", "4711 (Maria)"),
            ("priority", "2", "2 (High)"),
            // A small number of another field may be anything, and two options may have one id.
            ("quantity", "2", "2"),
            ("place", "100", "100"),
            ("to", "100", "100 (Lviv)"),
            ("ids[0]", "u-99", "u-99 (Olha)"),
            ("assignee", "4712", "4712"),
        ] {
            assert_eq!(with_picked_words(Some(&target), name, value.to_owned()), shown, "{name}");
        }
        assert_eq!(with_picked_words(None, "a", String::from("4711")), "4711");
    }
}
