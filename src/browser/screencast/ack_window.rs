//! Unacknowledged screencast frames. Chromium sends at most two ahead and discards further ones, possibly
//! including the last before the page comes to rest.

use crate::browser::cdp::connection::Session;
use crate::clock::Moment;
use chromiumoxide::cdp::browser_protocol::page::ScreencastFrameAckParams;
use std::cell::Cell;
use std::rc::Rc;

/// Unacknowledged frames of one screencast.
#[derive(Clone, Debug, Default)]
pub struct AckWindow(Rc<Counts>);

#[derive(Debug, Default)]
struct Counts {
    unacknowledged: Cell<u32>,
    /// Time of the last acknowledgement, in Unix milliseconds.
    acknowledged: Cell<f64>,
    /// True if a frame was captured while another was unacknowledged.
    crowded: Cell<bool>,
}

/// An unacknowledged frame. Dropping it acknowledges the frame.
#[derive(Debug)]
pub struct UnacknowledgedFrame {
    session: Session,
    number: i64,
    all: AckWindow,
}

impl AckWindow {
    /// Adds a frame with its capture time.
    pub fn add_frame(&self, session: Session, number: i64, taken_ms: f64) -> UnacknowledgedFrame {
        let Counts { unacknowledged, acknowledged, crowded } = &*self.0;
        if unacknowledged.get() > 0 || taken_ms <= acknowledged.get() {
            crowded.set(true);
        }
        unacknowledged.set(unacknowledged.get() + 1);
        UnacknowledgedFrame { session, number, all: self.clone() }
    }

    /// Reports whether Chromium may have discarded a frame.
    pub fn is_crowded(&self) -> bool {
        self.0.crowded.get()
    }
}

impl Drop for UnacknowledgedFrame {
    fn drop(&mut self) {
        self.session.post(ScreencastFrameAckParams::new(self.number));
        let Counts { unacknowledged, acknowledged, .. } = &*self.all.0;
        unacknowledged.set(unacknowledged.get() - 1);
        acknowledged.set(Moment::now().millis() as f64);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::browser::cdp::connection::Connection;

    #[test]
    fn two_unacknowledged_frames_may_have_dropped_a_third() {
        let (all, session) = (AckWindow::default(), Connection::disconnected().browser());
        let soon = Moment::now().millis() as f64 + 60_000.0;
        drop(all.add_frame(session.clone(), 1, 1000.0));
        drop(all.add_frame(session.clone(), 2, soon));
        assert!(!all.is_crowded(), "one after the other");
        drop(all.add_frame(session.clone(), 3, 1000.0));
        assert!(all.is_crowded(), "taken before the one before it was acknowledged");
        let all = AckWindow::default();
        let first = all.add_frame(session.clone(), 4, soon);
        drop(all.add_frame(session, 5, soon));
        drop(first);
        assert!(all.is_crowded(), "one of them was owed still");
    }
}
