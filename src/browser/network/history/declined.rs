//! Requests that a person declined.

use crate::browser::network::history::kind::hash_request;
use crate::page::outgoing_request::OutgoingRequest;
use std::collections::{HashMap, HashSet};

/// Maximum number of requests that are remembered as declined.
const MOST_DECLINED: usize = 1000;
/// Number of times after which a declined request is not asked about again.
const DECLINED_FOR_GOOD: u32 = 2;

/// Requests that a person declined.
#[derive(Debug, Default)]
pub struct DeclinedRequests {
    /// Kinds of requests that a person declined since the last action.
    kinds: HashSet<String>,
    /// Requests that a person declined, by their hash, with the number of times.
    requests: HashMap<String, u32>,
}

impl DeclinedRequests {
    /// Has requests of declined kinds asked about again, since an action may be meant to repeat them. What was declined twice
    /// stays declined.
    pub fn begin_action(&mut self) {
        self.kinds.clear();
    }

    /// Forgets what a person declined.
    pub fn forget(&mut self) {
        self.kinds.clear();
        self.requests.clear();
    }

    /// Records that a person declined a request of which only the kind is known.
    pub fn record_kind(&mut self, kind: &str) {
        self.kinds.insert(kind.to_owned());
    }

    /// Records that a person declined a request.
    pub fn record(&mut self, request: &OutgoingRequest, kind: &str) {
        self.record_kind(kind);
        if self.requests.len() == MOST_DECLINED {
            self.requests.clear();
        }
        *self.requests.entry(hash_request(request)).or_default() += 1;
    }

    /// Reports whether a page repeats by itself what a person declined: a request of that kind before the next
    /// action, or the very request that was declined twice.
    pub fn contains(&self, request: &OutgoingRequest, kind: &str) -> bool {
        let times = || self.requests.get(&hash_request(request)).copied().unwrap_or_default();
        self.kinds.contains(kind) || (!self.requests.is_empty() && times() >= DECLINED_FOR_GOOD)
    }
}
