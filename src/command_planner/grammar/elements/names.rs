//! Names of elements in commands: `the "Sign in" button`, `другу кнопку Купити біля Лампа`.

use crate::command_planner::grammar::command::ElementRef;
use crate::command_planner::grammar::element_kinds::parse_kind;
use crate::text::tokenize::{Word, name};

/// Articles before a name, and prepositions of objects as in `натисни на кнопку`.
const LEADING: &[&str] = &["the", "a", "an", "this", "that", "on", "at", "на", "по", "цю", "це", "цей", "ту"];
/// Words between a noun and its name.
const NAMED: &[&str] =
    &["named", "called", "labelled", "labeled", "titled", "saying", "з", "із", "зі", "під", "named:"];
const NAMING: &[&str] = &["text", "label", "name", "назвою", "написом", "текстом", "іменем"];
const NEAR: &[&[&str]] = &[
    &["next", "to"],
    &["in", "the", "row", "of"],
    &["поруч", "з"],
    &["поруч", "із"],
    &["поряд", "з"],
    &["у", "рядку"],
    &["в", "рядку"],
    &["near"],
    &["beside"],
    &["for"],
    &["біля"],
    &["для"],
    &["навпроти"],
];
const PREPOSITIONS: &[&str] =
    &["into", "in", "to", "inside", "from", "в", "у", "до", "з", "із", "зі", "всередину"];

/// Most words of a name before a reference to a neighbouring element.
const LONGEST: usize = 20;

/// Parses the name of an element; `None` if the words contain no name.
pub fn parse_name(words: &[Word]) -> Option<ElementRef> {
    let mut name = simple(words)?;
    for at in 1..words.len().min(LONGEST) {
        for near in NEAR {
            let after = &words[at..];
            let fits = after.len() > near.len() && near.iter().zip(after).all(|(key, word)| word.is(key));
            if !fits {
                continue;
            }
            if let (Some(mut front), Some(near_name)) = (simple(&words[..at]), simple(&after[near.len()..])) {
                front.full = name.full;
                front.near = Some(Box::new(near_name));
                name = front;
                return Some(name);
            }
        }
    }
    Some(name)
}

fn simple(words: &[Word]) -> Option<ElementRef> {
    let mut rest = words;
    let mut nth = None;
    let mut kind = None;
    while let [first, more @ ..] = rest {
        if more.is_empty() {
            break;
        }
        if first.is_any(LEADING) {
            rest = more;
        } else if let (None, Some(ordinal)) = (nth, ordinal(first)) {
            nth = Some(ordinal);
            rest = more;
        } else {
            break;
        }
    }
    let full = name(rest);
    if let [first, more @ ..] = rest
        && let Some(found) = parse_kind(first)
    {
        if more.is_empty() {
            // A single noun may be the name (`click Menu`); after an ordinal it is the counted kind.
            let (text, kind) =
                if nth.is_some() { (String::new(), Some(found)) } else { (full.clone(), None) };
            return Some(ElementRef { text, full, kind, nth, near: None });
        }
        (kind, rest) = (Some(found), without_naming(more));
    } else if let [front @ .., last] = rest
        && !front.is_empty()
        && let Some(found) = parse_kind(last)
    {
        (kind, rest) = (Some(found), front);
    }
    let text = name(rest);
    (!text.is_empty()).then_some(ElementRef { text, full, kind, nth, near: None })
}

/// Removes naming words: `з написом Увійти` becomes `Увійти`.
fn without_naming(words: &[Word]) -> &[Word] {
    match words {
        [one, two, rest @ ..]
            if one.is_any(&["with", "the", "з", "із", "під"]) && two.is_any(NAMING) && !rest.is_empty() =>
        {
            rest
        }
        [one, rest @ ..]
            if one.is_any(NAMED) && !rest.is_empty() && !one.is_any(&["з", "із", "зі", "під"]) =>
        {
            rest
        }
        _ => words,
    }
}

fn ordinal(word: &Word) -> Option<i32> {
    const ORDINALS: &[(i32, &[&str])] = &[
        (1, &["first", "1st", "перший", "першу", "перше", "перша"]),
        (2, &["second", "2nd", "другий", "другу", "друге", "друга"]),
        (3, &["third", "3rd", "третій", "третю", "третє", "третя"]),
        (4, &["fourth", "4th", "четвертий", "четверту", "четверте"]),
        (5, &["fifth", "5th", "п'ятий", "п'яту", "п'яте"]),
        (-1, &["last", "останній", "останню", "останнє", "остання"]),
    ];
    ORDINALS.iter().find(|(_, words)| word.is_any(words)).map(|(nth, _)| *nth)
}

pub fn starts_with_preposition(words: &[Word]) -> bool {
    words.first().is_some_and(|word| word.is_any(PREPOSITIONS))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::tokenize::words;

    // Quotes around names are optional (`docs/turns.md`, "Plain commands").
    #[test]
    fn a_noun_alone_is_a_name_and_beside_a_name_it_is_a_kind() {
        for (command, text, kind, nth) in [
            ("Menu", "Menu", false, None),
            ("the Link", "Link", false, None),
            ("на Список", "Список", false, None),
            ("Sign in button", "Sign in", true, None),
            ("button Sign in", "Sign in", true, None),
            ("the second button", "", true, Some(2)),
        ] {
            let name = parse_name(&words(command)).unwrap();
            assert_eq!((name.text.as_str(), name.kind.is_some(), name.nth), (text, kind, nth), "{command}");
        }
    }
}
