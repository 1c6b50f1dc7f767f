//! Documents that pages have left after an action of the agent: their last requests may come when the next document is
//! there already, and are none of its own. Pure.

use std::collections::{HashMap, HashSet, VecDeque};

/// Maximum number of documents and of senders that are remembered.
const MOST: usize = 1000;

/// Documents by the names of their loaders in Chromium.
#[derive(Debug, Default)]
pub struct LeftDocuments {
    /// Loaders of the top documents, by target id.
    current: HashMap<String, String>,
    left: HashSet<String>,
    /// Requests and the loaders of their documents, oldest first.
    senders: VecDeque<(String, String)>,
}

impl LeftDocuments {
    /// Records the document of a page, and leaves the one before if the agent has acted on it.
    pub fn begin_document(&mut self, page: &str, loader: &str, was_acted_on: bool) {
        let before = self.current.insert(page.to_owned(), loader.to_owned());
        let left = before.filter(|before| was_acted_on && before != loader && self.left.len() < MOST);
        self.left.extend(left);
    }

    /// Forgets the page itself, but not the documents that it has left.
    pub fn forget_page(&mut self, page: &str) {
        self.current.remove(page);
    }

    /// Records which document sends a request.
    pub fn record_sender(&mut self, request: &str, loader: &str) {
        if self.senders.len() == MOST {
            self.senders.pop_front();
        }
        self.senders.push_back((request.to_owned(), loader.to_owned()));
    }

    /// True if a document that was left after an action sends the request.
    pub fn has_sent(&self, request: &str) -> bool {
        let sender = self.senders.iter().rev().find(|(sent, _)| sent == request);
        sender.is_some_and(|(_, loader)| self.left.contains(loader))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_of_a_document_that_was_left_after_an_action_are_known() {
        let mut documents = LeftDocuments::default();
        documents.begin_document("T", "one", false);
        documents.begin_document("T", "two", true);
        documents.record_sender("r1", "one");
        documents.record_sender("r2", "two");
        assert!(documents.has_sent("r1") && !documents.has_sent("r2") && !documents.has_sent("r3"));
        documents.begin_document("T", "three", false);
        assert!(!documents.has_sent("r2"), "nothing has acted on it");
    }
}
