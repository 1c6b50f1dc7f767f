//! Media types of bodies: the syntax to read a body by, and binary contents.

/// Syntax of a body.
#[derive(Clone, Debug, PartialEq)]
pub enum BodySyntax {
    Form,
    /// Parts with a boundary; `None` if the header has none.
    Multipart(Option<String>),
    Json,
    JsonLines,
    Xml,
    Graphql,
    /// Any text; may be JSON or a form without saying so.
    Text,
    /// Bytes that no reader here understands.
    Binary,
}

/// Subtypes whose bodies are not text.
const BINARY: &[&str] = &[
    "grpc",
    "protobuf",
    "x-protobuffer",
    "msgpack",
    "messagepack",
    "cbor",
    "zip",
    "gzip",
    "x-tar",
    "pdf",
    "wasm",
    "avro",
    "thrift",
    "vnd.ms-",
    "vnd.openxmlformats",
    "x-7z",
    "zstd",
    "brotli",
    "x-amz-json-bin",
    "ion",
];

/// Returns the syntax that a `Content-Type` header names.
pub fn find_syntax(content_type: &str) -> BodySyntax {
    let essence = content_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    let (group, subtype) = essence.split_once('/').unwrap_or((essence.as_str(), ""));
    match (group, subtype) {
        ("application", "x-www-form-urlencoded") => BodySyntax::Form,
        ("multipart", _) => BodySyntax::Multipart(find_parameter(content_type, "boundary")),
        ("application", "graphql") => BodySyntax::Graphql,
        // Google's JSON for protocol buffers is a JSON list.
        (_, "json+protobuf") => BodySyntax::Json,
        (_, name)
            if ["ndjson", "jsonl", "jsonlines", "json-seq", "json-lines"]
                .iter()
                .any(|end| name.ends_with(end)) =>
        {
            BodySyntax::JsonLines
        }
        (_, name) if name.contains("json") => BodySyntax::Json,
        (_, name) if name == "xml" || name.ends_with("+xml") => BodySyntax::Xml,
        ("image" | "audio" | "video" | "font", _) => BodySyntax::Binary,
        (_, name) if name.split(['+', '-', '.']).any(|part| BINARY.contains(&part)) => BodySyntax::Binary,
        (_, name) if BINARY.iter().any(|start| name.starts_with(start)) => BodySyntax::Binary,
        _ => BodySyntax::Text,
    }
}

/// Returns a parameter of a header value such as `form-data; name="a"`, without its quotes.
pub fn find_parameter(header: &str, wanted: &str) -> Option<String> {
    split_parameters(header).into_iter().skip(1).find_map(|part| {
        let (name, value) = part.split_once('=')?;
        let value = value.trim();
        let quoted = value.strip_prefix('"').map(|rest| rest.strip_suffix('"').unwrap_or(rest));
        name.trim().eq_ignore_ascii_case(wanted).then(|| match quoted {
            Some(text) => text.replace("\\\"", "\""),
            None => value.to_owned(),
        })
    })
}

/// Splits a header value at semicolons outside of quotes.
fn split_parameters(header: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let (mut start, mut is_quoted, mut is_escaped) = (0, false, false);
    for (at, letter) in header.char_indices() {
        match letter {
            '"' if !is_escaped => is_quoted = !is_quoted,
            ';' if !is_quoted => {
                parts.push(&header[start..at]);
                start = at + 1;
            }
            _ => {}
        }
        is_escaped = letter == '\\' && !is_escaped;
    }
    parts.push(&header[start..]);
    parts
}

/// Reports whether bytes are no text: compressed, or with many bytes that text does not contain.
pub fn is_binary(body: &[u8]) -> bool {
    const LOOKED_AT: usize = 4096;
    let starts: [&[u8]; 4] = [b"\x1f\x8b", b"\x28\xb5\x2f\xfd", b"PK\x03\x04", b"%PDF-"];
    if starts.iter().any(|start| body.starts_with(start)) {
        return true;
    }
    let head = String::from_utf8_lossy(&body[..body.len().min(LOOKED_AT)]);
    let (mut letters, mut strange) = (0_usize, 0_usize);
    for letter in head.chars() {
        letters += 1;
        strange += usize::from(
            letter == char::REPLACEMENT_CHARACTER
                || (letter.is_control() && !matches!(letter, '\n' | '\r' | '\t' | '\u{1e}')),
        );
    }
    head.contains('\0') || strange * 10 > letters
}
