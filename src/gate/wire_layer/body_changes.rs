//! Changes of a body that carries a whole state, from the one that the page sent before. What counts, and what a
//! person is shown, is the difference.

use crate::browser::network::request_judge::EarlierBody;
use crate::gate::wire_layer::proposed_request::ProposedRequest;
use crate::page::outgoing_request::OutgoingRequest;
use crate::page::request_body::{self, BodyValues, RequestBody, ValueChange};

/// Fewest values of a body that counts as a whole state.
const FEWEST_VALUES: usize = 4;
/// Greatest part of the values, in percent, that may differ in a body that counts as the same state.
const MOST_CHANGED_PERCENT: usize = 50;

/// Differences between two bodies of the same state.
#[derive(Clone, Debug, PartialEq)]
pub struct BodyChanges(pub Vec<ValueChange>);

impl BodyChanges {
    /// Compares the body with the last one of the same method and path. Returns `None` without an earlier body, or
    /// if the two are not states of the same thing.
    pub fn find(proposed: &ProposedRequest) -> Option<Self> {
        let (before, now) = read_both(proposed.earlier.as_ref(), &proposed.request)?;
        if now.values.len() < FEWEST_VALUES
            || !now.graphql.is_empty()
            || now.is_truncated
            || before.is_truncated
        {
            return None;
        }
        let changes = request_body::difference(&before.values, &now.values);
        let is_same_state = changes.len() * 100 <= now.values.len() * MOST_CHANGED_PERCENT;
        is_same_state.then_some(Self(changes))
    }

    /// True if the body has other values than the last one of the same method and path, beyond the view. Of bodies too
    /// long to be read as a whole, the bytes are compared.
    pub fn differ_from_last(earlier: Option<&EarlierBody>, request: &OutgoingRequest) -> bool {
        let Some((before, now)) = read_both(earlier, request) else { return false };
        if before.is_truncated || now.is_truncated {
            return earlier.map(|earlier| &earlier.body) != request.body.as_ref();
        }
        !request_body::difference(&before.values, &now.values).iter().all(request_body::is_view_state)
    }

    /// True if nothing differs, or only what concerns the view.
    pub fn are_view_state(&self) -> bool {
        self.0.iter().all(request_body::is_view_state)
    }
}

/// Returns the values of the last body and of this one.
fn read_both(earlier: Option<&EarlierBody>, request: &OutgoingRequest) -> Option<(BodyValues, BodyValues)> {
    let earlier = earlier?;
    let before = whole_values(&earlier.content_type, Some(&earlier.body))?;
    let now = whole_values(&request.content_type, request.body.as_deref())?;
    Some((before, now))
}

fn whole_values(content_type: &str, body: Option<&[u8]>) -> Option<BodyValues> {
    match request_body::read_whole_body(content_type, body, None) {
        RequestBody::Values(values) => Some(values),
        RequestBody::Empty | RequestBody::Opaque { .. } => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // A change beyond the part of a value that is read is one, too.
    #[test]
    fn long_bodies_differ_by_their_bytes() {
        let text = |end: &str| format!("{{\"text\":\"{}{end}\"}}", "a".repeat(60_000));
        let content_type = String::from("application/json");
        for (before, now, differ) in [
            (text("b"), text("c"), true),
            (text("b"), text("b"), false),
            (String::from("{\"text\":\"b\"}"), String::from("{\"text\":\"c\"}"), true),
            (String::from("{\"scroll\":1}"), String::from("{\"scroll\":2}"), false),
        ] {
            let earlier = EarlierBody { content_type: content_type.clone(), body: before.into_bytes() };
            let request = OutgoingRequest {
                content_type: content_type.clone(),
                body: Some(now.into_bytes()),
                ..OutgoingRequest::default()
            };
            assert_eq!(BodyChanges::differ_from_last(Some(&earlier), &request), differ);
        }
    }
}
