//! Addresses of a page's document and of the frames in it, by which a request is known to come from them.

use crate::page::outgoing_request::HIDDEN_DOCUMENT;
use crate::page::url::strip_query;
use std::collections::VecDeque;
use url::{Origin, Url};

/// Maximum number of addresses that are remembered of a document and its frames.
const MOST_ADDRESSES: usize = 200;

/// Addresses of a page's document: its scripts change them, and frames in it may send something when it is left.
#[derive(Debug, Default)]
pub struct DocumentAddresses {
    /// Present address of the top document.
    pub top: String,
    /// Addresses without query that the top document and its frames have had, oldest first.
    all: VecDeque<String>,
}

impl DocumentAddresses {
    pub fn add(&mut self, url: &str) {
        let url = strip_query(url);
        if self.all.iter().any(|known| known == url) {
            return;
        }
        if self.all.len() == MOST_ADDRESSES {
            self.all.pop_front();
        }
        self.all.push_back(url.to_owned());
    }

    /// Reports whether a sender that gives this address may be one of these documents: it gives theirs, only their origin,
    /// or none.
    pub fn may_be(&self, sender: &str) -> bool {
        let sender = strip_query(sender);
        sender == HIDDEN_DOCUMENT
            || self.all.iter().any(|address| address == sender)
            || tells_only_origin(sender) && self.share_origin(sender)
    }

    /// Reports whether one of these documents has the origin of an address.
    pub fn share_origin(&self, url: &str) -> bool {
        let origin = |url: &str| Url::parse(url).ok().map(|url| url.origin()).filter(Origin::is_tuple);
        origin(url)
            .is_some_and(|wanted| self.all.iter().any(|address| origin(address).as_ref() == Some(&wanted)))
    }
}

/// True for an address without a path, which is all that some pages tell.
pub fn tells_only_origin(url: &str) -> bool {
    url.split_once("://").is_some_and(|(_, rest)| rest.trim_end_matches('/').split('/').count() == 1)
}
