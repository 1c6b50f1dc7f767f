//! Search for text that occurs exactly once on a page, frames included.

use crate::browser::error::{ErrorCode, PageError};
use crate::browser::injected::js_string;
use crate::browser::page::tab::Tab;
use crate::page::text::quoted;
use serde::Deserialize;

/// Reply of the page script about words in one document.
#[derive(Debug, Default, Deserialize)]
struct FoundWords {
    /// Id of the element that contains the words; 0 unless they occur there exactly once.
    eid: u32,
    count: usize,
    /// The first occurrences, with the words around them.
    places: Vec<String>,
}

/// Finds text that occurs exactly once on the page and in its frames. Returns the id of the element that contains it.
pub async fn find_holder(tab: &Tab, text: &str) -> Result<u32, PageError> {
    let call = format!("findWords({})", js_string(text));
    let mut found = vec![tab.call_script::<FoundWords>(&call).await?];
    found.extend(
        tab.in_frames::<FoundWords>(&format!("askfirst.{call}")).await.into_iter().map(|(_, inner)| inner),
    );
    let count: usize = found.iter().map(|inner| inner.count).sum();
    match found.iter().find(|inner| inner.eid > 0) {
        Some(inner) if count == 1 => Ok(inner.eid),
        Some(_) | None => Err(not_one_place(count, &found, text)),
    }
}

fn not_one_place(count: usize, found: &[FoundWords], text: &str) -> PageError {
    if count == 0 {
        let message = format!("no text that is shown has {}; find tells how it is written", quoted(text));
        return PageError::new(ErrorCode::NoEffect, message);
    }
    let places: Vec<String> =
        found.iter().flat_map(|inner| &inner.places).map(|place| quoted(place)).collect();
    let message = format!(
        "the words stand there {count} times: {}; write what is around the one that is meant, and the words themselves \
         in [[ ]]",
        places.join(", ")
    );
    PageError::new(ErrorCode::NoEffect, message)
}
