//! Notes of events on the pages, collected for the next observation.

use super::PageContext;
use crate::browser::act::activity::{note_of, take_note};
use crate::browser::cdp_message::{CdpEvent, RawCommand};
use serde_json::json;

impl PageContext {
    /// Takes a note of an event that the next observation must show.
    pub fn note_event(&self, event: &CdpEvent) {
        let tab = event.session.as_deref().and_then(|session| self.find(session));
        let main = tab.as_ref().map_or("", |tab| tab.target.as_str());
        if let Some(note) = note_of(event, main, &self.link.closed) {
            self.note(note);
        }
    }

    /// Empties a page that shows a blocked `blob:` document, which sent no request that could be refused.
    pub fn empty_blocked_page(&self, event: &CdpEvent) {
        let url = event.text("/frame/url");
        let (Some(session), Some(told)) = (&event.session, self.link.closed.blob_block_message(url)) else {
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
