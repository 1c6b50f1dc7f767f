//! How a run lives, apart from where it stands in its graph: two small machines, not their product.
//!
//! ```text
//! queued ──start──▶ running ──ask──▶ waiting ──answer──▶ running
//!                   running ──pause─▶ paused ──resume──▶ running
//!                   running ──end───▶ outcome ──reopen─▶ running
//! queued, running, waiting, paused ──stop──▶ cancelled
//! ```

use crate::protocol::Status;

/// What can happen to a run's life.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turnpoint {
    Start,
    Ask,
    Answer,
    Pause,
    Resume,
    Stop,
    End(Status),
    Reopen,
}

/// Why it cannot happen now, in words for the person who asked for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    #[error("the run has ended; send a message to go on with it")]
    Ended,
    #[error("the run waits for an answer; nothing moves until it is given")]
    Waiting,
    #[error("the run is not paused")]
    NotPaused,
    #[error("the run is paused already")]
    PausedAlready,
    #[error("the run has not asked anything")]
    NotWaiting,
    #[error("the run is at work")]
    AtWork,
    #[error("the run has not started yet")]
    NotStarted,
}

/// The status after `event`, or why there is none.
pub fn next(status: Status, event: Turnpoint) -> Result<Status, Refusal> {
    use Status::{
        Blocked, Cancelled, Denied, Exhausted, Failed, Partial, Paused, Queued, Running, Skipped, Succeeded,
        Waiting,
    };
    use Turnpoint::{Answer, Ask, End, Pause, Reopen, Resume, Start, Stop};
    match (status, event) {
        (Queued | Running | Waiting | Paused, Stop) => Ok(Cancelled),
        (Queued, Start) => Ok(Running),
        (Queued | Running, Pause) => Ok(Paused),
        (Running, Ask) => Ok(Waiting),
        (Running, End(outcome)) => Ok(outcome),
        (Waiting, Answer) => Ok(Running),
        (Paused, Resume) => Ok(Running),
        (Succeeded | Partial | Failed | Skipped | Cancelled | Denied | Blocked | Exhausted, Reopen) => {
            Ok(Running)
        }

        (Succeeded | Partial | Failed | Skipped | Cancelled | Denied | Blocked | Exhausted, _) => {
            Err(Refusal::Ended)
        }
        (Waiting, Start | Ask | Pause | Resume | End(_) | Reopen) => Err(Refusal::Waiting),
        (Paused, Pause) => Err(Refusal::PausedAlready),
        (Queued | Running | Paused, Answer) => Err(Refusal::NotWaiting),
        (Queued | Running, Resume) => Err(Refusal::NotPaused),
        (Queued, Ask | End(_)) => Err(Refusal::NotStarted),
        (Queued, Reopen) | (Running, Start | Reopen) | (Paused, Start | Ask | End(_) | Reopen) => {
            Err(Refusal::AtWork)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const EVENTS: [Turnpoint; 8] = [
        Turnpoint::Start,
        Turnpoint::Ask,
        Turnpoint::Answer,
        Turnpoint::Pause,
        Turnpoint::Resume,
        Turnpoint::Stop,
        Turnpoint::End(Status::Succeeded),
        Turnpoint::Reopen,
    ];

    // C8: every status against every event, as one table.
    #[test]
    fn every_status_meets_every_event() {
        let mut table = String::new();
        for status in Status::ALL {
            table.push_str(&format!("{:10}", status.word()));
            for event in EVENTS {
                let cell = match next(status, event) {
                    Ok(after) => after.word(),
                    Err(_) => ".",
                };
                table.push_str(&format!(" {cell:10}"));
            }
            table.push('\n');
        }
        insta::assert_snapshot!(table);
    }

    #[test]
    fn stop_works_in_every_state_that_has_not_ended() {
        for status in Status::ALL.into_iter().filter(|status| !status.is_outcome()) {
            assert_eq!(next(status, Turnpoint::Stop), Ok(Status::Cancelled));
        }
    }
}
