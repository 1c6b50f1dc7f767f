//! Request to a model to do one step that cannot be played as written, and nothing more.

use crate::agent_spec::types::script::Step;
use crate::protocol::Locale;
use crate::script::narration::PlayerTexts;

/// Returns the note about the step that the model gets beside the page.
pub fn note(steps: &[Step], at: usize, step: &Step, sorry: &str) -> String {
    let words = PlayerTexts { locale: Locale::En, steps, page: None };
    let (number, of, what) = (at + 1, steps.len(), words.describe_step(step));
    let action =
        if step.action.is_empty() { String::new() } else { format!(" Its action is `{}`.", step.action) };
    let sorry = sorry.lines().next().unwrap_or_default();
    format!(
        "a script is being played, and its step {number} of {of} cannot be done as it is written: {what}.{action} \
         The page has changed since: {sorry} Do this one step and nothing beyond it, in one turn whose last action \
         is the step itself, on the element that serves the same purpose now, with the same values. The script goes \
         on by itself. If nothing on the page serves that purpose, stop and say why."
    )
}
