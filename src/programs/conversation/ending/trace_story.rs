//! The story of a conversation, derived from its trace: each action with its target and the pages before and
//! after it, and the person's messages. A script can be made from it.

use crate::engine::program::ProgramError;
use crate::planning::{ActionResult, ActionStatus};
use crate::programs::conversation::state::ConversationState;
use crate::programs::conversation::state::changes::{ConversationChange, ConversationChanges};
use crate::programs::conversation::state::turn::turn_progress::ObservationSummary;
use crate::script::author::recorded_run::RecordedRun;
use crate::script::recording::{self, ActionElements, RecordedAction};
use crate::turn::typed_secret;
use serde_json::Value;

/// The action that stands for what a person did on the page during a take-over.
const TAKE_OVER: &str = "need_user";

/// Returns the story of a stored run, from its whole state and the changes of its steps.
pub fn story_of_run(
    state: Value,
    steps: impl IntoIterator<Item = Value>,
) -> Result<RecordedRun, ProgramError> {
    let read = |fault: serde_json::Error| ProgramError::Changes(fault.to_string());
    let state: ConversationState = serde_json::from_value(state).map_err(read)?;
    let beginning =
        ConversationState { inputs: state.inputs, ..ConversationState::begin(String::new(), state.locale) };
    let steps: Result<Vec<ConversationChanges>, _> = steps.into_iter().map(serde_json::from_value).collect();
    Ok(build_story(beginning, &steps.map_err(read)?))
}

/// Returns the story of a run from its initial state and all changes.
fn build_story(beginning: ConversationState, steps: &[ConversationChanges]) -> RecordedRun {
    let mut telling = StoryBuilder::new(beginning);
    for step in steps {
        for change in &step.changes {
            telling.add_change(change);
            telling.state.change(change.clone());
        }
        telling.state.node = step.to;
    }
    let ConversationState { locale, inputs, .. } = telling.state;
    RecordedRun { actions: telling.actions, words: telling.words, locale, inputs, own_origin: String::new() }
}

struct StoryBuilder {
    state: ConversationState,
    elements: Option<ActionElements>,
    seen: recording::PageSummary,
    actions: Vec<RecordedAction>,
    words: Vec<String>,
}

impl StoryBuilder {
    fn new(state: ConversationState) -> Self {
        // The person gave the inputs, so they count as the person's words.
        let words = state.inputs.values().filter_map(Value::as_str).map(str::to_owned).collect();
        Self { state, elements: None, seen: recording::PageSummary::default(), actions: Vec::new(), words }
    }

    fn add_change(&mut self, change: &ConversationChange) {
        use ConversationChange as Change;
        match change {
            Change::MessageReceived(text) | Change::Answered { text, .. } => self.words.push(text.clone()),
            Change::Aimed(aimed) => self.elements = Some(aimed.clone()),
            Change::Planned(_) => self.elements = None,
            Change::Observed { seen, .. } => self.record_page(seen),
            Change::Finished { result, .. } | Change::Invalid(result) => self.finish(result),
            Change::HandedBack(report) => self.add_person_step(report),
            // The others do not show in the story.
            _ => {}
        }
    }

    fn record_page(&mut self, seen: &ObservationSummary) {
        let ObservationSummary { url, title, heading, .. } = seen.clone();
        self.seen = recording::PageSummary { url, title, heading };
        if let Some(last) = self.actions.last_mut().filter(|last| last.after.is_none()) {
            last.after = Some(self.seen.clone());
        }
    }

    fn finish(&mut self, result: &ActionResult) {
        let Some(planned) = &self.state.planned_action else { return };
        self.actions.push(RecordedAction {
            action_id: result.action_id.clone(),
            action: result.action.clone(),
            params: planned.params(),
            elements: self.elements.take(),
            before: self.seen.clone(),
            after: None,
            ok: result.outcome == ActionStatus::Ok,
        });
    }

    /// Adds what a person did during a take-over, which a script must leave to the person again.
    fn add_person_step(&mut self, report: &str) {
        let params = [(String::from("text"), Value::String(typed_secret::mask_placeholders(report)))];
        self.actions.push(RecordedAction {
            action_id: String::from("hands"),
            action: String::from(TAKE_OVER),
            params: params.into_iter().collect(),
            before: self.seen.clone(),
            ok: true,
            ..RecordedAction::default()
        });
    }
}
