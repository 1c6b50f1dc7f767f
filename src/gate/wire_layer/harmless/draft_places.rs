//! Places of an address, and called methods, that say what a request does to a draft, as opposed to the name of a file or
//! record that somebody has called so. Pure.

use crate::gate::wire_layer::harmless::has_word;
use crate::gate::wire_layer::proposed_request::ProposedRequest;
use crate::gate::wire_layer::reading::{RequestReading, push_words};
use crate::gate::wording::address_words::decode_segments;
use crate::page::request_body::BodyValue;

/// Words that stand beside the word in an operation: `save-draft`, `new_draft`.
const BESIDE: [&str; 15] = [
    "save", "auto", "update", "create", "store", "keep", "new", "put", "set", "post", "message", "mail",
    "email", "comment", "as",
];
/// Parts at the beginning of a path that name nothing.
const PREFIXES: [&str; 9] = ["api", "rest", "ajax", "app", "web", "json", "rpc", "w", "wp"];
/// Names of values by which a thing gets another name or place.
const NEW_PLACES: [&str; 19] = [
    "path",
    "name",
    "filename",
    "newname",
    "newpath",
    "rename",
    "renameto",
    "moveto",
    "destination",
    "dest",
    "parent",
    "parentid",
    "folder",
    "folderid",
    "directory",
    "target",
    "slug",
    "to",
    "from",
];
/// Names of values beside them that say nothing more.
const BESIDE_PLACES: [&str; 5] = ["type", "id", "kind", "version", "overwrite"];
/// Operations on a thing as a whole.
const MOVES: [&str; 9] =
    ["rename", "move", "copy", "restore", "revert", "replace", "import", "convert", "overwrite"];

/// True if one of the words is an operation or a collection of the request, and the request neither moves nor renames
/// what it names, nor writes a file.
pub fn is_operation(list: &[String], proposed: &ProposedRequest, reading: &RequestReading) -> bool {
    if moves(reading) {
        return false;
    }
    is_called(list, reading) || is_in_path(list, &proposed.request.method, reading)
}

fn is_called(list: &[String], reading: &RequestReading) -> bool {
    let mut words = Vec::new();
    reading.calls.iter().for_each(|call| push_words(&mut words, call));
    for operation in &reading.graphql {
        push_words(&mut words, &operation.name);
        operation.fields.iter().for_each(|field| push_words(&mut words, field));
    }
    has_word(&words, list)
}

fn is_in_path(list: &[String], method: &str, reading: &RequestReading) -> bool {
    let segments = reading.url.as_ref().map(decode_segments).unwrap_or_default();
    let Some((last, before)) = segments.split_last() else { return false };
    if has_extension(last) {
        return false;
    }
    if before.iter().any(|segment| says(segment, list)) {
        return true;
    }
    let words = words_of(last);
    if !has_word(&words, list) {
        return false;
    }
    // By the names of its values, a record says itself that it is a draft, whatever it is called.
    let is_stated = || reading.body_values().iter().any(|value| has_word(&words_of(&value.name), list));
    let is_of_thing = || {
        before.last().is_some_and(|part| part.bytes().any(|byte| byte.is_ascii_digit()) && !is_prefix(part))
    };
    let is_only = || before.iter().all(|part| is_prefix(part));
    let is_collection = || words.last().is_some_and(|word| word.ends_with('s'));
    let is_place = says(last, list)
        && (method == "POST" || words.len() > 1 || is_collection() || is_of_thing() || is_only());
    is_place || is_stated()
}

/// True if the part of a path is one of the words, alone or with words of an operation.
fn says(segment: &str, list: &[String]) -> bool {
    let words = words_of(segment);
    let is_listed = |word: &String| list.contains(word) || BESIDE.contains(&word.as_str());
    has_word(&words, list) && words.iter().all(is_listed)
}

fn is_prefix(part: &str) -> bool {
    let is_version = part.strip_prefix('v').is_some_and(|rest| rest.parse::<u32>().is_ok());
    is_version || PREFIXES.contains(&part.to_ascii_lowercase().as_str())
}

/// True for names of files: `draft.txt`.
fn has_extension(segment: &str) -> bool {
    segment.rsplit_once('.').is_some_and(|(name, end)| {
        !name.is_empty()
            && (1..=5).contains(&end.len())
            && end.bytes().all(|byte| byte.is_ascii_alphanumeric())
            && end.bytes().any(|byte| byte.is_ascii_alphabetic())
    })
}

/// True if the request gives what it names another name or place.
fn moves(reading: &RequestReading) -> bool {
    let is_move = |word: &String| MOVES.contains(&word.as_str());
    let name_of = |value: &BodyValue| words_of(value.name.rsplit('.').next().unwrap_or_default()).concat();
    let names: Vec<String> = reading.body_values().iter().map(name_of).collect();
    let is_place = |name: &String| NEW_PLACES.contains(&name.as_str());
    let is_beside = |name: &String| BESIDE_PLACES.contains(&name.as_str());
    let only_moves = names.iter().any(is_place) && names.iter().all(|name| is_place(name) || is_beside(name));
    only_moves || reading.words.iter().any(is_move)
}

fn words_of(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    push_words(&mut words, text);
    words
}
