//! How a run lives, apart from where it stands in its graph: two small machines, not their product.
//! ```text
//! queued ──start──▶ running ──ask──▶ waiting ──answer──▶ running
//!                   running ──rest─▶ waiting ──rouse───▶ running
//!                   running ──pause─▶ paused ──resume──▶ running
//!                   running ──end───▶ outcome ──reopen─▶ running
//! queued, running, waiting, paused ──stop──▶ cancelled
//! queued, running, waiting, paused ──time is up──▶ exhausted
//! queued, running, waiting, paused ──fail──▶ failed
//! ```

use crate::protocol::Status;

/// What can happen to a run's life.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turnpoint {
    Start,
    Ask,
    Answer,
    /// Nothing to do until somebody speaks, or something beside it has ended.
    Rest,
    Rouse,
    Pause,
    Resume,
    Stop,
    /// It has taken longer than it may.
    TimeUp,
    /// What no program answers: a step that broke down, a state that cannot be read.
    Fail,
    End(Status),
    Reopen,
}

/// Why it cannot happen now, in words for the person who asked for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    #[error("the run has ended; send a message to continue it")]
    Ended,
    #[error("the run is waiting for an answer and does not continue without one")]
    Waiting,
    #[error("the run is not paused")]
    NotPaused,
    #[error("the run is already paused")]
    PausedAlready,
    #[error("the run has not asked anything")]
    NotWaiting,
    #[error("the run is running")]
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
    use Turnpoint::{Answer, Ask, End, Fail, Pause, Reopen, Rest, Resume, Rouse, Start, Stop, TimeUp};
    match (status, event) {
        (Queued | Running | Waiting | Paused, Stop) => Ok(Cancelled),
        (Queued | Running | Waiting | Paused, TimeUp) => Ok(Exhausted),
        (Queued | Running | Waiting | Paused, Fail) => Ok(Failed),
        // Spoken to again, and it cannot be opened: that is how it ends this time.
        (Succeeded | Partial | Failed | Skipped | Cancelled | Denied | Blocked | Exhausted, Fail) => {
            Ok(Failed)
        }
        (Queued, Start) => Ok(Running),
        (Queued | Running | Waiting, Pause) => Ok(Paused),
        (Running | Paused, Ask | Rest) => Ok(Waiting),
        (Running, End(outcome)) => Ok(outcome),
        (Waiting, Answer | Rouse) => Ok(Running),
        (Paused, Resume) => Ok(Running),
        (Succeeded | Partial | Failed | Skipped | Cancelled | Denied | Blocked | Exhausted, Reopen) => {
            Ok(Running)
        }

        (Succeeded | Partial | Failed | Skipped | Cancelled | Denied | Blocked | Exhausted, _) => {
            Err(Refusal::Ended)
        }
        (Waiting, Start | Ask | Rest | Resume | End(_) | Reopen) => Err(Refusal::Waiting),
        (Paused, Pause) => Err(Refusal::PausedAlready),
        (Paused, Answer) => Ok(Running),
        (Queued | Running, Answer) => Err(Refusal::NotWaiting),
        (Queued | Running, Resume) => Err(Refusal::NotPaused),
        (Queued, Ask | Rest | End(_)) => Err(Refusal::NotStarted),
        (Queued, Reopen | Rouse)
        | (Running, Start | Reopen | Rouse)
        | (Paused, Start | End(_) | Reopen | Rouse) => Err(Refusal::AtWork),
    }
}

/// What was ordered and is not yet done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Orders {
    pub stop: bool,
    pub time_up: bool,
    pub pause: bool,
    pub resume: bool,
}

/// The question that a run stands at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asked {
    Nothing,
    Open,
    Answered,
    /// Nothing, and it has nothing to do.
    Resting,
}

/// What the run actor does between two steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Doing {
    /// End as cancelled.
    Stop,
    /// End as exhausted.
    TimeUp,
    /// Another status, and nothing else.
    Turn(Turnpoint),
    /// Go on with the answer that was given.
    TakeAnswer,
    /// Open an ended run again for the messages that it was sent.
    Reopen,
    Visit,
    Leave,
}

/// What comes next. A pause that is heard while a question is being asked holds the run all the same:
/// it is paused with its question, and when it is resumed it waits, or takes the answer. `spoken_to` if
/// messages wait that nobody has read.
pub fn decide(status: Status, orders: Orders, asked: Asked, spoken_to: bool) -> Doing {
    use Asked::{Answered, Nothing, Open, Resting};
    if let Some(doing) = ordered(status, orders) {
        return doing;
    }
    match (status, asked) {
        (Status::Queued, Nothing | Open | Answered | Resting) => Doing::Turn(Turnpoint::Start),
        (Status::Running, Nothing | Open | Answered | Resting) => Doing::Visit,
        (Status::Waiting, Answered) => Doing::TakeAnswer,
        (Status::Waiting, Open) => Doing::Leave,
        (Status::Waiting, Resting) if !spoken_to => Doing::Leave,
        // It is spoken to, or has to go on for something that happened beside it.
        (Status::Waiting, Nothing | Resting) => Doing::Turn(Turnpoint::Rouse),
        (Status::Paused, Nothing | Open | Answered | Resting) if !orders.resume => Doing::Leave,
        (Status::Paused, Resting) => Doing::Turn(Turnpoint::Rest),
        (Status::Paused, Nothing) => Doing::Turn(Turnpoint::Resume),
        (Status::Paused, Open) => Doing::Turn(Turnpoint::Ask),
        (Status::Paused, Answered) => Doing::TakeAnswer,
        (
            Status::Succeeded
            | Status::Partial
            | Status::Failed
            | Status::Skipped
            | Status::Cancelled
            | Status::Denied
            | Status::Blocked
            | Status::Exhausted,
            Nothing | Open | Answered | Resting,
        ) => {
            if spoken_to {
                Doing::Reopen
            } else {
                Doing::Leave
            }
        }
    }
}

/// What is ordered and can be done: stop before all else.
fn ordered(status: Status, orders: Orders) -> Option<Doing> {
    let possible = |event| next(status, event).is_ok();
    match orders {
        Orders { stop: true, .. } if possible(Turnpoint::Stop) => Some(Doing::Stop),
        Orders { time_up: true, .. } if possible(Turnpoint::TimeUp) => Some(Doing::TimeUp),
        Orders { pause: true, .. } if possible(Turnpoint::Pause) => Some(Doing::Turn(Turnpoint::Pause)),
        Orders { .. } => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const EVENTS: [Turnpoint; 12] = [
        Turnpoint::Start,
        Turnpoint::Ask,
        Turnpoint::Answer,
        Turnpoint::Rest,
        Turnpoint::Rouse,
        Turnpoint::Pause,
        Turnpoint::Resume,
        Turnpoint::Stop,
        Turnpoint::TimeUp,
        Turnpoint::Fail,
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

    // What is done next, for every status, order and question, as one table.
    #[test]
    fn every_status_and_order_has_one_thing_to_do() {
        let mut table = String::new();
        let order = |stop, pause, resume| Orders { stop, pause, resume, ..Orders::default() };
        let orders = [
            ("-", order(false, false, false)),
            ("stop", order(true, false, false)),
            ("pause", order(false, true, false)),
            ("resume", order(false, false, true)),
        ];
        for status in Status::ALL {
            for (word, orders) in orders {
                for asked in [Asked::Nothing, Asked::Open, Asked::Answered, Asked::Resting] {
                    let doing = decide(status, orders, asked, false);
                    table.push_str(&format!("{:10} {word:6} {asked:8?} {doing:?}\n", status.word()));
                }
            }
            let spoken_to = decide(status, Orders::default(), Asked::Resting, true);
            assert_eq!(spoken_to == Doing::Turn(Turnpoint::Rouse), status == Status::Waiting);
            if status.is_outcome() {
                assert_eq!(decide(status, Orders::default(), Asked::Nothing, true), Doing::Reopen);
            }
        }
        insta::assert_snapshot!(table);
    }

    // A stop that comes with a message or a pause is a stop; a pause holds also what just asked.
    #[test]
    fn stop_comes_first_and_a_pause_holds_a_question() {
        let all = Orders { stop: true, time_up: true, pause: true, resume: false };
        assert_eq!(decide(Status::Running, all, Asked::Nothing, true), Doing::Stop);
        let late = Orders { time_up: true, pause: true, ..Orders::default() };
        assert_eq!(decide(Status::Waiting, late, Asked::Open, true), Doing::TimeUp);
        let pause = Orders { pause: true, ..Orders::default() };
        for asked in [Asked::Open, Asked::Answered] {
            assert_eq!(decide(Status::Waiting, pause, asked, false), Doing::Turn(Turnpoint::Pause));
        }
    }
}
