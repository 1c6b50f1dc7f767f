//! Places of frames and workers: the page and the browser context to which each belongs. Pure; fed with events.

use crate::browser::cdp::message::CdpEvent;
use std::collections::{HashMap, VecDeque};

/// Maximum number of places that are remembered of what is gone.
const MOST_GONE: usize = 200;

/// Place of a frame or worker.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct FramePlace {
    /// Id of the browser context.
    pub(crate) context: String,
    /// Target id of the page; `None` for a worker that belongs to no page.
    pub(crate) page: Option<String>,
}

/// Places by frame id or target id. Chromium names the main frame, and a frame with its own process, like its
/// target.
#[derive(Debug, Default)]
pub(crate) struct FramePlaces {
    places: HashMap<String, FramePlace>,
    /// Places of frames and workers that are gone, oldest first: beacons outlive their frame.
    gone: VecDeque<(String, FramePlace)>,
    /// Frame or worker of each session.
    sessions: HashMap<String, String>,
}

impl FramePlaces {
    pub(crate) fn find(&self, frame: &str) -> Option<FramePlace> {
        let gone = || self.gone.iter().rev().find(|(id, _)| id == frame).map(|(_, place)| place);
        self.places.get(frame).or_else(gone).cloned()
    }

    /// Follows frames and targets. Returns true if a place is new.
    pub(crate) fn handle_event(&mut self, event: &CdpEvent) -> bool {
        match event.method.as_str() {
            "Target.targetCreated" | "Target.attachedToTarget" => self.add_target(event),
            "Page.frameAttached" => {
                let outer = self.places.get(event.text("/parentFrameId")).cloned();
                let place = outer.or_else(|| self.place_of_session(event.session.as_deref()));
                let Some(place) = place else { return false };
                self.places.insert(event.text("/frameId").to_owned(), place).is_none()
            }
            "Page.frameDetached" if event.text("/reason") == "remove" => {
                self.remove(event.text("/frameId"));
                false
            }
            "Target.targetDestroyed" => {
                self.remove(event.text("/targetId"));
                false
            }
            "Target.detachedFromTarget" => {
                self.sessions.remove(event.text("/sessionId"));
                false
            }
            _ => false,
        }
    }

    fn remove(&mut self, id: &str) {
        let Some(place) = self.places.remove(id) else { return };
        if self.gone.len() == MOST_GONE {
            self.gone.pop_front();
        }
        self.gone.push_back((id.to_owned(), place));
    }

    fn add_target(&mut self, event: &CdpEvent) -> bool {
        let id = event.text("/targetInfo/targetId").to_owned();
        let session = event.text("/sessionId");
        if !session.is_empty() {
            self.sessions.insert(session.to_owned(), id.clone());
        }
        let page = match event.text("/targetInfo/type") {
            "page" => Some(id.clone()),
            _ => self.place_of_session(event.session.as_deref()).and_then(|outer| outer.page),
        };
        let known = self.places.get(&id).and_then(|place| place.page.clone());
        let context = event.text("/targetInfo/browserContextId").to_owned();
        self.places.insert(id, FramePlace { context, page: page.or(known) }).is_none()
    }

    fn place_of_session(&self, session: Option<&str>) -> Option<FramePlace> {
        self.places.get(self.sessions.get(session?)?).cloned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn event(method: &str, session: Option<&str>, params: Value) -> CdpEvent {
        CdpEvent { method: method.to_owned(), session: session.map(str::to_owned), params }
    }

    fn target(kind: &str, id: &str) -> Value {
        json!({"targetId": id, "type": kind, "browserContextId": "C"})
    }

    #[test]
    fn frames_and_workers_belong_to_the_page_that_has_them() {
        let mut places = FramePlaces::default();
        assert!(places.handle_event(&event(
            "Target.targetCreated",
            None,
            json!({"targetInfo": target("page", "P")})
        )));
        let attached = |kind: &str, id: &str, session: &str| json!({"sessionId": session, "targetInfo": target(kind, id)});
        places.handle_event(&event("Target.attachedToTarget", None, attached("page", "P", "S")));
        let child = json!({"frameId": "F", "parentFrameId": "P"});
        assert!(places.handle_event(&event("Page.frameAttached", Some("S"), child)));
        places.handle_event(&event("Target.attachedToTarget", Some("S"), attached("iframe", "O", "S2")));
        places.handle_event(&event("Target.attachedToTarget", Some("S2"), attached("worker", "W", "S3")));
        places.handle_event(&event(
            "Target.targetCreated",
            None,
            json!({"targetInfo": target("service_worker", "X")}),
        ));
        for (frame, page) in
            [("P", Some("P")), ("F", Some("P")), ("O", Some("P")), ("W", Some("P")), ("X", None)]
        {
            let place = places.find(frame).unwrap();
            assert_eq!((place.context.as_str(), place.page.as_deref()), ("C", page), "{frame}");
        }
        assert_eq!(places.find("unknown"), None);
        places.handle_event(&event(
            "Page.frameDetached",
            Some("S"),
            json!({"frameId": "F", "reason": "swap"}),
        ));
        assert!(places.find("F").is_some(), "it only has another process now");
        places.handle_event(&event(
            "Page.frameDetached",
            Some("S"),
            json!({"frameId": "F", "reason": "remove"}),
        ));
        assert!(places.find("F").is_some(), "its last requests may still come");
        for number in 0..MOST_GONE {
            let frame = number.to_string();
            let attached = json!({"frameId": frame, "parentFrameId": "P"});
            places.handle_event(&event("Page.frameAttached", Some("S"), attached));
            let detached = json!({"frameId": frame, "reason": "remove"});
            places.handle_event(&event("Page.frameDetached", Some("S"), detached));
        }
        assert_eq!(places.find("F"), None);
    }
}
