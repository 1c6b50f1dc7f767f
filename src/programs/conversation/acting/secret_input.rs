//! The handling of secrets in a visit. A value that a planner wants typed into a password, code or card field
//! goes into the vault before anything of the turn is stored, and everything that the visit leaves behind is
//! redacted.

use crate::engine::program::{ProgramError, QuestionDraft, RunEnd, StepRecord};
use crate::page::masked_address::{mask_address, mask_addresses, mask_json_addresses};
use crate::page::target::{Field, Target};
use crate::page::url::strip_query;
use crate::programs::conversation::effects;
use crate::programs::conversation::state::changes::TypedSecret;
use crate::programs::conversation::visit_context::VisitContext;
use crate::protocol::event::Event;
use crate::protocol::server::Fact;
use crate::record;
use crate::secrets::detect;
use crate::secrets::scrub::Replacement;
use crate::secrets::vault::{FillError, Vault};
use crate::turn::action::{Action, PageAction};
use crate::turn::lenient_parse::element_number::read_element_number;
use crate::turn::page_input::points::PointAction;
use crate::turn::{Turn, named_secret, typed_secret};
use serde_json::{Map, Value, json};

/// Replaces the secrets that a turn wants typed by placeholders.
pub async fn hide_secrets(cx: &VisitContext, turn: &mut Turn) -> Result<(), ProgramError> {
    for call in &mut turn.actions {
        match call.action.as_str() {
            "type" => hide_secret(cx, &mut call.params).await?,
            "fill" => {
                let fields = call.params.get_mut("fields").and_then(Value::as_array_mut);
                for field in fields.into_iter().flatten().filter_map(Value::as_object_mut) {
                    hide_secret(cx, field).await?;
                }
            }
            _ => {}
        }
    }
    Ok(())
}

/// Replaces the text of a field, if it is a secret in clear.
async fn hide_secret(cx: &VisitContext, field: &mut Map<String, Value>) -> Result<(), ProgramError> {
    let Some(text) = clear_text(field) else { return Ok(()) };
    if detect::is_card_number(&text) || is_for_secret(cx, field, &text).await? {
        field.insert(String::from("text"), json!(cx.deps.vault.store(&text)));
    }
    Ok(())
}

/// Fills secrets into an action. Fails also for an action that would submit a form whose secret was typed by
/// a process that has ended: the page was opened again, and the field is empty.
pub fn fill_secrets(cx: &VisitContext, action: Action, target: Option<&Target>) -> Result<Action, FillError> {
    let mut filled_action = None;
    // The recording holds only whether the action can be filled, never the secret.
    let unfilled = record::record_value("unfilled", || match find_lost_field(cx, &action, target) {
        Some(_) => Some(FillError::Gone),
        None => cx.deps.vault.fill(action.clone(), target).map(|filled| filled_action = Some(filled)).err(),
    });
    unfilled.map_or_else(|| Ok(filled_action.unwrap_or(action)), Err)
}

/// Returns the secret field that is empty because the process that filled it has ended, if the action on the
/// element would submit it.
pub fn find_lost_field<'a>(
    cx: &VisitContext,
    action: &Action,
    target: Option<&'a Target>,
) -> Option<&'a str> {
    let target = target.filter(|target| target.submits && may_submit(action))?;
    let is_lost = |field: &Field| {
        let typed = cx.state.secrets.iter().find(|typed| {
            typed.page == strip_query(&target.page) && [&field.label, &field.name].contains(&&typed.field)
        });
        typed.is_some_and(|typed| cx.deps.vault.has_lost_placeholder(&typed.mark))
    };
    let fields = &target.form.as_ref()?.fields;
    let empty =
        fields.iter().find(|field| (field.secret || field.card) && !field.filled && is_lost(field))?;
    Some(if empty.label.is_empty() { &empty.name } else { &empty.label })
}

/// Returns the records of the secrets that were typed into elements.
pub fn typed_secret_records(action: &Action, target: Option<&Target>) -> Vec<TypedSecret> {
    let record = |(eid, text): (Option<u32>, &str)| {
        let placeholder = (*typed_secret::placeholders(text).first()?).to_owned();
        let target = target.and_then(|target| eid.map_or(Some(target), |eid| target.element(eid)))?;
        Some(TypedSecret {
            page: strip_query(&target.page).to_owned(),
            field: target.name.clone(),
            mark: placeholder,
        })
    };
    action.typed_texts().into_iter().filter_map(record).collect()
}

fn may_submit(action: &Action) -> bool {
    matches!(
        action,
        Action::Page(
            PageAction::Click { .. }
                | PageAction::Press { .. }
                | PageAction::Point(PointAction::Click { .. })
        )
    )
}

/// Returns the text that is typed into a field, if it could be a secret in clear.
fn clear_text(field: &Map<String, Value>) -> Option<String> {
    let text = match field.get("text")? {
        Value::String(text) => text.clone(),
        Value::Number(number) => number.to_string(),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => return None,
    };
    let is_placeholder =
        named_secret::contains_placeholder(&text) || !typed_secret::placeholders(&text).is_empty();
    (!text.trim().is_empty() && !is_placeholder).then_some(text)
}

/// Reports whether the text goes into a secret field. The observation shows passwords and codes; the parts of
/// a card and elements outside the observation need an examination of the element.
async fn is_for_secret(
    cx: &VisitContext,
    field: &Map<String, Value>,
    text: &str,
) -> Result<bool, ProgramError> {
    let Some(observed) = cx.working_set.observation() else { return Ok(false) };
    let eid = field.get("eid").and_then(read_element_number);
    let Some(eid) = eid else { return Ok(false) };
    match observed.observation.line(eid) {
        Some(line) if line.attributes.secret => return Ok(true),
        Some(_) if !text.contains(|c: char| c.is_ascii_digit()) => return Ok(false),
        Some(_) | None => {}
    }
    Ok(effects::examine_element(cx, eid).await?.is_ok_and(|target| target.is_secret()))
}

/// Masks the secrets in a question.
pub fn mask_question(vault: &Vault, mut ask: QuestionDraft) -> QuestionDraft {
    for text in [&mut ask.reason, &mut ask.text] {
        *text = vault.scrub_text(text, Replacement::Mask);
    }
    vault.scrub(&mut ask.payload, Replacement::Mask);
    for text in [&mut ask.reason, &mut ask.text] {
        *text = mask_addresses(text).into_owned();
    }
    mask_json_addresses(&mut ask.payload);
    ask
}

/// Masks the secrets in the end of a run. Its outputs are data for the caller: addresses in them stay as they are.
pub fn mask_end(vault: &Vault, end: RunEnd) -> RunEnd {
    let vars = vault.mask_variables(end.vars);
    let mask =
        |response: String| mask_addresses(&vault.scrub_text(&response, Replacement::Mask)).into_owned();
    let response = end.response.map(mask);
    RunEnd { outcome: end.outcome, response, vars }
}

/// Redacts the rest of what a visit leaves behind.
pub fn redact_record(vault: &Vault, mut record: StepRecord) -> StepRecord {
    record.facts = record.facts.iter().filter_map(|fact| mask_event(vault, fact)).collect();
    record.report.url = record.report.url.map(|url| mask_address(&vault.scrub_address(&url)).into_owned());
    record.audit.iter_mut().for_each(mask_json_addresses);
    if let Some(receipt) = &mut record.receipt {
        vault.scrub(receipt, Replacement::Placeholder);
    }
    record.browser.iter_mut().for_each(|page| vault.clean_page(page));
    record
}

/// Masks the secrets in an event; addresses stay as they are where the person wrote them. Returns `None` if the result is no valid event: it is dropped rather than
/// sent with a secret in it.
pub fn mask_event(vault: &Vault, fact: &Fact) -> Option<Fact> {
    let mut body = json!(fact);
    vault.scrub(&mut body, Replacement::Mask);
    if !matches!(fact, Fact::Event(Event::UserMessage { .. })) {
        mask_json_addresses(&mut body);
    }
    let parsed = serde_json::from_value(body);
    parsed.inspect_err(|fault| tracing::error!(%fault, "event dropped: not valid after masking")).ok()
}
