//! The question whether a run may go on after its allowed actions (S1.28): what was done so far in a few words, and
//! how many actions more would be allowed.

use crate::config::Limits;
use crate::engine::program::QuestionDraft;
use crate::programs::conversation::questions::service_question;
use crate::programs::conversation::state::ConversationState;
use crate::programs::conversation::state::limit_use::LimitUse;
use crate::protocol::{Locale, QuestionKind};
use crate::texts::questions;

/// Reason for dropping the rest of a turn that no action is left for.
pub const STEPS_USED_UP: &str = "the allowed actions are used up";

/// Returns the question that asks for as many actions again.
pub fn steps_question(state: &ConversationState, limits: &Limits) -> QuestionDraft {
    let most = state.step_limit(limits);
    let text = |locale| {
        questions::steps_used(state.tool_steps, most, &summarize(state, locale), limits.tool_steps, locale)
    };
    let used = LimitUse { limit: "tool_steps", used: state.tool_steps.into(), most: most.into() };
    let mut payload = used.payload();
    payload["more"] = limits.tool_steps.into();
    service_question(QuestionKind::Budget, state.locale, questions::steps_used_up, text, payload)
}

/// Returns what was done in words, between brackets; empty if nothing was done.
fn summarize(state: &ConversationState, locale: Locale) -> String {
    let done = &state.action_counts;
    let counts = [
        (done.clicks, questions::clicks_done(locale)),
        (done.fields, questions::fields_done(locale)),
        (done.pages, questions::pages_done(locale)),
        (done.reads, questions::reads_done(locale)),
        (done.others, questions::others_done(locale)),
        (done.failed, questions::actions_failed(locale)),
    ];
    let counts = counts.into_iter().filter(|(count, _)| *count > 0);
    let mut parts: Vec<String> = counts.map(|(count, word)| format!("{word}: {count}")).collect();
    let items = &state.plan.items;
    if !items.is_empty() {
        let over = items.iter().filter(|item| item.status.is_over()).count();
        parts.push(questions::items_done(over, items.len(), locale));
    }
    if parts.is_empty() { String::new() } else { format!(" ({})", parts.join(", ")) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Settings;
    use crate::config::layers::Flags;
    use crate::planning::{ActionResult, ActionStatus};
    use serde_json::json;

    #[test]
    fn the_question_counts_what_was_done_for_the_last_message_in_both_languages() {
        let flags = Flags { data_dir: Some("d".into()), ..Flags::default() };
        let mut limits = Settings::load(&flags, []).unwrap().limits;
        limits.tool_steps = 4;
        let mut state = ConversationState::begin(String::new(), Locale::En);
        let failed = || ActionStatus::Failed { code: String::from("gone"), message: String::new() };
        let dropped = || ActionStatus::Dropped { why: String::new() };
        let done = [("navigate", ActionStatus::Ok), ("fill", ActionStatus::Ok), ("fill", ActionStatus::Ok)];
        for (action, outcome) in done.into_iter().chain([("click", failed()), ("click", dropped())]) {
            let (action_id, action) = (String::from("a1"), action.to_owned());
            let (returned, answer, effect_summary) = (None, None, None);
            state.log_result(&ActionResult { action_id, action, outcome, returned, answer, effect_summary });
        }
        state.tool_steps = 4;
        let question = steps_question(&state, &limits);
        assert_eq!(question.text, "4 of 4 actions are done (fields: 2, pages: 1, failed: 1). Allow 4 more?");
        let payload = question.payload;
        let numbers = [&payload["limit"], &payload["used"], &payload["most"], &payload["more"]];
        assert_eq!(numbers, [&json!("tool_steps"), &json!(4.0), &json!(4.0), &json!(4)]);
        assert_eq!(
            payload["texts"]["uk"]["text"],
            "Виконано дій: 4 із 4 (полів: 2, сторінок: 1, невдалих: 1). Дозволити ще 4?"
        );
        // A grant is as much again as the agent's limit, also the second time.
        state.raised_limits.steps = 4;
        state.tool_steps = 8;
        assert!(steps_question(&state, &limits).text.starts_with("8 of 8 actions are done"));
    }
}
