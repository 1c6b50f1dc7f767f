//! Encodes spans as OTLP protobuf: a hand-written encoder for the messages of opentelemetry-proto 1.x that a
//! trace needs. A test decodes them with OpenTelemetry's own types.

use crate::observability::otlp::span::{Attribute, AttributeValue, Span, SpanStatus};

/// Protobuf wire types: varint, 64-bit and length-delimited.
const VARINT: u32 = 0;
const EIGHT: u32 = 1;
const LENGTH: u32 = 2;

/// Resource and scope of the spans.
pub struct ExportSource<'a> {
    pub resource: &'a [Attribute],
    pub scope: &'a str,
    pub version: &'a str,
    pub schema_url: &'a str,
}

/// Encodes an `ExportTraceServiceRequest`.
pub fn request(sender: &ExportSource<'_>, spans: &[Span]) -> Vec<u8> {
    let mut resource = Vec::new();
    attributes(&mut resource, 1, sender.resource);
    let mut scope = Vec::new();
    text(&mut scope, 1, sender.scope);
    text(&mut scope, 2, sender.version);
    let mut scoped = Vec::new();
    message(&mut scoped, 1, &scope);
    spans.iter().for_each(|one| message(&mut scoped, 2, &span(one)));
    text(&mut scoped, 3, sender.schema_url);
    let mut all = Vec::new();
    message(&mut all, 1, &resource);
    message(&mut all, 2, &scoped);
    text(&mut all, 3, sender.schema_url);
    let mut request = Vec::new();
    message(&mut request, 1, &all);
    request
}

fn span(span: &Span) -> Vec<u8> {
    let mut out = Vec::new();
    message(&mut out, 1, &span.trace);
    message(&mut out, 2, &span.id);
    if let Some(parent) = &span.parent {
        message(&mut out, 4, parent);
    }
    text(&mut out, 5, &span.name);
    number(&mut out, 6, span.kind as u64);
    eight(&mut out, 7, nanos(span.begin));
    eight(&mut out, 8, nanos(span.end.max(span.begin)));
    attributes(&mut out, 9, &span.attributes);
    let mut status = Vec::new();
    match &span.outcome {
        SpanStatus::Unset => {}
        SpanStatus::Ok => number(&mut status, 3, 1),
        SpanStatus::Error(words) => {
            text(&mut status, 2, words);
            number(&mut status, 3, 2);
        }
    }
    message(&mut out, 15, &status);
    out
}

fn attributes(out: &mut Vec<u8>, field: u32, attributes: &[Attribute]) {
    for (key, value) in attributes {
        let mut pair = Vec::new();
        text(&mut pair, 1, key);
        message(&mut pair, 2, &any(value));
        message(out, field, &pair);
    }
}

/// Encodes an `AnyValue`. One of its fields is always present, even if it is empty or 0.
fn any(value: &AttributeValue) -> Vec<u8> {
    let mut out = Vec::new();
    match value {
        AttributeValue::Text(words) => message(&mut out, 1, words.as_bytes()),
        AttributeValue::Switch(on) => number(&mut out, 2, u64::from(*on)),
        AttributeValue::Whole(whole) => number(&mut out, 3, whole.cast_unsigned()),
        AttributeValue::Amount(amount) => eight(&mut out, 4, amount.to_bits()),
    }
    out
}

/// Converts milliseconds since 1970 to nanoseconds.
fn nanos(millis: i64) -> u64 {
    millis.max(0).unsigned_abs().saturating_mul(1_000_000)
}

fn text(out: &mut Vec<u8>, field: u32, words: &str) {
    if !words.is_empty() {
        message(out, field, words.as_bytes());
    }
}

fn message(out: &mut Vec<u8>, field: u32, bytes: &[u8]) {
    key(out, field, LENGTH);
    varint(out, bytes.len() as u64);
    out.extend_from_slice(bytes);
}

fn number(out: &mut Vec<u8>, field: u32, value: u64) {
    key(out, field, VARINT);
    varint(out, value);
}

fn eight(out: &mut Vec<u8>, field: u32, value: u64) {
    key(out, field, EIGHT);
    out.extend_from_slice(&value.to_le_bytes());
}

fn key(out: &mut Vec<u8>, field: u32, kind: u32) {
    varint(out, u64::from(field << 3 | kind));
}

fn varint(out: &mut Vec<u8>, mut value: u64) {
    loop {
        let low = (value & 0x7f) as u8;
        value >>= 7;
        if value == 0 {
            return out.push(low);
        }
        out.push(low | 0x80);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // Examples from the description of the protobuf encoding.
    #[test]
    fn numbers_and_texts_are_written_as_the_encoding_says() {
        let mut out = Vec::new();
        number(&mut out, 1, 150);
        text(&mut out, 2, "testing");
        assert_eq!(out, b"\x08\x96\x01\x12\x07testing");
        assert_eq!(any(&AttributeValue::Whole(-1)).len(), 11, "ten bytes of a negative number");
    }
}
