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
    write_attributes(&mut resource, 1, sender.resource);
    let mut scope = Vec::new();
    write_text(&mut scope, 1, sender.scope);
    write_text(&mut scope, 2, sender.version);
    let mut scoped = Vec::new();
    write_message(&mut scoped, 1, &scope);
    spans.iter().for_each(|one| write_message(&mut scoped, 2, &span(one)));
    write_text(&mut scoped, 3, sender.schema_url);
    let mut all = Vec::new();
    write_message(&mut all, 1, &resource);
    write_message(&mut all, 2, &scoped);
    write_text(&mut all, 3, sender.schema_url);
    let mut request = Vec::new();
    write_message(&mut request, 1, &all);
    request
}

fn span(span: &Span) -> Vec<u8> {
    let mut out = Vec::new();
    write_message(&mut out, 1, &span.trace);
    write_message(&mut out, 2, &span.id);
    if let Some(parent) = &span.parent {
        write_message(&mut out, 4, parent);
    }
    write_text(&mut out, 5, &span.name);
    write_number(&mut out, 6, span.kind as u64);
    write_fixed64(&mut out, 7, nanos(span.begin));
    write_fixed64(&mut out, 8, nanos(span.end.max(span.begin)));
    write_attributes(&mut out, 9, &span.attributes);
    let mut status = Vec::new();
    match &span.outcome {
        SpanStatus::Unset => {}
        SpanStatus::Ok => write_number(&mut status, 3, 1),
        SpanStatus::Error(words) => {
            write_text(&mut status, 2, words);
            write_number(&mut status, 3, 2);
        }
    }
    write_message(&mut out, 15, &status);
    out
}

fn write_attributes(out: &mut Vec<u8>, field: u32, attributes: &[Attribute]) {
    for (key, value) in attributes {
        let mut pair = Vec::new();
        write_text(&mut pair, 1, key);
        write_message(&mut pair, 2, &any(value));
        write_message(out, field, &pair);
    }
}

/// Encodes an `AnyValue`. One of its fields is always present, even if it is empty or 0.
fn any(value: &AttributeValue) -> Vec<u8> {
    let mut out = Vec::new();
    match value {
        AttributeValue::Text(words) => write_message(&mut out, 1, words.as_bytes()),
        AttributeValue::Switch(on) => write_number(&mut out, 2, u64::from(*on)),
        AttributeValue::Whole(whole) => write_number(&mut out, 3, whole.cast_unsigned()),
        AttributeValue::Amount(amount) => write_fixed64(&mut out, 4, amount.to_bits()),
    }
    out
}

/// Converts milliseconds since 1970 to nanoseconds.
fn nanos(millis: i64) -> u64 {
    millis.max(0).unsigned_abs().saturating_mul(1_000_000)
}

fn write_text(out: &mut Vec<u8>, field: u32, words: &str) {
    if !words.is_empty() {
        write_message(out, field, words.as_bytes());
    }
}

fn write_message(out: &mut Vec<u8>, field: u32, bytes: &[u8]) {
    write_key(out, field, LENGTH);
    write_varint(out, bytes.len() as u64);
    out.extend_from_slice(bytes);
}

fn write_number(out: &mut Vec<u8>, field: u32, value: u64) {
    write_key(out, field, VARINT);
    write_varint(out, value);
}

fn write_fixed64(out: &mut Vec<u8>, field: u32, value: u64) {
    write_key(out, field, EIGHT);
    out.extend_from_slice(&value.to_le_bytes());
}

fn write_key(out: &mut Vec<u8>, field: u32, kind: u32) {
    write_varint(out, u64::from(field << 3 | kind));
}

fn write_varint(out: &mut Vec<u8>, mut value: u64) {
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
        write_number(&mut out, 1, 150);
        write_text(&mut out, 2, "testing");
        assert_eq!(out, b"\x08\x96\x01\x12\x07testing");
        assert_eq!(any(&AttributeValue::Whole(-1)).len(), 11, "ten bytes of a negative number");
    }
}
