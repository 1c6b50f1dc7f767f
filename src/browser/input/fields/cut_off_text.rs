//! Completion of a text of which a page has sent only the beginning. A page that saves while it is typed into, and
//! forgets what is typed until the answer to an earlier save has come, never sends the rest if a person is asked about
//! that save.

use crate::browser::error::PageError;
use crate::browser::input::fields::typing::{enter_text, replace_text, split_last_key};
use crate::browser::input::isolation;
use crate::browser::input::keyboard;
use crate::browser::input::outcome::{ActionOutcome, ActionRun, ReadContent, settle_and_collect};
use crate::browser::page::context::PageContext;
use crate::browser::page::held_requests::HeldRequest;
use crate::browser::page::tab::Tab;
use crate::clock::Stopwatch;
use crate::page::request_body::{RequestBody, read_whole_body};
use crate::page::text::quoted;
use std::time::Duration;

/// Time within which a page tells the value of a field.
const VALUE_TIMEOUT: Duration = Duration::from_secs(1);
/// Time within which a page sends what was typed, in milliseconds: many wait for a pause in typing.
const SENDING_MS: u64 = 1000;
const SENDING_CHECK: Duration = Duration::from_millis(50);

/// A field that was typed into, as it stands before requests of its page leave.
#[derive(Debug)]
pub struct TypedField {
    eid: u32,
    value: String,
    /// Bytes of the value that were there before.
    kept: usize,
}

impl TypedField {
    /// Reports whether a value is the beginning of this one, and has a part of what was typed.
    fn begins_with(&self, value: &str) -> bool {
        let (whole, value) = (self.value.trim(), value.trim());
        value.len() > self.kept && value.len() < whole.len() && whole.starts_with(value)
    }

    /// Returns the beginning that the page has sent last in place of the whole, by any of these requests.
    fn find_beginning(&self, context: &PageContext, sent: &[HeldRequest]) -> Option<String> {
        let history = context.history.borrow();
        let stores = |held: &&HeldRequest| !held.request.is_safe_method();
        let bodies = sent.iter().filter(stores).filter_map(|held| history.bodies.find_earlier(&held.request));
        bodies.into_iter().find_map(|body| {
            let read = read_whole_body(&body.content_type, Some(&body.body), None);
            let RequestBody::Values(read) = read else { return None };
            let has_whole = read.values.iter().any(|value| value.value.trim() == self.value.trim());
            let beginning = read.values.into_iter().find(|value| self.begins_with(&value.value));
            beginning.filter(|_| !has_whole).map(|value| value.value)
        })
    }
}

/// Reads the fields that the last action typed into, as far as they show its texts.
pub async fn read_typed_fields(context: &PageContext) -> Vec<TypedField> {
    let texts = context.held_requests.typed.borrow().texts().to_vec();
    let Ok(tab) = context.current() else { return Vec::new() };
    let mut fields = Vec::new();
    for (eid, text) in texts {
        if !tab.has_dialog_open()
            && let Some(value) = read_value(&tab, eid).await
            && let Some(kept) = value.strip_suffix(&text).map(str::len)
        {
            fields.push(TypedField { eid, value, kept });
        }
    }
    fields
}

/// Returns the text of a plain field; `None` for secrets and other elements, and if the page does not tell it.
async fn read_value(tab: &Tab, eid: u32) -> Option<String> {
    let frame_tab = tab.frame_of_element(eid);
    let call = format!("plainText({eid})");
    let read = frame_tab.call_script::<Option<String>>(&call);
    tokio::time::timeout(VALUE_TIMEOUT, read).await.ok()?.ok()?
}

/// Types a text again of which the page has sent only the beginning, so that it sends the whole. `outcome` is that of the
/// requests that have left. What the page still keeps back becomes a note.
pub async fn complete(
    context: &PageContext,
    sent: &[HeldRequest],
    fields: &[TypedField],
    outcome: ActionOutcome,
    limit: Duration,
) -> Result<ActionOutcome, PageError> {
    let cut_off = |field: &&TypedField| field.find_beginning(context, sent).is_some();
    let Some(field) = fields.iter().find(cut_off).filter(|_| outcome.held.is_none()) else {
        return Ok(outcome);
    };
    let is_first = context.held_requests.typed.borrow_mut().begin_completion();
    let mut outcome = match is_first {
        // An error says that the field is gone or covered: the outcome stands, with a note.
        true => type_again(context, sent, field, limit)
            .await
            .map_or(outcome.clone(), |again| joined(outcome, again)),
        false => outcome,
    };
    if outcome.held.is_none()
        && let Some(beginning) = field.find_beginning(context, sent)
    {
        let note = partly_sent_note(field, &beginning);
        context.notes.add(note.clone());
        outcome.notes.push(note);
    }
    Ok(outcome)
}

/// Returns the note to the planner about a text of which the page keeps a part back.
fn partly_sent_note(field: &TypedField, beginning: &str) -> String {
    format!(
        "[{}] was given {}, but the page has sent only {} of it and may have stored that; look, and type it again if it is wrong",
        field.eid,
        quoted(&field.value),
        quoted(beginning)
    )
}

/// Joins the outcomes of two parts of one action.
fn joined(first: ActionOutcome, last: ActionOutcome) -> ActionOutcome {
    ActionOutcome {
        downloads: first.downloads.into_iter().chain(last.downloads).collect(),
        unasked: first.unasked.into_iter().chain(last.unasked).collect(),
        ..last
    }
}

async fn type_again(
    context: &PageContext,
    sent: &[HeldRequest],
    field: &TypedField,
    limit: Duration,
) -> Result<ActionOutcome, PageError> {
    let tab = context.current()?;
    let run = ActionRun::begin(context, &tab, limit);
    let targets = [tab.frame_of_element(field.eid)];
    isolation::send_isolated(&tab, &targets, "what was typed", async {
        let shown = read_value(&tab, field.eid).await;
        match split_last_key(&field.value) {
            (head, Some(last)) if shown.as_ref() == Some(&field.value) => {
                type_last_key(context, sent, field, (&tab, head, last)).await?;
            }
            // The page has put another text there.
            _ => replace_text(&tab, field.eid, &field.value).await?,
        }
        await_sending(context, sent, field).await;
        Ok(())
    })
    .await?;
    settle_and_collect(run, ReadContent::Nothing).await
}

/// Types the last character again. A page that sends on each event gets a single one, with the whole text. A page that
/// compares the field with its own copy sees a change only if a key first deletes the character.
async fn type_last_key(
    context: &PageContext,
    sent: &[HeldRequest],
    field: &TypedField,
    (tab, head, last): (&Tab, &str, &str),
) -> Result<(), PageError> {
    let call = format!("cutText({}, {})", field.eid, head.encode_utf16().count());
    let _: bool = tab.frame_of_element(field.eid).act_by_script(&call).await?;
    enter_text(tab, last, false).await?;
    if !await_sending(context, sent, field).await {
        keyboard::press(tab, "Backspace").await?;
        enter_text(tab, last, false).await?;
    }
    Ok(())
}

/// Waits until the page sends something that a person is asked about, or the whole text. Returns false if it does not.
async fn await_sending(context: &PageContext, sent: &[HeldRequest], field: &TypedField) -> bool {
    let clock = Stopwatch::start();
    loop {
        if !context.held_requests.is_empty() || field.find_beginning(context, sent).is_none() {
            return true;
        }
        if clock.millis() > SENDING_MS {
            return false;
        }
        tokio::time::sleep(SENDING_CHECK).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_beginning_has_a_part_of_what_was_typed_and_not_all_of_it() {
        let field = |value: &str, kept: usize| TypedField { eid: 1, value: value.to_owned(), kept };
        for (field, value, begins) in [
            (field("Refund", 0), "R", true),
            (field("Refund", 0), "Refun", true),
            (field("Refund", 0), "Refund", false),
            (field("Refund", 0), "", false),
            (field("Refund", 0), "f", false),
            (field("Refund still", 0), "Refund ", true),
            (field("Refund ", 0), "Refund", false),
            (field("old text", 4), "old", false),
            (field("old text", 4), "old t", true),
        ] {
            assert_eq!(field.begins_with(value), begins, "{field:?} {value}");
        }
    }
}
