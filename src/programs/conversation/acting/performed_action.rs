//! Results of actions that have been performed in the browser.

use crate::browser::error::PageError;
use crate::browser::input::outcome::ActionOutcome;
use crate::engine::program::ProgramError;
use crate::files::StoredFile;
use crate::gate::flow::read_texts::TextSource;
use crate::metrics;
use crate::page::observation::{Line, Observation};
use crate::page::site::site_of;
use crate::planning::{ActionResult, ActionStatus};
use crate::programs::conversation::acting::{finish_action, secret_input};
use crate::programs::conversation::effects;
use crate::programs::conversation::state::changes::ConversationChange;
use crate::programs::conversation::state::turn::turn_progress::TurnProgress;
use crate::programs::conversation::visit_context::VisitContext;
use crate::protocol::Locale;
use crate::protocol::action_effect::{ActionEffect, StateChange};
use crate::protocol::event::{ActionEnd, Event, Failure, FileFact, TextInLanguages};
use crate::protocol::server::Fact;
use crate::secrets::scrub::Replacement;
use crate::texts::effects::{describe_for_people, describe_for_planner};
use crate::turn::action::{Action, PageAction};
use crate::turn::{named_secret, typed_secret};
use serde_json::json;

/// Reports the result of an action that has been performed, and goes on with the turn. Returns true if it worked.
pub async fn finish_performed(
    cx: &mut VisitContext,
    planned: &TurnProgress,
    action: &Action,
    mut result: Result<ActionOutcome, PageError>,
    took_ms: u64,
) -> Result<bool, ProgramError> {
    if let Ok(done) = &mut result {
        if let Some(observed) = cx.working_set.observation() {
            remove_known_words(&observed.observation, done);
        }
        hide_secrets(cx, action, done);
    }
    let worked = result.is_ok();
    let dropped = match worked {
        true => drop_changed_rest(cx, planned, action).await?,
        false => planned.remaining_as_dropped("an action before it failed"),
    };
    record_result(cx, planned, action, &result, (took_ms, &dropped));
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
            let message = finish_action::message_for_people(cx, &code, &fault.message);
            (false, Some(Failure { code, message }), None)
        }
    };
    let done = result.as_ref().ok();
    let summary = done.and_then(|done| done.effect_summary.clone());
    cx.push_event(Fact::Event(Event::from(ActionEnd {
        action_id: planned.action_id.clone(),
        action: action.name().to_owned(),
        ok,
        result: value,
        error: error.clone(),
        summary: summary.filter(|text| !text.is_empty()),
        summary_texts: done
            .and_then(|done| effects_for_people(cx, &unexpected_effects(action, &done.effects))),
        took_ms,
        files: done.map(|done| file_facts(&done.files)).unwrap_or_default(),
        settled: done.map(|done| done.settled.word().to_owned()),
        dropped: dropped.iter().map(|result| result.action_id.clone()).collect(),
    })));
    if cx.state.has_outside_effect {
        cx.record.receipt = Some(json!({"ok": ok, "error": error}));
    }
    if let Ok(done) = result {
        record_content(cx, action, done);
    }
}

/// Records what an action read, downloaded and typed.
fn record_content(cx: &mut VisitContext, action: &Action, done: &ActionOutcome) {
    if let (Some(text), Some(site)) = (&done.text, site_of(&text_source(cx, action, done))) {
        cx.deps.texts.add_text(&cx.run, TextSource::Site(site), text);
    }
    done.downloads.iter().for_each(|file| cx.deps.texts.add_downloaded_file(&file.name, &file.url));
    if !done.downloads.is_empty() {
        let names = done.downloads.iter().map(|file| file.name.clone()).collect();
        cx.change(ConversationChange::Downloaded(names));
    }
    metrics::STEP_SECONDS.observe(["settle"], done.settled_in.as_secs_f64());
    for typed in secret_input::typed_secret_records(action, cx.working_set.target().as_ref()) {
        cx.change(ConversationChange::Secret(typed));
    }
}

/// Returns the address of the page that the text of a result comes from: a tool may have led to another site since.
fn text_source(cx: &VisitContext, action: &Action, done: &ActionOutcome) -> String {
    let tool = cx.working_set.target().filter(|_| matches!(action, Action::Page(PageAction::Tool { .. })));
    tool.map_or_else(|| done.url.clone(), |tool| tool.page)
}

fn file_facts(files: &[StoredFile]) -> Vec<FileFact> {
    files.iter().map(|file| FileFact { name: file.name.clone(), size: file.size }).collect()
}

/// Finishes the planned action with its result.
pub fn finish_with_result(
    cx: &mut VisitContext,
    planned: &TurnProgress,
    action: &Action,
    (result, dropped): (Result<impl Into<ActionTexts>, PageError>, Vec<ActionResult>),
    counts: bool,
) {
    let (outcome, ActionTexts { returned, effect_summary }) = match result {
        Ok(texts) => (ActionStatus::Ok, texts.into()),
        Err(fault) => {
            let failed = ActionStatus::Failed { code: fault.code.word().to_owned(), message: fault.message };
            (failed, ActionTexts::default())
        }
    };
    if action.changes_page() {
        cx.change(ConversationChange::NeedsObserve);
    }
    let result = ActionResult { effect_summary, ..planned.result(outcome, returned) };
    cx.change(ConversationChange::Finished { result, dropped, counts });
}

/// Least length of words by whose beginning a message is known, in characters.
const LEAST_BANNER: usize = 12;

/// Removes messages that stood on the page before the action, as a banner that each page of a site has.
fn remove_known_words(before: &Observation, done: &mut ActionOutcome) {
    let is_known = |effect: &ActionEffect| match effect {
        ActionEffect::Says { text } => {
            let begins = |line: &Line| {
                let name = line.name.trim_end_matches('…');
                name == text || (name.chars().count() >= LEAST_BANNER && text.starts_with(name))
            };
            before.url != done.url && before.lines.iter().any(begins)
        }
        _ => false,
    };
    let (known, others): (Vec<_>, Vec<_>) = std::mem::take(&mut done.effects).into_iter().partition(is_known);
    for effect in known {
        let part = describe_for_planner(&[effect]);
        let without = |summary: String| match summary.strip_prefix(&part) {
            Some(rest) => rest.trim_start_matches("; ").to_owned(),
            None => summary.replacen(&format!("; {part}"), "", 1),
        };
        done.effect_summary = done.effect_summary.take().map(without);
    }
    done.effects = others;
}

/// Removes secrets from what an action's outcome says of its effect.
fn hide_secrets(cx: &VisitContext, action: &Action, done: &mut ActionOutcome) {
    if types_secret(action) && done.effect_summary.is_some() {
        // The value of the field is cut, so that a secret in it might not be recognised.
        done.effects = vec![ActionEffect::SecretTyped];
        done.effect_summary = Some(describe_for_planner(&done.effects));
        return;
    }
    let summary = done.effect_summary.take();
    done.effect_summary = summary.map(|summary| cx.deps.vault.scrub_text(&summary, Replacement::Placeholder));
    let mut effects = json!(done.effects);
    cx.deps.vault.scrub(&mut effects, Replacement::Placeholder);
    done.effects = serde_json::from_value(effects).unwrap_or_default();
}

/// Returns the effects without the values that the action gave: people read those with the action itself.
fn unexpected_effects(action: &Action, effects: &[ActionEffect]) -> Vec<ActionEffect> {
    let mut given: Vec<&str> = action.typed_texts().into_iter().map(|(_, text)| text).collect();
    given.extend(action.chosen_options().into_iter().map(|(_, option)| option));
    // A long value is cut.
    let is_given = |value: &str| {
        let cut = value.strip_suffix('…');
        given.iter().any(|text| *text == value || cut.is_some_and(|start| text.starts_with(start)))
    };
    let without = |effect: &ActionEffect| match effect {
        ActionEffect::ElementChanged { eid, among, changes } => {
            let kept =
                |change: &&StateChange| !matches!(change, StateChange::Value { value } if is_given(value));
            let changes: Vec<StateChange> = changes.iter().filter(kept).cloned().collect();
            (!changes.is_empty()).then_some(ActionEffect::ElementChanged {
                eid: *eid,
                among: *among,
                changes,
            })
        }
        other => Some(other.clone()),
    };
    effects.iter().filter_map(without).collect()
}

/// Writes the effects of an action for people, who read names of its elements. `None` if there are none.
pub fn effects_for_people(cx: &VisitContext, effects: &[ActionEffect]) -> Option<TextInLanguages> {
    let target = cx.working_set.target();
    let name_of = |eid: u32| target.as_ref()?.element(eid).map(|element| element.name.clone());
    let text = |locale| describe_for_people(effects, &name_of, locale);
    let texts = TextInLanguages { uk: text(Locale::Uk), en: text(Locale::En) };
    (!texts.en.is_empty()).then_some(texts)
}

/// Reports whether the action types a secret that stands there as a placeholder.
fn types_secret(action: &Action) -> bool {
    action.typed_texts().into_iter().any(|(_, text)| {
        named_secret::contains_placeholder(text) || !typed_secret::placeholders(text).is_empty()
    })
}

/// The texts of a result for the planner: what the action read, and what it did.
#[derive(Default)]
pub struct ActionTexts {
    returned: Option<String>,
    effect_summary: Option<String>,
}

impl From<ActionOutcome> for ActionTexts {
    fn from(done: ActionOutcome) -> Self {
        Self { returned: done.text, effect_summary: done.effect_summary }
    }
}

impl From<Option<String>> for ActionTexts {
    fn from(returned: Option<String>) -> Self {
        Self { returned, effect_summary: None }
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
    let done = planned.turn.actions.get(..=planned.at).unwrap_or_default();
    let why = if action.changes_page() {
        match effects::observe(cx).await? {
            Ok(observed) => {
                cx.working_set.mark_observed_ahead();
                preconditions.violation(next, &observed.observation, done)
            }
            Err(fault) => Some(fault.message),
        }
    } else {
        // An action before this one may have changed the page.
        let observed = cx.working_set.observation();
        observed.and_then(|observed| preconditions.violation(next, &observed.observation, done))
    };
    Ok(why.map(|why| planned.remaining_dropped_because(&why)).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::turn::page_input::fields::FieldInput;
    use crate::turn::page_input::fields::FieldValue;

    fn changed(eid: u32, value: &str) -> ActionEffect {
        let changes = vec![StateChange::Value { value: value.to_owned() }];
        ActionEffect::ElementChanged { eid, among: true, changes }
    }

    #[test]
    fn a_banner_of_every_page_is_no_message_about_the_action() {
        let line = Line { name: String::from("We use cookies"), ..Line::default() };
        let before =
            Observation { url: String::from("http://a/"), lines: vec![line], ..Observation::default() };
        let says = |text: &str| ActionEffect::Says { text: text.to_owned() };
        let effects = vec![says("We use cookies. OK"), says("Saved."), ActionEffect::Scrolled];
        let effect_summary = Some(describe_for_planner(&effects));
        let mut done = ActionOutcome {
            url: String::from("http://a/b"),
            effects,
            effect_summary,
            ..ActionOutcome::without_page()
        };
        remove_known_words(&before, &mut done);
        assert_eq!(done.effects, [says("Saved."), ActionEffect::Scrolled]);
        assert_eq!(done.effect_summary.as_deref(), Some("says: \"Saved.\"; the page scrolled"));
    }

    #[test]
    fn values_that_a_page_took_as_given_are_not_told_twice() {
        let field = |eid, value| FieldInput { eid, value };
        let fields = vec![
            field(1, FieldValue::Text(String::from("0501234567"))),
            field(2, FieldValue::Text("long ".repeat(40))),
            field(3, FieldValue::Options(vec![String::from("Kyiv")])),
        ];
        let action = Action::Page(PageAction::Fill { fields, submit: false });
        let effects = [
            changed(1, "050 123 45 67"),
            changed(2, "long long long…"),
            changed(3, "Kyiv"),
            ActionEffect::Scrolled,
        ];
        assert_eq!(
            unexpected_effects(&action, &effects),
            [changed(1, "050 123 45 67"), ActionEffect::Scrolled]
        );
    }
}
