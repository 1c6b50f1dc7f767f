//! Reads the `response` of a turn whose JSON is not complete yet. Pure.

use crate::model::answer_json::strip_reasoning;
use std::iter::Peekable;
use std::str::Chars;

/// Returns the beginning of `response` in the beginning of an answer, and whether it is complete. `None` until the model
/// writes it.
pub(crate) fn response_so_far(content: &str) -> Option<(String, bool)> {
    let text = strip_reasoning(content.trim_start());
    let mut chars = text.get(text.find('{')? + 1..)?.chars().peekable();
    loop {
        skip_until(&mut chars, '"')?;
        let (name, _) = read_string(&mut chars);
        skip_until(&mut chars, ':')?;
        while chars.next_if(|c| c.is_whitespace()).is_some() {}
        if name != "response" {
            skip_value(&mut chars)?;
            continue;
        }
        chars.next_if_eq(&'"')?;
        return Some(read_string(&mut chars));
    }
}

/// Leaves out the last word, which may go on, and so many whole words before it that at most `words` are held back: a
/// secret of that many words is masked only once it is complete. `None` if nothing is left.
pub(crate) fn hold_back(text: &str, words: usize) -> Option<&str> {
    let (mut shown, _) = text.rsplit_once(char::is_whitespace)?;
    for _ in 1..words {
        (shown, _) = shown.trim_end().rsplit_once(char::is_whitespace)?;
    }
    Some(shown).filter(|shown| !shown.trim().is_empty())
}

fn skip_until(chars: &mut Peekable<Chars<'_>>, wanted: char) -> Option<()> {
    chars.find(|c| *c == wanted).map(|_| ())
}

/// Skips a value and the comma after it; `None` if it is not complete.
fn skip_value(chars: &mut Peekable<Chars<'_>>) -> Option<()> {
    let mut depth = 0_u32;
    loop {
        match chars.next()? {
            '"' => read_string(chars).1.then_some(())?,
            '{' | '[' => depth += 1,
            '}' | ']' => depth = depth.checked_sub(1)?,
            ',' if depth == 0 => return Some(()),
            _ => {}
        }
    }
}

/// Reads a string after its opening quote; false if its end has not come.
fn read_string(chars: &mut Peekable<Chars<'_>>) -> (String, bool) {
    let mut text = String::new();
    while let Some(c) = chars.next() {
        match c {
            '"' => return (text, true),
            '\\' => match read_escape(chars) {
                Some(c) => text.push(c),
                None => return (text, false),
            },
            c => text.push(c),
        }
    }
    (text, false)
}

/// Reads an escaped character after its backslash; `None` if it is not complete.
fn read_escape(chars: &mut Peekable<Chars<'_>>) -> Option<char> {
    Some(match chars.next()? {
        'n' => '\n',
        't' => '\t',
        'r' => '\r',
        'b' | 'f' => ' ',
        'u' => {
            let high = read_hex(chars)?;
            if !(0xd800..0xdc00).contains(&high) {
                return Some(char::from_u32(high).unwrap_or(char::REPLACEMENT_CHARACTER));
            }
            chars.next_if_eq(&'\\')?;
            chars.next_if_eq(&'u')?;
            let low = read_hex(chars)?;
            let joined = 0x10000 + ((high - 0xd800) << 10) + low.saturating_sub(0xdc00);
            char::from_u32(joined).unwrap_or(char::REPLACEMENT_CHARACTER)
        }
        other => other,
    })
}

fn read_hex(chars: &mut Peekable<Chars<'_>>) -> Option<u32> {
    let digits: String = chars.by_ref().take(4).collect();
    (digits.len() == 4).then(|| u32::from_str_radix(&digits, 16).ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    const ANSWER: &str = "<think>{\"response\": \"no\"}</think>```json\n{\"thoughts\": [{\"content\": \"a, \\\"response\\\": \\\"x y\\\"\"}], \
        \"stop\": true, \"response\": \"Пара \\\"ламп\\\" \\ud83d\\ude00 коштує \\u20b45.\\nОсь.\"}\n```";

    // However the answer is cut, what is shown is the beginning of the message, in whole words.
    #[test]
    fn a_message_is_read_from_any_beginning_of_its_answer() {
        let message = "Пара \"ламп\" 😀 коштує ₴5.\nОсь.";
        let mut longest = 0;
        for (end, _) in ANSWER.char_indices() {
            let Some((text, is_complete)) = response_so_far(&ANSWER[..end]) else { continue };
            let draft = if is_complete { Some(&*text) } else { hold_back(&text, 1) };
            let Some(draft) = draft else { continue };
            assert!(message.starts_with(draft), "{draft}");
            assert!(draft.len() >= longest, "{draft} has become shorter");
            longest = draft.len();
        }
        assert_eq!(response_so_far(ANSWER), Some((message.to_owned(), true)));
    }

    #[test]
    fn answers_without_a_message_show_nothing() {
        for text in [
            "",
            "Sure",
            "{\"stop\": false, \"response\": null}",
            "{\"actions\": [{\"response\": \"x y\"}",
            "[1]",
        ] {
            assert_eq!(response_so_far(text), None, "{text}");
        }
    }

    #[test]
    fn so_many_words_are_held_back() {
        for (text, words, shown) in [
            ("one two thr", 1, Some("one two")),
            ("one two three ", 1, Some("one two three")),
            ("one two  three ", 2, Some("one two ")),
            ("one two three", 3, None),
            ("one", 1, None),
            (" two", 1, None),
        ] {
            assert_eq!(hold_back(text, words), shown, "{text}");
        }
    }
}
