//! Reach of the agent's actions: the pages and documents whose requests may be caused by one.

use crate::browser::network::history::document_addresses::DocumentAddresses;
use crate::page::site::site_of;
use crate::page::url::strip_query;
use std::collections::{HashMap, HashSet};
use url::Url;

/// Maximum number of pages that are remembered when they are gone.
const MOST_GONE: usize = 1000;

/// Pages and documents that an action of the agent has reached.
#[derive(Debug, Default)]
pub struct ActionReach {
    /// Pages on whose document the agent has acted, by target id.
    acted: HashSet<String>,
    /// Pages among them on which it has acted itself: other windows only hear of that.
    acted_directly: HashSet<String>,
    /// Page that has opened the first window of those that can call each other, by target id of each.
    window_groups: HashMap<String, String>,
    /// Addresses of the documents that the agent has acted on and that pages have left, by target id.
    left: HashMap<String, DocumentAddresses>,
    /// Pages that the agent has acted on and that are gone.
    acted_and_gone: HashSet<String>,
    /// Origins of all documents that the agent has acted on: their workers may go on later than they.
    acted_origins: HashSet<String>,
    /// Addresses of the present documents, by target id.
    documents: HashMap<String, DocumentAddresses>,
}

impl ActionReach {
    /// Records that the agent acts on the document of this page.
    pub fn begin_action(&mut self, page: &str) {
        self.acted.insert(page.to_owned());
        self.acted_directly.insert(page.to_owned());
        // Other documents of the site may hear of it: by a broadcast channel, or by storage.
        let site = site_of(self.document_url(page));
        let is_beside = |url: &str| site.is_some() && site_of(url) == site;
        let beside =
            self.documents.iter().filter(|(_, of)| is_beside(&of.top)).map(|(page, _)| page.as_str());
        // Windows that scripts have opened may hear of it too, and their openers, of whatever site: they call each other.
        let groups: HashSet<&str> = beside.chain([page]).map(|page| self.window_group(page)).collect();
        let hearing = self
            .documents
            .iter()
            .filter(|(page, of)| is_beside(&of.top) || groups.contains(self.window_group(page)));
        let hearing: Vec<String> = hearing.map(|(page, _)| page.clone()).collect();
        for page in &hearing {
            self.acted_origins.extend(origin_of(self.document_url(page)));
        }
        self.acted.extend(hearing);
    }

    /// Records that a page has opened this one. An acted page may write into its empty document, and, if they are linked, call
    /// it later.
    pub fn record_opened(&mut self, page: &str, opener: &str, is_linked: bool) {
        if is_linked && !opener.is_empty() {
            let group = self.window_group(opener).to_owned();
            self.window_groups.insert(page.to_owned(), group);
        }
        if self.acted.contains(opener) {
            self.acted.insert(page.to_owned());
        }
    }

    /// Returns the page that has opened the first of the windows that can call this one.
    fn window_group<'a>(&'a self, page: &'a str) -> &'a str {
        self.window_groups.get(page).map_or(page, String::as_str)
    }

    /// Reports whether a document on which the agent has acted itself can call the documents of this page.
    fn is_driven(&self, page: &str) -> bool {
        let group = self.window_group(page);
        self.acted_directly.iter().any(|other| other != page && self.window_group(other) == group)
    }

    /// Records that the page has another document, on which nothing has acted; a document that loads itself again
    /// goes on with what the agent did there, and so does one that an acted document can call.
    pub fn begin_document(&mut self, page: &str, url: &str) {
        let is_again = strip_query(self.document_url(page)) == strip_query(url);
        if !is_again && !is_made_by_page(url) {
            self.acted_directly.remove(page);
        }
        if !is_again && !is_made_by_page(url) && !self.is_driven(page) {
            let left = self.documents.remove(page).filter(|_| self.acted.contains(page));
            self.acted.remove(page);
            match left {
                Some(left) => drop(self.left.insert(page.to_owned(), left)),
                None => drop(self.left.remove(page)),
            }
        }
        self.record_address(page, url, true);
    }

    /// Records an address of a page's present document, or of a frame in it.
    pub fn record_address(&mut self, page: &str, url: &str, is_top: bool) {
        let addresses = self.documents.entry(page.to_owned()).or_default();
        addresses.add(url);
        if is_top {
            url.clone_into(&mut addresses.top);
        }
    }

    /// True if the page has left a document on which the agent has acted, which may still send something.
    pub fn has_left(&self, page: &str) -> bool {
        self.left.contains_key(page)
    }

    /// Forgets a page that is gone, except that the agent has acted on it: its last requests may still come.
    pub fn forget_page(&mut self, page: &str) {
        if self.acted.remove(page) && self.acted_and_gone.len() < MOST_GONE {
            self.acted_and_gone.insert(page.to_owned());
        }
        self.acted_directly.remove(page);
        self.window_groups.remove(page);
        self.documents.remove(page);
        self.left.remove(page);
    }

    /// Records that what follows is caused by a person, who has taken the pages over.
    pub fn begin_takeover(&mut self) {
        self.acted.clear();
        self.acted_directly.clear();
        self.acted_origins.clear();
    }

    /// Returns the address of the top document of a page; empty if unknown.
    pub fn document_url(&self, page: &str) -> &str {
        self.documents.get(page).map(|addresses| addresses.top.as_str()).unwrap_or_default()
    }

    /// Reports whether a request may be caused by an action. A worker without a page counts as acted on once any page is.
    /// `document` is the sender's address; it may be that of the page's previous document.
    pub fn is_acted_on(&self, page: Option<&str>, document: &str) -> bool {
        let Some(page) = page else {
            // A worker without a page goes on with what a document of its site told it, also when that is left.
            let is_present =
                self.documents.values().any(|present| strip_query(&present.top) == strip_query(document));
            let is_of_left =
                || self.left.values().any(|left| left.may_be(document) || left.share_origin(document));
            let is_told = || origin_of(document).is_some_and(|origin| self.acted_origins.contains(&origin));
            return !self.acted.is_empty() || (!is_present && (is_of_left() || is_told()));
        };
        // The present document at the root of its site gives the same address as one that tells only its origin.
        let is_present = strip_query(self.document_url(page)) == strip_query(document);
        let is_of_left = || !is_present && self.left.get(page).is_some_and(|left| left.may_be(document));
        self.acted.contains(page) || self.acted_and_gone.contains(page) || is_of_left()
    }
}

fn origin_of(url: &str) -> Option<String> {
    let origin = Url::parse(url).ok()?.origin();
    origin.is_tuple().then(|| origin.ascii_serialization())
}

/// True for documents that another page writes itself: what it was told goes on in them.
fn is_made_by_page(url: &str) -> bool {
    ["about:", "blob:", "data:"].iter().any(|scheme| url.starts_with(scheme))
}
