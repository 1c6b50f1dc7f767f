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
        if let Some(note) = note_of(event, main, &self.policy) {
            self.note(note);
        }
    }

    /// Empties a page that shows a blocked `blob:` document, which sent no request that could be refused.
    pub fn empty_blocked_page(&self, event: &CdpEvent) {
        let url = event.text("/frame/url");
        let (Some(session), Some(told)) = (&event.session, self.policy.blob_block_message(url)) else {
            return;
        };
        self.note(told);
        let blank = RawCommand::new("Page.navigate", json!({"url": "about:blank"}));
        self.link.session(session.clone()).post(blank);
    }

    pub fn note(&self, note: String) {
        let mut told = self.told.borrow_mut();
        if take_note(&mut told.notes, note) {
            told.seen = told.seen.saturating_sub(1);
        }
    }

    pub fn notes(&self) -> Vec<String> {
        self.told.borrow().notes.clone()
    }

    /// Returns the notes since the last action began, and earlier ones that were not read; marks all as read.
    pub fn read_notes(&self) -> Vec<String> {
        let mut told = self.told.borrow_mut();
        told.seen = told.notes.len();
        told.notes.clone()
    }

    /// Begins an action: drops the notes that were read.
    pub fn forget_notes(&self) {
        let mut told = self.told.borrow_mut();
        let seen = std::mem::take(&mut told.seen);
        told.notes.drain(..seen);
    }
}

/// Returns the note for the model if the event is a request to an address that the URL policy blocks.
pub fn note_of(event: &CdpEvent, main: &str, closed: &UrlPolicy) -> Option<String> {
    match event.method.as_str() {
        // Chromium's own request for the page's icon is not worth a note.
        "Network.requestWillBeSent" if event.text("/type") != "Other" => {
            let url = event.text("/request/url");
            let page = event.text("/type") == "Document" && event.text("/frameId") == main;
            if page { closed.page_block_message(url) } else { closed.block_message(url) }
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
