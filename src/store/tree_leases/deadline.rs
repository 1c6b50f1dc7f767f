//! Deadline of a node's lease, after which another node may have taken its trees.

use crate::clock::BootTime;
use std::time::Duration;
use tokio::sync::watch;

/// Longest margin before the end of a lease.
const LONGEST_MARGIN: Duration = Duration::from_secs(1);

/// Moment until which commands may be sent to pages. Clones share it.
#[derive(Clone, Debug)]
pub struct LeaseDeadline(watch::Sender<Limit>);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Limit {
    /// The store is of this service alone.
    Never,
    At(BootTime),
    /// The leases were given back or lost.
    Over,
}

impl Default for LeaseDeadline {
    /// Creates a deadline that never comes.
    fn default() -> Self {
        Self(watch::Sender::new(Limit::Never))
    }
}

impl LeaseDeadline {
    /// Extends the deadline after a renewal that was sent at `sent` and lasts for `ttl`.
    pub fn extend(&self, sent: BootTime, ttl: Duration) {
        self.0.send_replace(Limit::At(last_moment(sent, ttl)));
    }

    /// Ends the time for commands until the deadline is extended.
    pub fn end(&self) {
        self.0.send_replace(Limit::Over);
    }

    /// Returns the time that is left for commands; `None` if there is no deadline, or none any more.
    pub fn time_left(&self) -> Option<Duration> {
        match *self.0.borrow() {
            Limit::Never | Limit::Over => None,
            Limit::At(last) => Some(BootTime::now().until(last)),
        }
    }

    /// Returns a future that ends with the next change of the deadline.
    pub fn next_change(&self) -> impl Future<Output = ()> + use<> {
        let mut limits = self.0.subscribe();
        let kept = self.0.clone();
        async move {
            // Fails only without a sender, and one is kept.
            let _ = limits.changed().await;
            drop(kept);
        }
    }

    /// True if a command may be sent now.
    pub fn allows_commands(&self) -> bool {
        allows(*self.0.borrow(), BootTime::now())
    }

    /// Waits until commands may be sent.
    pub async fn wait_until_extended(&self) {
        let mut limits = self.0.subscribe();
        // Fails only without a sender, and this is one.
        let _ = limits.wait_for(|limit| allows(*limit, BootTime::now())).await;
    }
}

fn allows(limit: Limit, now: BootTime) -> bool {
    match limit {
        Limit::Never => true,
        Limit::At(last) => now < last,
        Limit::Over => false,
    }
}

/// Returns the last moment for commands under a lease of `ttl` whose renewal was sent at `sent`. The server counts from the
/// arrival of the renewal, which is later. The margin is for a command on its way to the page.
fn last_moment(sent: BootTime, ttl: Duration) -> BootTime {
    sent.plus(ttl.saturating_sub((ttl / 10).min(LONGEST_MARGIN)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ms: u64) -> BootTime {
        BootTime::from_start(Duration::from_millis(ms))
    }

    #[test]
    fn commands_end_before_the_lease_by_a_tenth_and_at_most_a_second() {
        for (ttl_ms, last_ms) in [(0, 0), (10, 9), (1_000, 900), (10_000, 9_000), (60_000, 59_000)] {
            let ttl = Duration::from_millis(ttl_ms);
            assert_eq!(last_moment(at(500), ttl), at(500 + last_ms), "{ttl_ms}");
            let limit = Limit::At(last_moment(at(500), ttl));
            // A renewal that arrives late does not lengthen the lease: the count begins before it was sent.
            assert!(!allows(limit, at(500 + ttl_ms)), "{ttl_ms}");
            assert!(ttl_ms == 0 || allows(limit, at(499 + last_ms)), "{ttl_ms}");
        }
        assert!(allows(Limit::Never, at(u64::MAX)) && !allows(Limit::Over, at(0)));
    }

    #[tokio::test]
    async fn commands_go_on_when_the_deadline_is_extended() {
        let deadline = LeaseDeadline::default();
        assert!(deadline.allows_commands());
        deadline.end();
        let other = deadline.clone();
        assert!(!other.allows_commands());
        deadline.extend(BootTime::now(), Duration::from_secs(60));
        other.wait_until_extended().await;
        assert!(other.allows_commands());
        deadline.extend(BootTime::from_start(Duration::ZERO), Duration::from_millis(1));
        assert!(!other.allows_commands());
    }
}
