//! Subscriptions to the events of a page.

use crate::browser::cdp::message::CdpEvent;
use std::sync::Arc;
use tokio::sync::mpsc;

/// Subscription to the events of one session.
#[derive(Debug)]
pub(crate) struct Subscription {
    /// True if the subscriber also receives screencast frames.
    pub(crate) pictures: bool,
    pub(crate) to: mpsc::UnboundedSender<Arc<CdpEvent>>,
}

impl Subscription {
    /// Sends an event. Returns false if the subscriber is gone. Screencast frames go only to subscribers that
    /// asked for them, since they would pile up for one that is busy with other work.
    pub(crate) fn deliver(&self, event: &Arc<CdpEvent>) -> bool {
        if event.method == "Page.screencastFrame" && !self.pictures {
            return !self.to.is_closed();
        }
        self.to.send(Arc::clone(event)).is_ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    // A subscriber that waits for something else for a minute would collect thousands of frames.
    #[test]
    fn frames_go_only_to_subscribers_of_pictures() {
        let event =
            |method: &str| Arc::new(CdpEvent { method: method.to_owned(), session: None, params: json!({}) });
        for pictures in [true, false] {
            let (to, mut heard) = mpsc::unbounded_channel();
            let listener = Subscription { pictures, to };
            for method in ["Page.screencastFrame", "Page.loadEventFired"] {
                assert!(listener.deliver(&event(method)));
            }
            let first = heard.try_recv().unwrap();
            assert_eq!(first.method == "Page.screencastFrame", pictures);
            drop(heard);
            assert!(!listener.deliver(&event("Page.screencastFrame")), "one that is gone is forgotten");
        }
    }
}
