//! The event about an action that was not carried out.

use super::planned::TurnProgress;
use crate::model::ActionOutcome;
use crate::protocol::server::{Event, Fact, Failure};

/// Creates the event about an action that was not carried out.
pub fn not_done_event(planned: &TurnProgress, code: &str, message: &str) -> Fact {
    let result = planned.result(ActionOutcome::Ok, None);
    Fact::Event(Event::ActionFinished {
        action_id: result.action_id,
        action: result.action,
        ok: false,
        result: None,
        error: Some(Failure { code: code.to_owned(), message: message.to_owned() }),
        took_ms: 0,
        settled: None,
        files: Vec::new(),
        dropped: planned.rest_ids(),
    })
}
