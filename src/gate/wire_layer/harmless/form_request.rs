//! The request that a form of a page would send, judged before it is sent: a form that only searches needs no
//! question before the press either. Pure.

use crate::browser::network::request_judge::RequestTiming;
use crate::gate::request::{AssessmentRequest, ProposedAction};
use crate::gate::rules::Rules;
use crate::gate::wire_layer::harmless;
use crate::gate::wire_layer::proposed_request::{ProposedRequest, RequestCause};
use crate::gate::wire_layer::reading::RequestReading;
use crate::page::outgoing_request::{OutgoingRequest, RequestKind};
use crate::page::request_body::is_opaque_token;
use crate::page::target::{Field, Form};
use std::sync::Arc;
use url::form_urlencoded;

/// True if a rule of `wire:` names why the request of the target's form is harmless.
pub fn is_harmless_form(rules: &Rules, request: &AssessmentRequest<'_>) -> bool {
    let Some(form) = request.target.and_then(|target| target.form.as_ref()) else { return false };
    // A file, a password or a card is never harmless, and is not in the text of the form.
    if form.fields.iter().any(|field| field.secret || field.card || field.kind == "file") {
        return false;
    }
    let proposed = propose_form(form, request);
    let reading = RequestReading::read(&proposed);
    harmless::find_rule(rules, &proposed, &reading).is_some()
}

fn propose_form(form: &Form, request: &AssessmentRequest<'_>) -> ProposedRequest {
    let body = encode_fields(&form.fields);
    let document = request.target.map(|target| target.page.clone()).unwrap_or_default();
    ProposedRequest {
        request: OutgoingRequest {
            method: form.method.to_ascii_uppercase(),
            url: form.action.clone(),
            document: if document.is_empty() { request.page.url.clone() } else { document },
            page: request.page.url.clone(),
            kind: RequestKind::Navigation,
            content_type: String::from("application/x-www-form-urlencoded"),
            size: Some(body.len() as u64),
            body: Some(body),
        },
        timing: RequestTiming::AfterAction,
        earlier: None,
        stored_before: false,
        cause: Arc::new(RequestCause {
            action_id: String::new(),
            proposed: ProposedAction {
                action: request.action.clone(),
                target: request.target.cloned(),
                page: request.page.clone(),
                context: request.context.clone(),
            },
        }),
        approved: Vec::new(),
        typed: Arc::default(),
        context: request.context.clone(),
    }
}

/// Value that looks as generated as that of a token.
const TOKEN_LIKE: &str = "4f1c09a7e2d85b36";

fn is_withheld_token(field: &Field) -> bool {
    let is_withheld = field.kind == "hidden" && field.value.is_empty() && field.generated.is_empty();
    is_withheld && is_opaque_token(&field.name, TOKEN_LIKE)
}

/// Encodes the fields that would be sent. A choice that is not made is not sent, and tokens against forgery, whose
/// values the page withholds, say nothing.
fn encode_fields(fields: &[Field]) -> Vec<u8> {
    let is_sent = |field: &&Field| {
        !field.name.is_empty()
            && !is_withheld_token(field)
            && (field.filled || !matches!(field.kind.as_str(), "checkbox" | "radio"))
    };
    let mut encoded = form_urlencoded::Serializer::new(String::new());
    fields.iter().filter(is_sent).for_each(|field| {
        encoded.append_pair(&field.name, &field.value);
    });
    encoded.finish().into_bytes()
}
