//! Texts and attributes of XML, by the path of their elements. Reads what is there and judges no well-formedness.

use crate::page::request_body::value_list::ValueList;

/// Deepest element with a name of its own in the path.
const DEEPEST: usize = 64;

/// Pushes the texts of elements and their attributes (`path@name`).
pub fn push_xml(list: &mut ValueList, text: &str) {
    let mut path: Vec<String> = Vec::new();
    let mut own_text = String::new();
    let mut rest = text;
    while let Some(start) = rest.find('<').filter(|_| list.has_room()) {
        own_text.push_str(&decode_entities(&rest[..start]));
        rest = &rest[start..];
        if let Some(data) = rest.strip_prefix("<![CDATA[") {
            let (inside, after) = data.split_once("]]>").unwrap_or((data, ""));
            own_text.push_str(inside);
            rest = after;
            continue;
        }
        if let Some(comment) = rest.strip_prefix("<!--") {
            rest = comment.split_once("-->").map_or("", |(_, after)| after);
            continue;
        }
        let end = find_tag_end(rest);
        let tag = rest[1..end].trim_end_matches('>');
        rest = &rest[end..];
        match tag.chars().next() {
            Some('?' | '!') | None => {}
            Some('/') => {
                push_own_text(list, &path, &mut own_text);
                path.pop();
            }
            Some(_) => {
                push_own_text(list, &path, &mut own_text);
                open_element(list, &mut path, tag);
            }
        }
    }
    own_text.push_str(rest);
    push_own_text(list, &path, &mut own_text);
    list.read.is_truncated |= !path.is_empty();
}

fn push_own_text(list: &mut ValueList, path: &[String], own_text: &mut String) {
    let text = own_text.trim();
    if !text.is_empty() {
        list.push_text(&join_path(path), text);
    }
    own_text.clear();
}

fn open_element(list: &mut ValueList, path: &mut Vec<String>, tag: &str) {
    let is_closed = tag.ends_with('/');
    let tag = tag.trim_end_matches('/');
    let name_end = tag.find(char::is_whitespace).unwrap_or(tag.len());
    path.push(strip_prefix(&tag[..name_end]).to_owned());
    let element = join_path(path);
    let mut has_attributes = false;
    for (name, value) in split_attributes(&tag[name_end..]) {
        if name != "xmlns" && !name.starts_with("xmlns:") {
            has_attributes = true;
            list.push_text(&format!("{element}@{}", strip_prefix(name)), &decode_entities(value));
        }
    }
    if is_closed {
        // An element such as `<delete/>` says something by itself.
        if !has_attributes {
            list.push_text(&element, "");
        }
        path.pop();
    }
}

fn join_path(path: &[String]) -> String {
    path[..path.len().min(DEEPEST)].join(".")
}

fn strip_prefix(name: &str) -> &str {
    name.rsplit(':').next().unwrap_or(name)
}

/// Returns the end of a tag, which may contain `>` in quotes.
fn find_tag_end(text: &str) -> usize {
    let mut quote = None;
    for (at, letter) in text.char_indices() {
        match quote {
            Some(open) if letter == open => quote = None,
            Some(_) => {}
            None if matches!(letter, '"' | '\'') => quote = Some(letter),
            None if letter == '>' => return at + 1,
            None => {}
        }
    }
    text.len()
}

fn split_attributes(text: &str) -> Vec<(&str, &str)> {
    let mut found = Vec::new();
    let mut rest = text.trim_start();
    while let Some((name, after)) = rest.split_once('=') {
        let after = after.trim_start();
        let Some(quote) = after.chars().next().filter(|quote| matches!(quote, '"' | '\'')) else { break };
        let inside = &after[1..];
        let (value, tail) = inside.split_once(quote).unwrap_or((inside, ""));
        found.push((name.trim(), value));
        rest = tail.trim_start();
    }
    found
}

fn decode_entities(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find('&') {
        out.push_str(&rest[..start]);
        rest = &rest[start..];
        let end = rest.bytes().take(12).position(|byte| byte == b';');
        match end.and_then(|end| Some((decode_entity(&rest[1..end])?, end))) {
            Some((letter, end)) => {
                out.push(letter);
                rest = &rest[end + 1..];
            }
            None => {
                out.push('&');
                rest = &rest[1..];
            }
        }
    }
    out.push_str(rest);
    out
}

fn decode_entity(name: &str) -> Option<char> {
    match name {
        "amp" => Some('&'),
        "lt" => Some('<'),
        "gt" => Some('>'),
        "quot" => Some('"'),
        "apos" => Some('\''),
        _ => {
            let number = name.strip_prefix('#')?;
            let code = match number.strip_prefix(['x', 'X']) {
                Some(hex) => u32::from_str_radix(hex, 16).ok()?,
                None => number.parse().ok()?,
            };
            char::from_u32(code)
        }
    }
}
