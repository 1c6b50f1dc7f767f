//! Documents that have sent the last requests, for those that do not tell their addresses.

use std::collections::{HashMap, VecDeque};

/// Maximum number of requests whose sender is remembered.
pub(super) const MOST_SENDERS: usize = 500;

/// Sender of a request of a page's top document that does not tell its address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HiddenSender {
    Present,
    /// A document that the page has left.
    Left,
    /// Chromium has not told yet, and tells nothing about some requests of documents that are left.
    Unknown,
}

/// Loaders of documents, and of the requests that they have sent.
#[derive(Debug, Default)]
pub struct RequestSenders {
    /// Loaders of the present documents, by target id.
    loaders: HashMap<String, String>,
    /// Loaders of the documents that have sent the last requests, by the network ids of these, oldest first.
    senders: VecDeque<(String, String)>,
}

impl RequestSenders {
    /// Records the loader of a page's present document.
    pub fn record_loader(&mut self, page: &str, loader: &str) {
        self.loaders.insert(page.to_owned(), loader.to_owned());
    }

    /// Records the loader of the document that sends a request.
    pub fn record_sender(&mut self, network_id: &str, loader: &str) {
        if self.senders.len() == MOST_SENDERS {
            self.senders.pop_front();
        }
        self.senders.push_back((network_id.to_owned(), loader.to_owned()));
    }

    /// Returns the document of a page that sends a request without telling its address.
    pub fn find_sender(&self, page: &str, network_id: &str) -> HiddenSender {
        match self.senders.iter().rev().find(|(id, _)| id == network_id) {
            Some((_, loader)) if self.loaders.get(page) == Some(loader) => HiddenSender::Present,
            Some(_) => HiddenSender::Left,
            None => HiddenSender::Unknown,
        }
    }

    /// Forgets the document of a page that is gone.
    pub fn forget_page(&mut self, page: &str) {
        self.loaders.remove(page);
    }

    /// Returns the number of requests whose sender is remembered.
    #[cfg(test)]
    pub fn len(&self) -> usize {
        self.senders.len()
    }
}
