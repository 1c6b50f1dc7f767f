//! Messages of sockets that got around the gate: they are told as effects, the action ends as failed, and on pages of
//! that origin names decide before the press from then on.

use crate::browser::error::{ErrorCode, PageError};
use crate::browser::input::outcome::ActionOutcome;
use crate::gate::action_judge::CoveredRequest;
use crate::gate::host_kinds;
use crate::page::outgoing_request::MESSAGE;
use crate::programs::conversation::acting::request_guard;
use crate::programs::conversation::state::ConversationState;
use crate::programs::conversation::state::changes::ConversationChange;
use crate::programs::conversation::visit_context::VisitContext;
use url::Url;

/// `covered_by` of an effect that nobody was asked about.
const UNASKED: &str = "unasked";

/// Reports the messages that left around the gate. Returns the result of the action: an error if there are any and
/// nothing else waits for the person.
pub fn report_unasked(
    cx: &mut VisitContext,
    action_id: &str,
    result: Result<ActionOutcome, PageError>,
) -> Result<ActionOutcome, PageError> {
    let outcome = result?;
    let Some(url) = outcome.unasked.first().cloned() else { return Ok(outcome) };
    for url in &outcome.unasked {
        // Stands for an address that nobody knows: the page that sent the message.
        let known = if url.is_empty() { &outcome.url } else { url };
        let covered = CoveredRequest {
            action_id: action_id.to_owned(),
            method: MESSAGE.to_owned(),
            url: known.clone(),
            covered_by: UNASKED.to_owned(),
        };
        request_guard::report_effect(cx, covered, "policy");
    }
    cx.change(ConversationChange::SentUnasked(origin(&outcome.url)));
    if outcome.held.is_some() {
        return Ok(outcome);
    }
    let host = Url::parse(&url).map(|url| host_kinds::display_host(&url));
    let host = host.unwrap_or_else(|_| String::from("an unknown address"));
    Err(PageError::new(
        ErrorCode::SentUnasked,
        format!(
            "the page sent something unasked: a message of a socket to {host} left in a way that cannot be held; the \
             person was told; look at the page, and do not repeat the action"
        ),
    ))
}

/// True if a page of this origin has sent something around the gate.
pub fn is_unheld(state: &ConversationState, page_url: &str) -> bool {
    !state.unheld_origins.is_empty() && state.unheld_origins.contains(&origin(page_url))
}

fn origin(url: &str) -> String {
    Url::parse(url).map(|url| host_kinds::origin(&host_kinds::page_url(url))).unwrap_or_default()
}
