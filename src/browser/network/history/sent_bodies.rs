//! Bodies of requests that have left, and places of answers: the values with which later requests are compared.

use crate::browser::network::history::kind::LARGEST_BODY;
use crate::browser::network::request_judge::EarlierBody;
use crate::page::outgoing_request::OutgoingRequest;
use crate::page::url::strip_query;
use std::collections::VecDeque;
use url::Url;

/// Maximum number of bodies and of answers that are remembered.
pub(super) const MOST_BODIES: usize = 64;
/// Shortest last part of a path that names the same thing under another address, in bytes.
const SHORTEST_SPECIAL_NAME: usize = 10;

/// Place where Chromium keeps an answer.
#[derive(Clone, Debug, PartialEq)]
pub struct AnswerPlace {
    /// CDP session of the document or worker that got it.
    pub session: String,
    /// Id of its request in CDP's network events.
    pub network_id: String,
}

/// Last bodies that left, and last answers.
#[derive(Debug, Default)]
pub struct SentBodies {
    /// Last bodies by method and address without query, oldest first.
    bodies: VecDeque<(String, EarlierBody)>,
    /// Last answers by address without query, oldest first.
    answers: VecDeque<(String, AnswerPlace)>,
}

impl SentBodies {
    /// Returns the last body that was sent by the same method to the same path.
    pub fn find_earlier(&self, request: &OutgoingRequest) -> Option<EarlierBody> {
        // All messages of a socket have one address: the last one says nothing about the next.
        if request.is_message() {
            return None;
        }
        let key = body_key(request);
        self.bodies.iter().rev().find(|(of, _)| *of == key).map(|(_, body)| body.clone())
    }

    /// Returns true if a request deletes a thing that the page has stored itself, by a body that left: at the same
    /// address, or under the same name, if that is too special to be another thing's.
    pub fn has_stored(&self, request: &OutgoingRequest) -> bool {
        let Some(deleted) = Url::parse(&request.url).ok().filter(|_| request.method == "DELETE") else {
            return false;
        };
        self.bodies.iter().any(|(key, _)| {
            let stored =
                key.split_once(' ').filter(|(method, _)| matches!(*method, "PUT" | "PATCH" | "POST"));
            stored
                .and_then(|(_, url)| Url::parse(url).ok())
                .is_some_and(|url| names_same_thing(&url, &deleted))
        })
    }

    /// Remembers where the answer from an address is kept.
    pub fn record_answer(&mut self, url: &str, place: AnswerPlace) {
        let url = strip_query(url);
        self.answers.retain(|(of, _)| of != url);
        if self.answers.len() == MOST_BODIES {
            self.answers.pop_front();
        }
        self.answers.push_back((url.to_owned(), place));
    }

    /// Returns the place of the last answer from the address at which a request stores a state.
    pub fn find_answer(&self, request: &OutgoingRequest) -> Option<AnswerPlace> {
        let url = strip_query(&request.url);
        let stores = matches!(request.method.as_str(), "PUT" | "PATCH");
        self.answers.iter().find(|(of, _)| stores && of == url).map(|(_, place)| place.clone())
    }

    /// Remembers the body of a request that left.
    pub fn record_sent(&mut self, request: &OutgoingRequest) {
        let body = request.body.as_ref().filter(|body| body.len() <= LARGEST_BODY && !request.is_message());
        let Some(body) = body else { return };
        let key = body_key(request);
        self.bodies.retain(|(of, _)| *of != key);
        if self.bodies.len() == MOST_BODIES {
            self.bodies.pop_front();
        }
        let content_type = request.content_type.clone();
        self.bodies.push_back((key, EarlierBody { content_type, body: body.clone() }));
    }

    /// Returns the number of bodies that are remembered.
    #[cfg(test)]
    pub fn len(&self) -> usize {
        self.bodies.len()
    }
}

fn names_same_thing(one: &Url, other: &Url) -> bool {
    let name = |url: &Url| url.path_segments().and_then(|mut parts| parts.next_back()).map(str::to_owned);
    let is_special = |name: &String| name.len() >= SHORTEST_SPECIAL_NAME;
    let has_same_name = || name(one).filter(is_special).is_some_and(|own| name(other) == Some(own));
    one.origin() == other.origin() && (one.path() == other.path() || has_same_name())
}

fn body_key(request: &OutgoingRequest) -> String {
    format!("{} {}", request.method, strip_query(&request.url))
}
