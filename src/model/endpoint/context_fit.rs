//! Fits the messages of a request to the context window of a small model: the oldest messages of the history leave
//! first, then lines of the page and the middle of long texts. System messages, the first message of the person,
//! the full page under a list of changes and the last message stay. Pure.

use serde_json::{Value, json};

/// Shortest useful last message, in bytes: results, notes and the begin of a page.
const LEAST_LAST: usize = 1_500;
/// Bytes that a picture counts for, whatever its size.
const PICTURE: usize = 3_000;
/// Bytes around each message: its role and the marks of the chat template.
const AROUND: usize = 16;
/// Begin of the fence around a page.
const FENCE: &str = "<page nonce=";

const LEFT_OUT: &str = "(Earlier parts of this conversation are left out.)";

/// The fixed text alone is longer than the window.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct FixedTextTooLong {
    /// Bytes that are needed.
    pub needed: usize,
}

/// Returns the length of all messages in bytes.
pub(crate) fn messages_length(messages: &[Value]) -> usize {
    messages.iter().map(message_length).sum()
}

/// Shortens messages to `room` bytes; messages that fit stay as they are.
pub(crate) fn fit_messages(mut messages: Vec<Value>, room: usize) -> Result<Vec<Value>, FixedTextTooLong> {
    if messages_length(&messages) <= room {
        return Ok(messages);
    }
    let Some(last) = messages.pop() else { return Ok(messages) };
    drop_history(&mut messages, room.saturating_sub(message_length(&last)));
    shorten_history(&mut messages, room.saturating_sub(message_length(&last).min(room / 2)));
    let kept = messages_length(&messages);
    let least = message_length(&last).min(LEAST_LAST + pictures_length(&last));
    if kept + least > room {
        return Err(FixedTextTooLong { needed: kept + least });
    }
    messages.push(shorten_message(last, room - kept));
    Ok(messages)
}

fn message_length(message: &Value) -> usize {
    AROUND
        + match &message["content"] {
            Value::String(text) => text.len(),
            Value::Array(parts) => {
                parts.iter().map(|part| part["text"].as_str().map_or(PICTURE, str::len)).sum()
            }
            _ => 0,
        }
}

fn pictures_length(message: &Value) -> usize {
    let parts = message["content"].as_array().map(Vec::as_slice).unwrap_or_default();
    parts.iter().filter(|part| part["text"].is_null()).count() * PICTURE
}

/// True for the full page that a later list of changes builds on.
fn holds_page(message: &Value) -> bool {
    message["content"].as_str().is_some_and(|text| text.contains(FENCE))
}

/// Removes the oldest messages that may leave until the rest fits `room` bytes. `messages` is without the last message,
/// so its own last one stays: the turn whose results come next, or what the person has just said.
fn drop_history(messages: &mut Vec<Value>, room: usize) {
    let is_system = |message: &Value| message["role"] == "system";
    let first = messages.iter().position(|message| !is_system(message)).unwrap_or(messages.len());
    let mut dropped = false;
    let mut at = first + usize::from(messages.get(first).is_some_and(|message| message["role"] == "user"));
    while messages_length(messages) > room && at + 1 < messages.len() {
        if is_system(&messages[at]) || holds_page(&messages[at]) {
            at += 1;
        } else {
            messages.remove(at);
            dropped = true;
        }
    }
    if dropped {
        note_gap(messages, first);
    }
}

/// Says after the first message of the person that others are missing.
fn note_gap(messages: &mut Vec<Value>, first: usize) {
    match messages.get_mut(first).filter(|message| message["role"] == "user") {
        Some(message) => {
            let text = message["content"].as_str().unwrap_or_default();
            message["content"] = json!(format!("{text}\n\n{LEFT_OUT}"));
        }
        None => messages.insert(first, json!({ "role": "user", "content": LEFT_OUT })),
    }
}

/// Joins neighbouring messages of one role, as chat templates require alternating roles.
pub(crate) fn join_roles(messages: &mut Vec<Value>) {
    let mut joined: Vec<Value> = Vec::new();
    for message in messages.drain(..) {
        let texts =
            |earlier: &Value| Some((earlier["content"].as_str()?.to_owned(), message["content"].as_str()?));
        match joined.last_mut() {
            Some(last) if last["role"] == message["role"] && message["role"] != "system" => match texts(last)
            {
                Some((before, after)) => last["content"] = json!(format!("{before}\n\n{after}")),
                None => prepend_parts(last, message),
            },
            _ => joined.push(message),
        }
    }
    *messages = joined;
}

/// Puts a text before the parts of a message with pictures.
fn prepend_parts(before: &mut Value, message: Value) {
    let as_parts = |content: &Value| match content {
        Value::Array(parts) => parts.clone(),
        text => vec![json!({ "type": "text", "text": text })],
    };
    let parts: Vec<Value> =
        as_parts(&before["content"]).into_iter().chain(as_parts(&message["content"])).collect();
    before["content"] = Value::Array(parts);
}

/// Shortens the messages of the history that had to stay to `room` bytes, longest first.
fn shorten_history(messages: &mut [Value], room: usize) {
    let system: usize =
        messages.iter().filter(|message| message["role"] == "system").map(message_length).sum();
    let shown: Vec<&mut Value> = messages.iter_mut().filter(|message| message["role"] != "system").collect();
    let share = room.saturating_sub(system) / shown.len().max(1);
    for message in shown {
        let owned = std::mem::take(message);
        *message = shorten_message(owned, share.max(AROUND + 400));
    }
}

/// Shortens the texts of a message so that it has at most `most` bytes; pictures stay.
fn shorten_message(mut message: Value, most: usize) -> Value {
    let surplus = message_length(&message).saturating_sub(most);
    if surplus == 0 {
        return message;
    }
    let longest = match &mut message["content"] {
        Value::Array(parts) => {
            let texts = parts.iter_mut().filter(|part| part["text"].is_string());
            texts.max_by_key(|part| part["text"].as_str().map_or(0, str::len)).map(|part| &mut part["text"])
        }
        content => Some(content),
    };
    if let Some(content) = longest
        && let Some(text) = content.as_str()
    {
        *content = json!(shorten_text(text, text.len().saturating_sub(surplus)));
    }
    message
}

/// Shortens a text to `most` bytes: lines of its page first, then the middle of what stands before it.
fn shorten_text(text: &str, most: usize) -> String {
    let (before, page) = text.split_at(text.find(FENCE).unwrap_or(text.len()));
    let page_room = most.saturating_sub(before.len()).max(most / 2).min(page.len());
    let page = shorten_page(page, page_room);
    let before = shorten_middle(before, most.saturating_sub(page.len()));
    format!("{before}{page}")
}

/// Leaves out the last lines of a page, before its closing fence.
fn shorten_page(page: &str, most: usize) -> String {
    if page.len() <= most {
        return page.to_owned();
    }
    let (body, fence) = page.trim_end().rsplit_once('\n').unwrap_or((page, ""));
    let note =
        |count: usize| format!("({count} further lines of the page do not fit; use find or scroll)\n{fence}");
    let room = most.saturating_sub(note(body.lines().count()).len() + 1);
    let mut kept = String::new();
    let mut left_out = 0;
    for line in body.lines() {
        if left_out == 0 && kept.len() + line.len() < room {
            kept.push_str(line);
            kept.push('\n');
        } else {
            left_out += 1;
        }
    }
    format!("{kept}{}", note(left_out))
}

/// Leaves out the middle of a text so that it has at most `most` bytes.
fn shorten_middle(text: &str, most: usize) -> String {
    const MARK: &str = " (… left out …) ";
    if text.len() <= most {
        return text.to_owned();
    }
    let room = most.saturating_sub(MARK.len());
    let (mut head, mut tail) = (room * 2 / 3, text.len() - room / 3);
    while !text.is_char_boundary(head) {
        head -= 1;
    }
    while !text.is_char_boundary(tail) {
        tail += 1;
    }
    let mark = if room > 0 { MARK } else { "" };
    format!("{}{mark}{}", &text[..head], &text[tail..])
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn message(role: &str, text: &str) -> Value {
        json!({ "role": role, "content": text })
    }

    fn page(lines: usize) -> String {
        let lines: String = (0..lines).map(|n| format!("- link \"Link {n}\" [{n}]\n")).collect();
        format!("<page nonce=\"abcdef\" url=\"x\">\n{lines}</page nonce=\"abcdef\">")
    }

    #[test]
    fn the_oldest_history_leaves_first_and_the_task_stays() {
        let mut messages = vec![message("system", "rules"), message("user", "Buy a lamp.")];
        for turn in 0..20 {
            messages.push(message("assistant", &format!("turn {turn} {}", "x".repeat(200))));
            messages.push(message("user", &format!("result {turn}")));
        }
        messages.push(message("assistant", "last turn"));
        messages.push(message("user", &format!("result a1 ok\n\n{}", page(20))));
        let fitted = fit_messages(messages.clone(), 2_500).unwrap();
        let text = json!(fitted).to_string();
        assert!(messages_length(&fitted) <= 2_500);
        assert!(text.contains("Buy a lamp.") && text.contains("left out") && text.contains("Link 19"));
        assert!(text.contains("turn 19 ") && !text.contains("turn 1 "));
        assert_eq!(fit_messages(messages.clone(), 100_000).unwrap(), messages);
    }

    // A history in words has messages of the person's side alone; the turn before the last message answers it.
    #[test]
    fn the_turn_whose_results_are_told_stays() {
        let mut messages = vec![message("system", "rules"), message("user", "Buy a lamp.")];
        messages.extend((0..200).map(|turn| message("user", &format!("you thought: step {turn};"))));
        messages.push(message("assistant", "last turn"));
        messages.push(message("user", &format!("result a1 ok\n\n{}", page(100))));
        let mut fitted = fit_messages(messages, 4_000).unwrap();
        join_roles(&mut fitted);
        let roles: Vec<&str> = fitted.iter().filter_map(|message| message["role"].as_str()).collect();
        assert_eq!(roles, ["system", "user", "assistant", "user"]);
        let history = fitted[1]["content"].as_str().unwrap();
        assert!(messages_length(&fitted) <= 4_000 && history.starts_with("Buy a lamp.\n\n(Earlier parts"));
        // The oldest steps have left.
        assert!(history.ends_with("step 199;") && !history.contains("step 0;"), "{history}");
    }

    // The last message of the person is told, even if no turn follows it.
    #[test]
    fn the_newest_message_of_the_person_stays() {
        let mut messages = vec![message("system", "rules"), message("user", "Buy a lamp.")];
        messages.extend((0..50).map(|turn| message("user", &format!("turn {turn} {}", "x".repeat(100)))));
        messages.push(message("user", "Take the red one."));
        messages.push(message("user", &page(100)));
        let text = json!(fit_messages(messages, 2_500).unwrap()).to_string();
        assert!(text.contains("Take the red one.") && !text.contains("turn 0 "), "{text}");
    }

    #[test]
    fn a_page_loses_its_last_lines_and_keeps_its_fence() {
        let messages =
            vec![message("system", "rules"), message("user", &format!("note: x\n\n{}", page(500)))];
        let fitted = fit_messages(messages, 3_000).unwrap();
        let text = fitted[1]["content"].as_str().unwrap();
        assert!(text.starts_with("note: x") && text.contains("[0]") && text.len() <= 3_000, "{text}");
        assert!(text.ends_with("use find or scroll)\n</page nonce=\"abcdef\">"), "{text}");
    }

    #[test]
    fn a_fixed_text_that_is_too_long_alone_is_told() {
        let messages = vec![message("system", &"x".repeat(5_000)), message("user", &page(500))];
        assert_eq!(
            fit_messages(messages, 6_000),
            Err(FixedTextTooLong { needed: 5_000 + AROUND + LEAST_LAST })
        );
    }

    fn any_message() -> impl Strategy<Value = Value> {
        let text = prop_oneof![
            "[a-z ]{0,80}".prop_map(String::from),
            (0..3_000_usize).prop_map(|length| "слово ".chars().cycle().take(length).collect()),
            (0..300_usize).prop_map(page),
        ];
        (prop_oneof![Just("user"), Just("assistant")], text).prop_map(|(role, text)| message(role, &text))
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(128))]
        // A fitted request has at most its room, ends with the person's side, and keeps all rules.
        #[test]
        fn a_request_never_exceeds_its_room(
            rules in 0..4_000_usize,
            history in prop::collection::vec(any_message(), 0..20),
            last in any_message(),
            room in 1_000..20_000_usize,
        ) {
            let mut messages = vec![message("system", &"r".repeat(rules))];
            messages.extend(history);
            messages.push(json!({ "role": "user", "content": last["content"] }));
            match fit_messages(messages, room) {
                Ok(fitted) => {
                    prop_assert!(messages_length(&fitted) <= room, "{} of {room}", messages_length(&fitted));
                    prop_assert_eq!(fitted[0]["content"].as_str().map(str::len), Some(rules));
                    prop_assert_eq!(&fitted[fitted.len() - 1]["role"], "user");
                }
                Err(fault) => prop_assert!(fault.needed > room),
            }
        }
    }
}
