//! Comparison of a page before and after a gesture, to tell one that did something from one that did not.

use crate::browser::cdp::message::CdpEvents;
use crate::browser::page::tab::Tab;
use std::time::Duration;

/// Time that a page may take to show that something moved.
const SHOWN_WITHIN: Duration = Duration::from_secs(4);

/// State of a page before a gesture.
pub struct PageChange<'a> {
    tab: &'a Tab,
    events: CdpEvents,
}

impl<'a> PageChange<'a> {
    /// Remembers the page and its frames as they are.
    pub async fn watch(tab: &'a Tab) -> Result<Self, crate::browser::error::PageError> {
        let events = tab.session.listen();
        tab.call_script::<bool>("rememberState()").await?;
        tab.in_frames::<bool>("askfirst.rememberState()").await;
        Ok(Self { tab, events })
    }

    /// Waits until the page is still, and reports whether anything is different: the document, fields, scroll positions,
    /// requests sent; but not what the page changes by itself, as a clock. What is drawn on a canvas cannot be compared; where
    /// one of the elements has such a part, a change is assumed.
    pub async fn has_happened(mut self, eids: &[u32]) -> bool {
        let named = serde_json::Value::from(eids);
        let call = format!("askfirst.stateChanged({named})");
        let compare = async {
            // A page that went elsewhere has changed.
            self.tab.run_once::<bool>(&call).await.unwrap_or(true)
                || self.tab.in_frames::<bool>(&call).await.iter().any(|(_, changed)| *changed)
        };
        if tokio::time::timeout(SHOWN_WITHIN, compare).await.unwrap_or(true) {
            return true;
        }
        let mut has_sent = false;
        while let Ok(event) = self.events.try_recv() {
            has_sent |= matches!(event.method.as_str(), "Network.requestWillBeSent" | "Fetch.requestPaused");
        }
        has_sent
    }
}
