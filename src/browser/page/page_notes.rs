//! Notes of events on the pages, collected for the next observation.

use crate::browser::cdp::message::CdpEvent;
use crate::browser::network::url_policy::UrlPolicy;
use std::cell::RefCell;

/// Maximum number of notes kept for one action; a page may open dialogs without end.
const MOST_NOTES: usize = 8;

/// Notes of events on the pages.
#[derive(Debug, Default)]
pub struct PageNotes(RefCell<NoteList>);

#[derive(Debug, Default)]
struct NoteList {
    notes: Vec<String>,
    /// Number of notes that an observation has shown.
    seen: usize,
    /// Number of notes that earlier actions of the same turn left.
    earlier: usize,
}

impl PageNotes {
    /// Adds a note for the next observation.
    pub fn add(&self, note: String) {
        let mut list = self.0.borrow_mut();
        if take_note(&mut list.notes, note) {
            list.seen = list.seen.saturating_sub(1);
            list.earlier = list.earlier.saturating_sub(1);
        }
    }

    /// Returns the notes since the last action began, and earlier ones that were not read before it.
    pub fn since_action(&self) -> Vec<String> {
        let list = self.0.borrow();
        list.notes.iter().skip(list.earlier).cloned().collect()
    }

    /// Returns the notes since the last turn began, and earlier ones that were not read; marks all as read.
    pub fn read(&self) -> Vec<String> {
        let mut list = self.0.borrow_mut();
        list.seen = list.notes.len();
        list.notes.clone()
    }

    /// Begins an action. The notes that were read are dropped, unless the action continues a turn: the planner has not
    /// seen the looks within a turn.
    pub fn begin_action(&self, continues_turn: bool) {
        let mut list = self.0.borrow_mut();
        if continues_turn {
            list.earlier = list.seen;
        } else {
            let seen = std::mem::take(&mut list.seen);
            list.notes.drain(..seen);
            list.earlier = 0;
        }
    }
}

/// Returns the note for the model if the event is a request to an address that the URL policy blocks.
pub fn blocked_request_note(event: &CdpEvent, main: &str, url_policy: &UrlPolicy) -> Option<String> {
    match event.method.as_str() {
        // Chromium's own request for the page's icon is not worth a note.
        "Network.requestWillBeSent" if event.text("/type") != "Other" => {
            let url = event.text("/request/url");
            let page = event.text("/type") == "Document" && event.text("/frameId") == main;
            if page { url_policy.page_block_message(url) } else { url_policy.block_message(url) }
        }
        _ => None,
    }
}

/// Adds a note unless it is already there, dropping the oldest at the limit. Returns true if one was dropped.
pub fn take_note(notes: &mut Vec<String>, note: String) -> bool {
    if notes.contains(&note) {
        return false;
    }
    let full = notes.len() >= MOST_NOTES;
    if full {
        notes.remove(0);
    }
    notes.push(note);
    full
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(count: usize) -> Vec<String> {
        (0..count).map(|n| n.to_string()).collect()
    }

    #[test]
    fn notes_stay_until_an_observation_has_shown_them_and_an_action_begins() {
        let notes = PageNotes::default();
        texts(2).into_iter().for_each(|note| notes.add(note));
        notes.add(String::from("0"));
        notes.begin_action(false);
        assert_eq!(notes.since_action(), texts(2), "none was read");
        assert_eq!(notes.read(), texts(2));
        notes.add(String::from("2"));
        notes.begin_action(false);
        assert_eq!(notes.since_action(), ["2"], "it came after the reading");
    }

    // The looks between the actions of a turn read notes that the planner has not seen.
    #[test]
    fn notes_stay_through_a_turn() {
        let notes = PageNotes::default();
        notes.begin_action(false);
        notes.add(String::from("a dialog was answered"));
        notes.read();
        notes.begin_action(true);
        assert!(notes.since_action().is_empty(), "it is of the action before");
        notes.add(String::from("a tab was opened"));
        assert_eq!(notes.since_action(), ["a tab was opened"]);
        assert_eq!(notes.read(), ["a dialog was answered", "a tab was opened"]);
        notes.begin_action(false);
        assert!(notes.read().is_empty());
    }

    #[test]
    fn the_oldest_note_is_dropped_at_the_limit() {
        let notes = PageNotes::default();
        texts(MOST_NOTES).into_iter().for_each(|note| notes.add(note));
        notes.read();
        notes.add(String::from("last"));
        assert_eq!((notes.since_action().len(), notes.since_action()[0].as_str()), (MOST_NOTES, "1"));
        notes.begin_action(false);
        assert_eq!(notes.since_action(), ["last"]);
    }
}
