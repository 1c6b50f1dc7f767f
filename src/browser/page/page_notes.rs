//! Notes of events on the pages, collected for the next observation.

use crate::browser::cdp::message::{CdpEvent, RawCommand};
use crate::browser::network::url_policy::UrlPolicy;
use crate::browser::page::context::PageContext;
use serde_json::json;

impl PageContext {
    /// Takes a note of an event that the next observation must show.
    pub fn note_event(&self, event: &CdpEvent) {
        let tab = event.session.as_deref().and_then(|session| self.find(session));
        let main = tab.as_ref().map_or("", |tab| tab.target.as_str());
        if let Some(note) = blocked_request_note(event, main, &self.policy) {
            self.note(note);
        }
    }

    /// Empties a page that shows a blocked `blob:` document, which sent no request that could be refused.
    pub fn empty_blocked_page(&self, event: &CdpEvent) {
        let url = event.text("/frame/url");
        let (Some(session), Some(message)) = (&event.session, self.policy.blob_block_message(url)) else {
            return;
        };
        self.note(message);
        let blank = RawCommand::new("Page.navigate", json!({"url": "about:blank"}));
        self.connection.session(session.clone()).post(blank);
    }

    pub fn note(&self, note: String) {
        let mut notes = self.page_notes.borrow_mut();
        if take_note(&mut notes.notes, note) {
            notes.seen = notes.seen.saturating_sub(1);
        }
    }

    pub fn notes(&self) -> Vec<String> {
        self.page_notes.borrow().notes.clone()
    }

    /// Returns the notes since the last action began, and earlier ones that were not read; marks all as read.
    pub fn read_notes(&self) -> Vec<String> {
        let mut notes = self.page_notes.borrow_mut();
        notes.seen = notes.notes.len();
        notes.notes.clone()
    }

    /// Begins an action: drops the notes that were read.
    pub fn forget_notes(&self) {
        let mut notes = self.page_notes.borrow_mut();
        let seen = std::mem::take(&mut notes.seen);
        notes.notes.drain(..seen);
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

/// Maximum number of notes kept for one action; a page may open dialogs without end.
const MOST_NOTES: usize = 8;
