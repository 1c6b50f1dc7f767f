//! History of the requests of a browser's pages: what the agent's actions have reached, the kinds that a page sends by itself, the
//! last bodies, and what a person declined. Pure.

pub mod action_reach;
pub mod declined;
pub mod document_addresses;
pub mod kind;
pub mod senders;
pub mod sent_bodies;
pub mod visited_sites;

use crate::browser::network::history::action_reach::ActionReach;
use crate::browser::network::history::declined::DeclinedRequests;
use crate::browser::network::history::senders::RequestSenders;
use crate::browser::network::history::sent_bodies::SentBodies;
use crate::browser::network::history::visited_sites::VisitedSites;
use crate::browser::network::request_judge::RequestTiming;
use std::collections::HashSet;

/// Maximum number of kinds that are remembered.
const MOST_KINDS: usize = 1000;

/// History of the requests of all pages of one browser.
#[derive(Debug, Default)]
pub struct RequestHistory {
    pub reach: ActionReach,
    pub senders: RequestSenders,
    pub visited: VisitedSites,
    pub bodies: SentBodies,
    pub declined: DeclinedRequests,
    /// Kinds of requests that pages sent before any action.
    own_kinds: HashSet<String>,
}

impl RequestHistory {
    /// Records that the agent acts on the document of this page. What a person declined before is asked about again
    /// if the action may be meant to repeat it.
    pub fn begin_action(&mut self, page: &str, may_repeat: bool) {
        self.reach.begin_action(page);
        if may_repeat {
            self.declined.begin_action();
        }
    }

    /// Records that the page has another document.
    pub fn begin_document(&mut self, page: &str, url: &str) {
        self.reach.begin_document(page, url);
        self.visited.record_document(url);
    }

    /// Forgets a page that is gone, except that the agent has acted on it: its last requests may still come.
    pub fn forget_page(&mut self, page: &str) {
        self.reach.forget_page(page);
        self.senders.forget_page(page);
    }

    /// Returns the relation of a request to the agent's actions, and remembers its kind if it came before any.
    /// `document` is the sender's address; it may be that of the page's previous document.
    pub fn timing(&mut self, kind: &str, page: Option<&str>, document: &str) -> RequestTiming {
        if !self.reach.is_acted_on(page, document) {
            if self.own_kinds.len() < MOST_KINDS {
                self.own_kinds.insert(kind.to_owned());
            }
            return RequestTiming::BeforeAction;
        }
        if self.own_kinds.contains(kind) { RequestTiming::OfKnownKind } else { RequestTiming::AfterAction }
    }

    /// Returns the timing of a request of unknown kind, which never counts as one of the page's own.
    pub fn timing_of_unknown(&self) -> RequestTiming {
        if self.reach.is_acted_on(None, "") {
            RequestTiming::AfterAction
        } else {
            RequestTiming::BeforeAction
        }
    }
}

#[cfg(test)]
mod tests;
