//! Retries of agent calls, shared by conversations, plans and lanes: whether a failed call is made again,
//! after which delay, and whether another call may start next to those at work. Pure.

use crate::engine::program::ended_child::EndedChild;
use crate::protocol::Status;
use std::time::Duration;

/// Error types that the same input causes every time.
const PERMANENT_ERRORS: [&str; 3] = ["secret_of_pages", "secret_gone", "template"];
/// The exponent of the longest delay: 2^6 seconds.
const MAX_BACKOFF_EXPONENT: u32 = 6;

/// The number of tries made, and the limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tries {
    /// Tries so far, from 1.
    pub made: u32,
    /// Limit, the first try included.
    pub most: u32,
}

/// Returns the delay before the next try, or `None` if there is to be none (S2.23, C11): tries and time must
/// be left, nobody must have wanted the end, and the failure must not be one that the same input repeats.
/// `left` is the time left of the whole, if that is limited.
pub fn retry_delay(child: &EndedChild, tries: Tries, left: Option<Duration>) -> Option<Duration> {
    let wait = backoff(tries.made);
    let fits = left.is_none_or(|left| left > wait);
    (tries.made < tries.most && fits && is_retryable(child)).then_some(wait)
}

/// Returns the delay after `made` tries: 1, 2, 4 … 64 seconds.
pub fn backoff(made: u32) -> Duration {
    Duration::from_secs(1 << made.saturating_sub(1).min(MAX_BACKOFF_EXPONENT))
}

/// Reports whether another try may succeed. A call that a person stopped or denied is not repeated behind
/// their back. A used-up budget would stop the next try too, while each try has the full time again. Missing
/// input is missing the next time as well.
fn is_retryable(child: &EndedChild) -> bool {
    let is_permanent =
        child.cause.as_ref().is_some_and(|cause| PERMANENT_ERRORS.contains(&&*cause.error_type));
    match child.outcome {
        Status::Failed => !is_permanent,
        Status::Exhausted => child.late,
        Status::Cancelled
        | Status::Denied
        | Status::Blocked
        | Status::Skipped
        | Status::Succeeded
        | Status::Partial
        | Status::Queued
        | Status::Running
        | Status::Waiting
        | Status::Paused => false,
    }
}

/// Reports whether another call may start. `at_work` holds, for each call at work, whether it drives the
/// browser; only one agent at a time may drive the browser of the run tree.
pub fn has_room(at_work: impl IntoIterator<Item = bool>, width: usize, browses: bool) -> bool {
    let mut count = 0;
    let browsing = at_work.into_iter().inspect(|_| count += 1).filter(|drives| *drives).count();
    count < width && !(browses && browsing > 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::program::ended_child::FailureCause;
    use crate::ids::RunId;
    use serde_json::Map;

    fn child(outcome: Status, late: bool, error: Option<&str>) -> EndedChild {
        let cause =
            error.map(|word| FailureCause { error: word.into(), error_type: word.into(), traceback: None });
        EndedChild { run: RunId::from("r"), outcome, late, vars: Map::new(), response: None, cause }
    }

    fn seconds(seconds: u64) -> Option<Duration> {
        Some(Duration::from_secs(seconds))
    }

    // Once the budget of the tree is used up, every further try would be refused (S2.23, C11, S0.25).
    #[test]
    fn only_failures_that_may_not_repeat_are_retried() {
        let tries = Tries { made: 1, most: 2 };
        for (outcome, late, error, again) in [
            (Status::Failed, false, None, true),
            (Status::Failed, true, Some("ZeroDivisionError"), true),
            (Status::Failed, false, Some("template"), false),
            (Status::Failed, false, Some("secret_gone"), false),
            (Status::Failed, false, Some("secret_of_pages"), false),
            (Status::Exhausted, true, None, true),
            (Status::Exhausted, false, None, false),
            (Status::Cancelled, true, None, false),
            (Status::Denied, false, None, false),
            (Status::Blocked, false, None, false),
            (Status::Succeeded, false, None, false),
            (Status::Partial, false, None, false),
        ] {
            let found = retry_delay(&child(outcome, late, error), tries, None);
            assert_eq!(found.is_some(), again, "{outcome:?}, late: {late}, {error:?}");
        }
    }

    // The delay doubles up to 64 seconds, and must be shorter than the time left (S2.20, S2.23).
    #[test]
    fn pauses_grow_and_stay_within_the_time_left() {
        let failed = child(Status::Failed, false, None);
        let after = |made: u32, left: Option<Duration>| retry_delay(&failed, Tries { made, most: 9 }, left);
        let pauses: Vec<_> = (1..=9).map(|made| after(made, None)).collect();
        let expected = [1, 2, 4, 8, 16, 32, 64, 64].map(seconds);
        assert_eq!((&pauses[..8], pauses[8]), (&expected[..], None));
        assert_eq!((after(3, seconds(4)), after(3, seconds(5))), (None, seconds(4)));
    }

    // The width limits the calls at work; one of them may use the browser (C6).
    #[test]
    fn a_further_try_starts_where_there_is_room() {
        for (at_work, width, browses, room) in [
            (&[][..], 1, true, true),
            (&[false], 1, false, false),
            (&[false], 2, true, true),
            (&[true], 2, true, false),
            (&[true], 2, false, true),
        ] {
            assert_eq!(
                has_room(at_work.iter().copied(), width, browses),
                room,
                "{at_work:?} {width} {browses}"
            );
        }
    }
}
