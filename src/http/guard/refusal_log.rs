//! Log of refused requests: the client's address without the contents of the request, and limited in rate.

use crate::http::guard::forwarded_headers::Arrival;
use actix_web::dev::RequestHead;
use std::sync::{Mutex, PoisonError};

/// Maximum burst of lines, and lines per second.
const BURST: f64 = 50.0;
const PER_SECOND: f64 = 2.0;
/// Maximum length of a logged path, in characters.
const PATH: usize = 200;

pub struct RefusalLog {
    /// Private to this file and locked for a few instructions.
    budget: Mutex<Budget>,
}

struct Budget {
    left: f64,
    at: f64,
    omitted: u64,
}

impl Default for RefusalLog {
    fn default() -> Self {
        Self { budget: Mutex::new(Budget { left: BURST, at: 0.0, omitted: 0 }) }
    }
}

impl RefusalLog {
    /// Logs a refusal, if the rate allows it. `now` is in seconds from any fixed moment.
    pub fn note(&self, head: &RequestHead, arrival: &Arrival, code: &str, reason: &str, now: f64) {
        let Some(omitted) = self.budget.lock().unwrap_or_else(PoisonError::into_inner).take(now) else {
            return;
        };
        let path: String = head.uri.path().chars().take(PATH).collect();
        let (client, method) = (arrival.client_text(), &head.method);
        // The path is logged quoted (`?`), because it comes from the client and may contain anything.
        tracing::warn!(%client, %code, %method, ?path, reason, unsaid = omitted, "request refused");
    }
}

impl Budget {
    /// Returns the number of refusals omitted before this one, or `None` if this one is omitted too.
    fn take(&mut self, now: f64) -> Option<u64> {
        self.left = (self.left + (now - self.at) * PER_SECOND).min(BURST);
        self.at = now;
        if self.left < 1.0 {
            self.omitted += 1;
            return None;
        }
        self.left -= 1.0;
        Some(std::mem::take(&mut self.omitted))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flood_of_refusals_is_counted_and_not_written() {
        let mut budget = Budget { left: BURST, at: 0.0, omitted: 0 };
        let written = (0..1_000).filter(|_| budget.take(0.0).is_some()).count();
        assert_eq!(written, 50);
        assert_eq!(budget.take(1.0), Some(950));
        assert_eq!(budget.take(1.0), Some(0));
        assert_eq!(budget.take(1.0), None);
    }
}
