//! The event about an action that was not carried out.

use crate::planning::ActionOutcome;
use crate::programs::conversation::planning::turn_progress::TurnProgress;
use crate::protocol::event::{Event, Failure};
use crate::protocol::server::Fact;

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
        dropped: planned.remaining_ids(),
    })
}
