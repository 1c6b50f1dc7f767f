//! Watch of a frame at rest. A frame with nothing that may be a secret field tells when it changes, so that it needs no
//! query after each picture. Chromium sends this reply before the picture that shows the change.

use crate::browser::cdp::connection::PendingReply;
use std::cell::RefCell;

#[derive(Debug, Default)]
pub struct RestWatch(RefCell<Option<PendingReply>>);

impl RestWatch {
    /// Begins the watch, for a frame that was found at rest and without anything to hide. `next_change` comes at the
    /// frame's next change; `None` if it could not be asked for.
    pub fn begin(&self, next_change: Option<PendingReply>) {
        self.0.replace(next_change);
    }

    /// Reports whether the watch goes on: nothing has changed since it began, and the document is still there.
    pub fn is_at_rest(&self) -> bool {
        let mut watch = self.0.borrow_mut();
        watch.take_if(PendingReply::has_come);
        watch.is_some()
    }
}
