//! Pending input: events of a take-over that the page has not processed yet.

use std::cell::Cell;
use std::rc::Rc;
use std::time::Duration;
use tokio::sync::Notify;

/// Time limit for the last input before the page is compared at the hand-back.
const LAST_INPUT: Duration = Duration::from_secs(1);

/// Counter of input events that the page has not processed yet.
#[derive(Clone, Debug, Default)]
pub struct PendingInput(Rc<(Cell<u32>, Notify)>);

/// A pending event. Dropping it marks the event as processed.
#[derive(Debug)]
pub struct PendingEvent(PendingInput);

impl PendingInput {
    pub fn add(&self) -> PendingEvent {
        self.0.0.set(self.0.0.get() + 1);
        PendingEvent(self.clone())
    }

    /// Waits until the page has processed all input, at most a second.
    pub async fn wait_until_processed(&self) {
        let over = async {
            while self.0.0.get() > 0 {
                self.0.1.notified().await;
            }
        };
        let _ = tokio::time::timeout(LAST_INPUT, over).await;
    }
}

impl Drop for PendingEvent {
    fn drop(&mut self) {
        let PendingInput(inner) = &self.0;
        inner.0.set(inner.0.get() - 1);
        inner.1.notify_waiters();
    }
}
