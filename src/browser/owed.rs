//! Pictures of a screencast that Chromium waits for our word of. It takes two ahead, and drops what comes then
//! for good: the last one before the page rests may be among them.

use super::link::Session;
use crate::clock::Moment;
use chromiumoxide::cdp::browser_protocol::page::ScreencastFrameAckParams;
use std::cell::Cell;
use std::rc::Rc;

/// The pictures of one screencast.
#[derive(Clone, Debug, Default)]
pub struct InFlight(Rc<Counts>);

#[derive(Debug, Default)]
struct Counts {
    owed: Cell<u32>,
    /// When the last one was acknowledged, in Unix milliseconds.
    acknowledged: Cell<f64>,
    /// A picture came while another was under way.
    crowded: Cell<bool>,
}

/// One of them. It is acknowledged with the end of this.
#[derive(Debug)]
pub struct Owed {
    session: Session,
    number: i64,
    all: InFlight,
}

impl InFlight {
    /// Another came, taken then.
    pub fn one(&self, session: Session, number: i64, taken_ms: f64) -> Owed {
        let Counts { owed, acknowledged, crowded } = &*self.0;
        if owed.get() > 0 || taken_ms <= acknowledged.get() {
            crowded.set(true);
        }
        owed.set(owed.get() + 1);
        Owed { session, number, all: self.clone() }
    }

    /// Whether one may have been dropped.
    pub fn is_crowded(&self) -> bool {
        self.0.crowded.get()
    }
}

impl Drop for Owed {
    fn drop(&mut self) {
        self.session.post(ScreencastFrameAckParams::new(self.number));
        let Counts { owed, acknowledged, .. } = &*self.all.0;
        owed.set(owed.get() - 1);
        acknowledged.set(Moment::now().millis() as f64);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::browser::link::Link;

    #[test]
    fn two_at_once_may_have_cost_a_third() {
        let (all, session) = (InFlight::default(), Link::nowhere().browser());
        let soon = Moment::now().millis() as f64 + 60_000.0;
        drop(all.one(session.clone(), 1, 1000.0));
        drop(all.one(session.clone(), 2, soon));
        assert!(!all.is_crowded(), "one after the other");
        drop(all.one(session.clone(), 3, 1000.0));
        assert!(all.is_crowded(), "taken before the one before it was acknowledged");
        let all = InFlight::default();
        let first = all.one(session.clone(), 4, soon);
        drop(all.one(session, 5, soon));
        drop(first);
        assert!(all.is_crowded(), "one of them was owed still");
    }
}
