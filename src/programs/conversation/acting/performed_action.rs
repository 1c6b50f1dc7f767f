//! Results of actions that have been performed in the browser.

use crate::browser::error::PageError;
use crate::browser::input::outcome::ActionOutcome;
use crate::engine::program::ProgramError;
use crate::files::StoredFile;
use crate::gate::flow::read_texts::TextSource;
use crate::metrics;
use crate::page::site::site_of;
use crate::planning::{ActionResult, ActionStatus};
use crate::programs::conversation::acting::{read_file, secret_input};
use crate::programs::conversation::effects;
use crate::programs::conversation::state::changes::ConversationChange;
use crate::programs::conversation::state::turn::turn_progress::TurnProgress;
use crate::programs::conversation::visit_context::VisitContext;
use crate::protocol::event::{ActionEnd, Event, Failure, FileFact};
use crate::protocol::server::Fact;
use crate::texts::page::translated_error;
use crate::turn::action::Action;
use serde_json::json;

/// Reports the result of an action that has been performed, and goes on with the turn. Returns true if it worked.
pub async fn finish_performed(
    cx: &mut VisitContext,
    planned: &TurnProgress,
    action: &Action,
    result: Result<ActionOutcome, PageError>,
    took_ms: u64,
) -> Result<bool, ProgramError> {
    let worked = result.is_ok();
    let dropped = match worked {
        true => drop_changed_rest(cx, planned, action).await?,
        false => planned.drop_remaining("an action before it failed"),
    };
    record_result(cx, planned, action, &result, (took_ms, &dropped));
    if let Ok(done) = &result {
        read_file::describe_downloads(cx, &done.downloads).await;
    }
    finish_with_result(cx, planned, action, (result, dropped), true);
    Ok(worked)
}

fn record_result(
    cx: &mut VisitContext,
    planned: &TurnProgress,
    action: &Action,
    result: &Result<ActionOutcome, PageError>,
    (took_ms, dropped): (u64, &[ActionResult]),
) {
    let (ok, error, value) = match result {
        Ok(done) => (true, None, done.text.as_ref().map(|text| json!(text))),
        Err(fault) => {
            let code = fault.code.word().to_owned();
            let message = translated_error(&code, cx.state.locale).unwrap_or(&fault.message).to_owned();
            (false, Some(Failure { code, message }), None)
        }
    };
    cx.push_event(Fact::Event(Event::from(ActionEnd {
        action_id: planned.action_id.clone(),
        action: action.name().to_owned(),
        ok,
        result: value,
        error: error.clone(),
        took_ms,
        files: result.as_ref().map(|done| file_facts(&done.files)).unwrap_or_default(),
        settled: result.as_ref().ok().map(|done| done.settled.word().to_owned()),
        dropped: dropped.iter().map(|result| result.action_id.clone()).collect(),
    })));
    if cx.state.has_outside_effect {
        cx.record.receipt = Some(json!({"ok": ok, "error": error}));
    }
    let Ok(done) = result else { return };
    if let (Some(text), Some(site)) = (&done.text, site_of(&done.url)) {
        cx.deps.texts.add_text(&cx.run, TextSource::Site(site), text);
    }
    done.downloads.iter().for_each(|file| cx.deps.texts.add_downloaded_file(&file.name, &file.url));
    metrics::STEP_SECONDS.observe(["settle"], done.settled_in.as_secs_f64());
    for typed in secret_input::typed_secret_records(action, cx.working_set.target().as_ref()) {
        cx.change(ConversationChange::Secret(typed));
    }
}

fn file_facts(files: &[StoredFile]) -> Vec<FileFact> {
    files.iter().map(|file| FileFact { name: file.name.clone(), size: file.size }).collect()
}

/// Finishes the planned action with its result.
pub fn finish_with_result(
    cx: &mut VisitContext,
    planned: &TurnProgress,
    action: &Action,
    (result, dropped): (Result<impl Into<ActionText>, PageError>, Vec<ActionResult>),
    counts: bool,
) {
    let (outcome, returned) = match result {
        Ok(returned) => (ActionStatus::Ok, returned.into().0),
        Err(fault) => {
            (ActionStatus::Failed { code: fault.code.word().to_owned(), message: fault.message }, None)
        }
    };
    if action.changes_page() {
        cx.change(ConversationChange::NeedsObserve);
    }
    let result = planned.result(outcome, returned);
    cx.change(ConversationChange::Finished { result, dropped, counts });
}

/// The text that an action returns to the planner.
pub struct ActionText(Option<String>);

impl From<ActionOutcome> for ActionText {
    fn from(done: ActionOutcome) -> Self {
        Self(done.text)
    }
}

impl From<Option<String>> for ActionText {
    fn from(text: Option<String>) -> Self {
        Self(text)
    }
}

/// Returns the actions of the turn that are dropped after this one, with the reason: the elements for which
/// they were planned must be unchanged in a new observation.
async fn drop_changed_rest(
    cx: &VisitContext,
    planned: &TurnProgress,
    action: &Action,
) -> Result<Vec<ActionResult>, ProgramError> {
    let (Some(next), Some(preconditions)) = (planned.next_call(), &planned.preconditions) else {
        return Ok(Vec::new());
    };
    if !action.changes_page() {
        return Ok(Vec::new());
    }
    let why = match effects::observe(cx).await? {
        Ok(observed) => {
            cx.working_set.mark_observed_ahead();
            preconditions.violation(
                next,
                &observed.observation,
                planned.turn.actions.get(..=planned.at).unwrap_or_default(),
            )
        }
        Err(fault) => Some(fault.message),
    };
    Ok(why.map(|why| planned.drop_from_next(&why)).unwrap_or_default())
}
