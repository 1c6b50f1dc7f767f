//! Rate limit: a token bucket for each peer, which lets a burst pass but not a flood. Requests that steer
//! runs have a reserve that other requests cannot exhaust.

use std::collections::HashMap;
use std::net::{IpAddr, Ipv6Addr};

/// Number of buckets above which full ones are forgotten.
const BUCKETS: usize = 4_096;

/// Budget that a request is counted against.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RateClass {
    /// All requests.
    Common,
    /// Reserve for stopping, pausing, resuming, cancelling and answering.
    Steering,
    /// Reserve for the WebSocket of the UI, which carries all of these as well.
    Socket,
}

impl RateClass {
    /// The reserve of such a request, if it has one.
    pub fn reserve(path: &str, upgrades: bool) -> Option<Self> {
        if upgrades {
            return Some(Self::Socket).filter(|_| path == "/ws");
        }
        steers(path).then_some(Self::Steering)
    }

    /// Returns the maximum burst of one peer and its requests per second.
    fn size(self) -> (f64, f64) {
        match self {
            Self::Common => (1_000.0, 200.0),
            Self::Steering | Self::Socket => (50.0, 5.0),
        }
    }
}

/// True for `/api/runs/{id}/stop` and the like, `/api/questions/{reference}` and
/// `/api/tasks/{task_id}/cancel`.
fn steers(path: &str) -> bool {
    matches!(
        path.split('/').collect::<Vec<_>>().as_slice(),
        ["", "api", "runs", _, "stop" | "pause" | "resume"]
            | ["", "api", "questions", _]
            | ["", "api", "tasks", _, "cancel"]
    )
}

/// Buckets by class and peer. Times are seconds from any fixed moment.
#[derive(Default)]
pub struct Buckets(HashMap<(RateClass, Option<IpAddr>), Bucket>);

struct Bucket {
    left: f64,
    at: f64,
}

impl Buckets {
    /// Takes one request from the common budget, or else from the reserve. Returns the seconds to wait if both are
    /// used up.
    pub fn take_request(
        &mut self,
        peer: Option<IpAddr>,
        reserve: Option<RateClass>,
        now: f64,
    ) -> Result<(), u64> {
        let peer = peer.map(network);
        let mut classes = std::iter::once(RateClass::Common).chain(reserve);
        if classes.any(|class| self.take_from(class, peer, now)) { Ok(()) } else { Err(1) }
    }

    /// Takes one request from one budget, if anything is left there.
    fn take_from(&mut self, class: RateClass, peer: Option<IpAddr>, now: f64) -> bool {
        if self.0.len() >= BUCKETS {
            self.0.retain(|(class, _), bucket| bucket.refill(*class, now) < class.size().0);
        }
        let (burst, _) = class.size();
        let bucket = self.0.entry((class, peer)).or_insert(Bucket { left: burst, at: now });
        *bucket = Bucket { left: bucket.refill(class, now), at: now };
        let enough = bucket.left >= 1.0;
        if enough {
            bucket.left -= 1.0;
        }
        enough
    }
}

impl Bucket {
    fn refill(&self, class: RateClass, now: f64) -> f64 {
        let (burst, per_second) = class.size();
        (self.left + (now - self.at) * per_second).min(burst)
    }
}

/// Returns the /64 network of an IPv6 address, since one household has a whole /64.
pub fn network(ip: IpAddr) -> IpAddr {
    match ip {
        IpAddr::V4(_) => ip,
        IpAddr::V6(v6) => {
            let [a, b, c, d, ..] = v6.segments();
            IpAddr::V6(Ipv6Addr::new(a, b, c, d, 0, 0, 0, 0))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drain(buckets: &mut Buckets, peer: Option<IpAddr>, now: f64) -> usize {
        (0..5_000).take_while(|_| buckets.take_request(peer, None, now).is_ok()).count()
    }

    #[test]
    fn a_burst_passes_then_a_steady_rate() {
        let mut buckets = Buckets::default();
        let peer = Some(IpAddr::from([10, 0, 0, 1]));
        assert_eq!(drain(&mut buckets, peer, 0.0), 1_000);
        assert_eq!(buckets.take_request(peer, None, 0.0), Err(1));
        assert_eq!(drain(&mut buckets, peer, 1.0), 200);
        assert_eq!(drain(&mut buckets, peer, 1_000.0), 1_000, "a bucket never overflows");
    }

    #[test]
    fn peers_have_separate_rate_limits_and_are_forgotten() {
        let mut buckets = Buckets::default();
        drain(&mut buckets, Some(IpAddr::from([10, 0, 0, 1])), 0.0);
        assert_eq!(buckets.take_request(Some(IpAddr::from([10, 0, 0, 2])), None, 0.0), Ok(()));
        for n in 0..5_000_u16 {
            let [high, low] = n.to_be_bytes();
            let _ = buckets.take_request(Some(IpAddr::from([10, 1, high, low])), None, f64::from(n));
        }
        assert!(buckets.0.len() <= BUCKETS);
    }

    #[test]
    fn a_network_of_ipv6_is_one_peer() {
        let mut buckets = Buckets::default();
        let peer = |last| Some(IpAddr::from([0x2001, 0xdb8, 0, 1, 0, 0, 0, last]));
        drain(&mut buckets, peer(1), 0.0);
        assert_eq!(buckets.take_request(peer(2), None, 0.0), Err(1));
    }

    #[test]
    fn control_calls_have_a_limited_reserve_of_their_own() {
        let mut buckets = Buckets::default();
        let peer = Some(IpAddr::from([10, 0, 0, 1]));
        drain(&mut buckets, peer, 0.0);
        for reserve in [RateClass::Steering, RateClass::Socket] {
            let taken =
                (0..5_000).take_while(|_| buckets.take_request(peer, Some(reserve), 0.0).is_ok()).count();
            assert_eq!(taken, 50, "{reserve:?}");
        }
        assert_eq!(drain(&mut buckets, peer, 1.0), 200);
        assert_eq!(
            buckets.take_request(peer, Some(RateClass::Steering), 1.0),
            Ok(()),
            "a reserve fills by itself"
        );
    }

    #[test]
    fn only_control_calls_have_a_reserved_rate() {
        for path in ["/api/runs/r/stop", "/api/runs/r/pause", "/api/runs/r/resume", "/api/questions/q"] {
            assert_eq!(RateClass::reserve(path, false), Some(RateClass::Steering), "{path}");
        }
        assert_eq!(RateClass::reserve("/api/tasks/t/cancel", false), Some(RateClass::Steering));
        assert_eq!(RateClass::reserve("/ws", true), Some(RateClass::Socket));
        for path in
            ["/mcp", "/api/runs", "/api/runs/r/messages", "/api/runs/r/stop/x", "/api/questions", "/ws"]
        {
            assert_eq!(RateClass::reserve(path, false), None, "{path}");
        }
        assert_eq!(RateClass::reserve("/api/runs/r/stop", true), None);
    }
}
