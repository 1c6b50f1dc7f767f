//! Life cycle of a run, separate from its position in its graph: two small machines instead of their product.
//! ```text
//! queued ──start──▶ running ──ask──▶ waiting ──answer──▶ running
//!                   running ──rest─▶ waiting ──wake────▶ running
//!                   running ──pause─▶ paused ──resume──▶ running
//!                   running ──end───▶ outcome ──reopen─▶ running
//! queued, running, waiting, paused ──stop──▶ cancelled
//! queued, running, waiting, paused ──time is up──▶ exhausted
//! queued, running, waiting, paused ──fail──▶ failed
//! ```

use crate::protocol::Status;

/// Event in the life of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LifecycleEvent {
    Start,
    Ask,
    Answer,
    /// The run has nothing to do until a message arrives or something in the background ends.
    ComeToRest,
    Wake,
    Pause,
    Resume,
    Stop,
    /// The run has used up its time.
    TimeUp,
    /// The run failed outside its program: a step panicked, or its state cannot be read.
    Fail,
    End(Status),
    Reopen,
}

/// Reason why an event is refused, in words for the person who caused it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LifecycleRefusal {
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
    #[error("the run is already running")]
    AtWork,
    #[error("the run has not started yet")]
    NotStarted,
}

/// Returns the status after `event`, or the reason for refusal.
pub fn transition(status: Status, event: LifecycleEvent) -> Result<Status, LifecycleRefusal> {
    use LifecycleEvent::{
        Answer, Ask, ComeToRest, End, Fail, Pause, Reopen, Resume, Start, Stop, TimeUp, Wake,
    };
    use Status::{
        Blocked, Cancelled, Denied, Exhausted, Failed, Partial, Paused, Queued, Running, Skipped, Succeeded,
        Waiting,
    };
    match (status, event) {
        (Queued | Running | Waiting | Paused, Stop) => Ok(Cancelled),
        (Queued | Running | Waiting | Paused, TimeUp) => Ok(Exhausted),
        (Queued | Running | Waiting | Paused, Fail) => Ok(Failed),
        // An ended run got a message and cannot be reopened: it ends as failed this time.
        (Succeeded | Partial | Failed | Skipped | Cancelled | Denied | Blocked | Exhausted, Fail) => {
            Ok(Failed)
        }
        (Queued, Start) => Ok(Running),
        (Queued | Running | Waiting, Pause) => Ok(Paused),
        (Running | Paused, Ask | ComeToRest) => Ok(Waiting),
        (Running, End(outcome)) => Ok(outcome),
        (Waiting, Answer | Wake) => Ok(Running),
        (Paused, Resume) => Ok(Running),
        (Succeeded | Partial | Failed | Skipped | Cancelled | Denied | Blocked | Exhausted, Reopen) => {
            Ok(Running)
        }

        (Succeeded | Partial | Failed | Skipped | Cancelled | Denied | Blocked | Exhausted, _) => {
            Err(LifecycleRefusal::Ended)
        }
        (Waiting, Start | Ask | ComeToRest | Resume | End(_) | Reopen) => Err(LifecycleRefusal::Waiting),
        (Paused, Pause) => Err(LifecycleRefusal::PausedAlready),
        (Paused, Answer) => Ok(Running),
        (Queued | Running, Answer) => Err(LifecycleRefusal::NotWaiting),
        (Queued | Running, Resume) => Err(LifecycleRefusal::NotPaused),
        (Queued, Ask | ComeToRest | End(_)) => Err(LifecycleRefusal::NotStarted),
        (Queued, Reopen | Wake)
        | (Running, Start | Reopen | Wake)
        | (Paused, Start | End(_) | Reopen | Wake) => Err(LifecycleRefusal::AtWork),
    }
}

/// Signals received and not yet acted upon.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PendingSignals {
    pub stop: bool,
    pub time_up: bool,
    pub pause: bool,
    pub resume: bool,
}

/// State of a run's question, or its rest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WaitState {
    NoQuestion,
    Open,
    Answered,
    /// No question, and the program has nothing to do.
    Resting,
}

/// Next action of the run actor between two steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NextRunAction {
    /// End as cancelled.
    Stop,
    /// End as exhausted.
    TimeUp,
    /// Change the status and nothing else.
    ChangeStatus(LifecycleEvent),
    /// Continue with the answer.
    TakeAnswer,
    /// Reopen an ended run for its new messages.
    Reopen,
    Visit,
    Leave,
}

/// Returns the next action. `has_messages` is true if the inbox has unread messages.
///
/// A pause that arrives while a question is being asked holds the run all the same: the run is paused with
/// its question. When resumed, it waits for the answer or takes it.
pub fn decide(
    status: Status,
    signals: PendingSignals,
    question: WaitState,
    has_messages: bool,
) -> NextRunAction {
    use WaitState::{Answered, NoQuestion, Open, Resting};
    if let Some(action) = signalled_action(status, signals) {
        return action;
    }
    match (status, question) {
        (Status::Queued, NoQuestion | Open | Answered | Resting) => {
            NextRunAction::ChangeStatus(LifecycleEvent::Start)
        }
        (Status::Running, NoQuestion | Open | Answered | Resting) => NextRunAction::Visit,
        (Status::Waiting, Answered) => NextRunAction::TakeAnswer,
        (Status::Waiting, Open) => NextRunAction::Leave,
        (Status::Waiting, Resting) if !has_messages => NextRunAction::Leave,
        // The run has a message, or must go on for something that ended in the background.
        (Status::Waiting, NoQuestion | Resting) => NextRunAction::ChangeStatus(LifecycleEvent::Wake),
        (Status::Paused, NoQuestion | Open | Answered | Resting) if !signals.resume => NextRunAction::Leave,
        (Status::Paused, Resting) => NextRunAction::ChangeStatus(LifecycleEvent::ComeToRest),
        (Status::Paused, NoQuestion) => NextRunAction::ChangeStatus(LifecycleEvent::Resume),
        (Status::Paused, Open) => NextRunAction::ChangeStatus(LifecycleEvent::Ask),
        (Status::Paused, Answered) => NextRunAction::TakeAnswer,
        (
            Status::Succeeded
            | Status::Partial
            | Status::Failed
            | Status::Skipped
            | Status::Cancelled
            | Status::Denied
            | Status::Blocked
            | Status::Exhausted,
            NoQuestion | Open | Answered | Resting,
        ) => {
            if has_messages {
                NextRunAction::Reopen
            } else {
                NextRunAction::Leave
            }
        }
    }
}

/// Returns the action of the pending signals, if one is possible; stop comes first.
fn signalled_action(status: Status, signals: PendingSignals) -> Option<NextRunAction> {
    let possible = |event| transition(status, event).is_ok();
    match signals {
        PendingSignals { stop: true, .. } if possible(LifecycleEvent::Stop) => Some(NextRunAction::Stop),
        PendingSignals { time_up: true, .. } if possible(LifecycleEvent::TimeUp) => {
            Some(NextRunAction::TimeUp)
        }
        PendingSignals { pause: true, .. } if possible(LifecycleEvent::Pause) => {
            Some(NextRunAction::ChangeStatus(LifecycleEvent::Pause))
        }
        PendingSignals { .. } => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const EVENTS: [LifecycleEvent; 12] = [
        LifecycleEvent::Start,
        LifecycleEvent::Ask,
        LifecycleEvent::Answer,
        LifecycleEvent::ComeToRest,
        LifecycleEvent::Wake,
        LifecycleEvent::Pause,
        LifecycleEvent::Resume,
        LifecycleEvent::Stop,
        LifecycleEvent::TimeUp,
        LifecycleEvent::Fail,
        LifecycleEvent::End(Status::Succeeded),
        LifecycleEvent::Reopen,
    ];

    // Snapshot of every status × event (C8).
    #[test]
    fn every_status_meets_every_event() {
        let mut table = String::new();
        for &status in Status::ALL {
            table.push_str(&format!("{:10}", status.word()));
            for event in EVENTS {
                let cell = match transition(status, event) {
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
        for &status in Status::ALL.iter().filter(|status| !status.is_outcome()) {
            assert_eq!(transition(status, LifecycleEvent::Stop), Ok(Status::Cancelled));
        }
    }

    // Snapshot of the next action for every status, signal and question.
    #[test]
    fn every_status_and_signal_has_one_action() {
        let mut table = String::new();
        let order = |stop, pause, resume| PendingSignals { stop, pause, resume, ..PendingSignals::default() };
        let signals = [
            ("-", order(false, false, false)),
            ("stop", order(true, false, false)),
            ("pause", order(false, true, false)),
            ("resume", order(false, false, true)),
        ];
        for &status in Status::ALL {
            for (word, signals) in signals {
                for question in
                    [WaitState::NoQuestion, WaitState::Open, WaitState::Answered, WaitState::Resting]
                {
                    let doing = decide(status, signals, question, false);
                    table.push_str(&format!("{:10} {word:6} {question:8?} {doing:?}\n", status.word()));
                }
            }
            let has_messages = decide(status, PendingSignals::default(), WaitState::Resting, true);
            assert_eq!(
                has_messages == NextRunAction::ChangeStatus(LifecycleEvent::Wake),
                status == Status::Waiting
            );
            if status.is_outcome() {
                assert_eq!(
                    decide(status, PendingSignals::default(), WaitState::NoQuestion, true),
                    NextRunAction::Reopen
                );
            }
        }
        insta::assert_snapshot!(table);
    }

    // A stop that comes with a message or a pause wins; a pause holds a run that has just asked too.
    #[test]
    fn stop_comes_first_and_a_pause_holds_a_question() {
        let all = PendingSignals { stop: true, time_up: true, pause: true, resume: false };
        assert_eq!(decide(Status::Running, all, WaitState::NoQuestion, true), NextRunAction::Stop);
        let late = PendingSignals { time_up: true, pause: true, ..PendingSignals::default() };
        assert_eq!(decide(Status::Waiting, late, WaitState::Open, true), NextRunAction::TimeUp);
        let pause = PendingSignals { pause: true, ..PendingSignals::default() };
        for question in [WaitState::Open, WaitState::Answered] {
            assert_eq!(
                decide(Status::Waiting, pause, question, false),
                NextRunAction::ChangeStatus(LifecycleEvent::Pause)
            );
        }
    }
}
