//! A token bucket for each peer: a burst passes, a flood does not.

use std::collections::HashMap;
use std::net::{IpAddr, Ipv6Addr};

/// How many requests one peer may send at once, and how many more each second.
const BURST: f64 = 1_000.0;
const PER_SECOND: f64 = 200.0;
/// Above this many peers, those whose buckets are full again are forgotten.
const PEERS: usize = 4_096;

/// Buckets by peer; times are seconds from any fixed moment.
#[derive(Default)]
pub struct Buckets(HashMap<Option<IpAddr>, Bucket>);

struct Bucket {
    left: f64,
    at: f64,
}

impl Buckets {
    /// Takes one request's worth; where nothing is left, says how many seconds to wait.
    pub fn take(&mut self, peer: Option<IpAddr>, now: f64) -> Result<(), u64> {
        if self.0.len() >= PEERS {
            self.0.retain(|_, bucket| bucket.left + (now - bucket.at) * PER_SECOND < BURST);
        }
        let bucket = self.0.entry(peer.map(network)).or_insert(Bucket { left: BURST, at: now });
        bucket.left = (bucket.left + (now - bucket.at) * PER_SECOND).min(BURST);
        bucket.at = now;
        if bucket.left < 1.0 {
            return Err(1);
        }
        bucket.left -= 1.0;
        Ok(())
    }
}

/// One household of IPv6 has a whole /64 of addresses.
fn network(ip: IpAddr) -> IpAddr {
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
        (0..5_000).take_while(|_| buckets.take(peer, now).is_ok()).count()
    }

    #[test]
    fn a_burst_passes_then_a_steady_rate() {
        let mut buckets = Buckets::default();
        let peer = Some(IpAddr::from([10, 0, 0, 1]));
        assert_eq!(drain(&mut buckets, peer, 0.0), 1_000);
        assert_eq!(buckets.take(peer, 0.0), Err(1));
        assert_eq!(drain(&mut buckets, peer, 1.0), 200);
        assert_eq!(drain(&mut buckets, peer, 1_000.0), 1_000, "a bucket never overflows");
    }

    #[test]
    fn peers_do_not_pay_for_each_other_and_are_forgotten() {
        let mut buckets = Buckets::default();
        drain(&mut buckets, Some(IpAddr::from([10, 0, 0, 1])), 0.0);
        assert_eq!(buckets.take(Some(IpAddr::from([10, 0, 0, 2])), 0.0), Ok(()));
        for n in 0..5_000_u16 {
            let [high, low] = n.to_be_bytes();
            let _ = buckets.take(Some(IpAddr::from([10, 1, high, low])), f64::from(n));
        }
        assert!(buckets.0.len() <= PEERS);
    }

    #[test]
    fn a_network_of_ipv6_is_one_peer() {
        let mut buckets = Buckets::default();
        let peer = |last| Some(IpAddr::from([0x2001, 0xdb8, 0, 1, 0, 0, 0, last]));
        drain(&mut buckets, peer(1), 0.0);
        assert_eq!(buckets.take(peer(2), 0.0), Err(1));
    }
}
