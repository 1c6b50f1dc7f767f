//! Paths that are called by what they read: `search-datasets`, `orders/search`, `list_runs`. Pure.

use crate::gate::wire_layer::reading::{RequestReading, push_words};

/// Words that join a second deed to the first, or make another thing of it: `search-and-notify`, `new-search`.
const SECOND_DEEDS: [&str; 33] = [
    "and", "then", "or", "replace", "add", "new", "edit", "rename", "move", "copy", "apply", "import",
    "mark", "sync", "notify", "run", "launch", "open", "close", "make", "change", "toggle", "lock", "unlock",
    "store", "fix", "clean", "follow", "sell", "hire", "sale", "it", "saved",
];

/// True if the last part of the path begins or ends with one of the words, and all of it is about reading.
pub fn is_named_read(reading: &RequestReading, reads: &[String]) -> bool {
    let last = reading.url.as_ref().and_then(|url| url.path_segments()?.rfind(|part| !part.is_empty()));
    let mut words = Vec::new();
    push_words(&mut words, last.unwrap_or_default());
    let is_end = |word: Option<&String>| word.is_some_and(|word| reads.contains(word));
    (is_end(words.first()) || is_end(words.last()))
        && reading.calls.is_empty()
        && !words.iter().any(|word| !reads.contains(word) && SECOND_DEEDS.contains(&word.as_str()))
}
