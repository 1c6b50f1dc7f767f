//! Scope of a remembered approval of a request. Pure.

use crate::gate::grants::covers::{Covers, role_of};
use crate::gate::wire_layer::comparison;
use crate::gate::wire_layer::proposed_request::ProposedRequest;
use crate::gate::wire_layer::reading::RequestReading;
use crate::page::request_body::{BodyValue, GraphqlOperation, is_opaque_token, tells_calls_apart};
use crate::page::target::Target;
use crate::page::url::path_pattern;

/// Name of a body that has no names of values.
const WHOLE_BODY: &str = "body";

/// Returns what remembering the approval of a request covers.
pub fn covers_of_request(
    proposed: &ProposedRequest,
    reading: &RequestReading,
    target: Option<&Target>,
) -> Covers {
    let deletes = proposed.request.method == "DELETE"
        || reading.words.iter().any(|word| matches!(word.as_str(), "delete" | "remove" | "destroy"));
    let is_bare_text = proposed.request.content_type.starts_with("text/plain");
    let is_exact = |value: &BodyValue| deletes || is_bare_text && value.name == WHOLE_BODY;
    let mut fields: Vec<String> =
        reading.values.iter().filter_map(|value| field_of(value, is_exact(value))).collect();
    fields.extend(reading.graphql.iter().map(GraphqlOperation::signature));
    fields.extend(unread_body(proposed, reading));
    fields.sort();
    fields.dedup();
    let url = reading.url.as_ref();
    Covers {
        origin: url.map(|url| url.origin().ascii_serialization()).unwrap_or_default(),
        method: proposed.request.method.clone(),
        path: url
            .map(|url| if deletes { url.path().to_owned() } else { path_pattern(url) })
            .unwrap_or_default(),
        fields,
        role: target.map(role_of).unwrap_or_default(),
    }
}

/// Returns what covers a body that nothing reads: itself alone, or of a socket's messages those of its kind, since no two
/// have the same bytes.
fn unread_body(proposed: &ProposedRequest, reading: &RequestReading) -> Option<String> {
    let request = &proposed.request;
    if request.is_message() && reading.is_opaque {
        return Some(format!("body {}", request.content_type));
    }
    let digest = comparison::digest_of_rest(request, reading);
    (!digest.is_empty()).then(|| format!("body={digest}"))
}

fn field_of(value: &BodyValue, exact: bool) -> Option<String> {
    if is_opaque_token(&value.name, &value.value) {
        return None;
    }
    let means_all = matches!(value.value.to_ascii_lowercase().as_str(), "*" | "all" | "everything");
    Some(if exact || means_all || is_telling(&value.name) {
        format!("{}={}", value.name, value.value)
    } else {
        value.name.clone()
    })
}

/// True if values of this name tell calls apart.
fn is_telling(name: &str) -> bool {
    name.rsplit('.').next().is_some_and(tells_calls_apart)
}
