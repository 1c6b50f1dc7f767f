//! Watch of a frame at rest. A frame with nothing that may be a secret field tells when it changes, so that it needs no
//! query after each picture. Chromium sends this reply before the picture that shows the change.

use crate::browser::cdp::connection::PendingReply;
use crate::browser::page::tab::Tab;
use std::cell::RefCell;

#[derive(Debug, Default)]
pub struct RestWatch(RefCell<Option<PendingReply>>);

impl RestWatch {
    /// Begins the watch, for a frame that was found at rest and without anything to hide.
    pub fn begin(&self, frame_tab: &Tab) {
        self.0.replace(frame_tab.begin_call("nextChange()"));
    }

    /// Reports whether the watch goes on: nothing has changed since it began, and the document is still there.
    pub fn is_at_rest(&self) -> bool {
        let mut watch = self.0.borrow_mut();
        watch.take_if(PendingReply::has_come);
        watch.is_some()
    }
}
