//! Pending input: events of a take-over that the page has not processed yet.

use std::time::Duration;
use tokio::sync::watch;

/// Time limit for the last input before the page is compared at the hand-back.
const LAST_INPUT: Duration = Duration::from_secs(1);

/// Input events that the page has not processed yet: one receiver each.
#[derive(Clone, Debug, Default)]
pub struct PendingInput(watch::Sender<()>);

/// A pending event. Dropping it marks the event as processed.
#[derive(Debug)]
pub struct PendingEvent {
    _counted: watch::Receiver<()>,
}

impl PendingInput {
    pub fn add(&self) -> PendingEvent {
        PendingEvent { _counted: self.0.subscribe() }
    }

    /// Waits until the page has processed all input, at most a second.
    pub async fn wait_until_processed(&self) {
        let _ = tokio::time::timeout(LAST_INPUT, self.0.closed()).await;
    }
}
