//! What a person does on the page and the page has not answered yet.

use std::cell::Cell;
use std::rc::Rc;
use std::time::Duration;
use tokio::sync::Notify;

/// The page is compared without waiting longer for what they did last.
const LAST_INPUT: Duration = Duration::from_secs(1);

/// Inputs that the page has not answered yet.
#[derive(Clone, Debug, Default)]
pub struct UnderWay(Rc<(Cell<u32>, Notify)>);

/// One of them, until this is dropped.
#[derive(Debug)]
pub struct OneUnderWay(UnderWay);

impl UnderWay {
    pub fn one(&self) -> OneUnderWay {
        self.0.0.set(self.0.0.get() + 1);
        OneUnderWay(self.clone())
    }

    /// What they did last shows on the page, unless it takes too long.
    pub async fn over(&self) {
        let over = async {
            while self.0.0.get() > 0 {
                self.0.1.notified().await;
            }
        };
        let _ = tokio::time::timeout(LAST_INPUT, over).await;
    }
}

impl Drop for OneUnderWay {
    fn drop(&mut self) {
        let UnderWay(inner) = &self.0;
        inner.0.set(inner.0.get() - 1);
        inner.1.notify_waiters();
    }
}
