//! Limits guesses of the token: each client may be wrong a few times, then only once in a while. Repeating
//! the same wrong token is no guess and does not count.

use crate::http::guard::rate_limit::network;
use crate::http::problem::Problem;
use actix_web::http::StatusCode;
use sha2::{Digest, Sha256};
use std::collections::{HashMap, VecDeque};
use std::net::IpAddr;

/// Number of wrong tokens judged at once, and seconds until one more is.
const BURST: f64 = 10.0;
const REFILL_S: f64 = 10.0;
/// Number of wrong tokens remembered for each client.
const REMEMBERED: usize = 8;
/// Number of clients above which those without recent wrong tokens are forgotten.
const CLIENTS: usize = 4_096;

/// Refuses a client that has guessed too often.
pub(crate) fn guessed_too_much(wait_s: u64) -> Problem {
    let detail = format!("too many wrong tokens from this address; try again in {wait_s} seconds");
    Problem::new(StatusCode::TOO_MANY_REQUESTS, "too_many_guesses", detail).retry_after(wait_s)
}

/// Failed attempts by client. Times are seconds from any fixed moment.
#[derive(Default)]
pub struct Guesses(HashMap<Option<IpAddr>, Tries>);

struct Tries {
    left: f64,
    at: f64,
    seen: VecDeque<[u8; 32]>,
}

impl Guesses {
    /// Judges a token. If this client has guessed too often, returns the seconds to wait without judging it,
    /// because a result would be worth a further guess.
    pub fn judge(&mut self, client: Option<IpAddr>, shown: &str, right: bool, now: f64) -> Result<bool, u64> {
        let client = client.map(network);
        let Some(tries) = self.0.get_mut(&client) else {
            if !right {
                self.begin(client, shown, now);
            }
            return Ok(right);
        };
        tries.left = (tries.left + (now - tries.at) / REFILL_S).min(BURST);
        tries.at = now;
        let hash: [u8; 32] = Sha256::digest(shown.as_bytes()).into();
        if tries.seen.contains(&hash) {
            return Ok(false);
        }
        if tries.left < 1.0 {
            return Err(((1.0 - tries.left) * REFILL_S).ceil() as u64);
        }
        if !right {
            tries.left -= 1.0;
            tries.remember(hash);
        }
        Ok(right)
    }

    fn begin(&mut self, client: Option<IpAddr>, shown: &str, now: f64) {
        if self.0.len() >= CLIENTS {
            self.0.retain(|_, tries| tries.left + (now - tries.at) / REFILL_S < BURST);
        }
        let mut tries = Tries { left: BURST - 1.0, at: now, seen: VecDeque::new() };
        tries.remember(Sha256::digest(shown.as_bytes()).into());
        self.0.insert(client, tries);
    }
}

impl Tries {
    fn remember(&mut self, hash: [u8; 32]) {
        if self.seen.len() == REMEMBERED {
            self.seen.pop_front();
        }
        self.seen.push_back(hash);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_client_that_guesses_tokens_is_locked_out() {
        let mut guesses = Guesses::default();
        let (first, other) = (Some("203.0.113.7".parse().unwrap()), Some("203.0.113.8".parse().unwrap()));
        for n in 0..10 {
            assert_eq!(guesses.judge(first, &format!("guess {n}"), false, 0.0), Ok(false));
        }
        assert_eq!(guesses.judge(first, "guess 11", false, 0.0), Err(10));
        assert_eq!(
            guesses.judge(first, "the token", true, 0.0),
            Err(10),
            "a right guess is no answer either"
        );
        assert_eq!(guesses.judge(other, "the token", true, 0.0), Ok(true), "others are not locked out");
        assert_eq!(guesses.judge(first, "guess 12", false, 10.0), Ok(false), "one more after a while");
        assert_eq!(guesses.judge(first, "guess 13", false, 10.0), Err(10));
        assert_eq!(guesses.judge(first, "the token", true, 30.0), Ok(true));
    }

    #[test]
    fn a_program_with_an_old_token_locks_nobody_out() {
        let mut guesses = Guesses::default();
        let client = Some("127.0.0.1".parse().unwrap());
        for n in 0..1_000 {
            assert_eq!(guesses.judge(client, "old", false, f64::from(n) / 100.0), Ok(false));
        }
        assert_eq!(guesses.judge(client, "the token", true, 10.0), Ok(true));
    }

    #[test]
    fn an_ipv6_network_counts_as_one_client_and_old_clients_are_forgotten() {
        let mut guesses = Guesses::default();
        for n in 0..10 {
            let client = Some(format!("2001:db8::{n}").parse().unwrap());
            assert_eq!(guesses.judge(client, &n.to_string(), false, 0.0), Ok(false));
        }
        assert!(guesses.judge(Some("2001:db8::99".parse().unwrap()), "x", false, 0.0).is_err());
        for n in 0..10_000_u32 {
            let client = Some(IpAddr::from(n.to_be_bytes()));
            assert_eq!(guesses.judge(client, "x", false, f64::from(n)), Ok(false));
        }
        assert!(guesses.0.len() <= CLIENTS);
    }
}
