//! OpenTelemetry spans and their ids. An id is derived from the span's identity, so a span that is sent
//! again, or by a restarted service, keeps it.

use crate::ids::RunId;
use sha2::{Digest, Sha256};

pub type Attribute = (&'static str, AttributeValue);

#[derive(Clone, Debug, PartialEq)]
pub struct Span {
    pub trace: [u8; 16],
    pub id: [u8; 8],
    pub parent: Option<[u8; 8]>,
    pub name: String,
    pub kind: OtlpSpanKind,
    /// Begin and end in Unix milliseconds.
    pub begin: i64,
    pub end: i64,
    pub attributes: Vec<Attribute>,
    pub outcome: SpanStatus,
}

/// Span kinds, with their numbers in OTLP.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u64)]
pub enum OtlpSpanKind {
    Internal = 1,
    Client = 3,
}

#[derive(Clone, Debug, PartialEq)]
pub enum SpanStatus {
    Unset,
    Ok,
    Error(String),
}

#[derive(Clone, Debug, PartialEq)]
pub enum AttributeValue {
    Text(String),
    Switch(bool),
    Whole(i64),
    Amount(f64),
}

/// Returns the trace id of a run tree.
pub fn trace_id(root: &RunId) -> [u8; 16] {
    let id = root.as_str();
    let digits: String = id.chars().filter(|letter| *letter != '-').collect();
    let parsed = u128::from_str_radix(&digits, 16).ok().filter(|_| RunId::is_one(id));
    parsed.map_or_else(|| first(&[id]), u128::to_be_bytes)
}

/// Derives a span id from the parts that identify it: `["run", id]`, `["step", run, "7"]`.
pub fn derive_span_id(parts: &[&str]) -> [u8; 8] {
    first(parts)
}

fn first<const N: usize>(parts: &[&str]) -> [u8; N] {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update(part);
        hash.update([0]);
    }
    let mut bytes = [0; N];
    bytes.copy_from_slice(&hash.finalize()[..N]);
    bytes
}

impl From<&str> for AttributeValue {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for AttributeValue {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<u64> for AttributeValue {
    fn from(number: u64) -> Self {
        Self::Whole(i64::try_from(number).unwrap_or(i64::MAX))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trace_has_the_number_of_its_root() {
        let root = RunId::from("019ac7b2-5d6e-7f00-8a1b-000000000001");
        let bytes: String = trace_id(&root).iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(bytes, "019ac7b25d6e7f008a1b000000000001");
        assert_ne!(trace_id(&RunId::from("x")), trace_id(&RunId::from("y")));
        assert_ne!(derive_span_id(&["step", "a", "1"]), derive_span_id(&["step", "a1", ""]));
    }
}
