//! Check of the length of a schema before anything else is done with it.

use serde_json::Value;
use std::borrow::Cow;
use std::io;

/// Buffer that refuses more bytes than its limit.
struct BoundedBuffer {
    written: Vec<u8>,
    most: usize,
}

impl io::Write for BoundedBuffer {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.written.len() + bytes.len() > self.most {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        self.written.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Writes a schema as JSON; `None` as soon as it has more than `most` bytes.
pub fn write_bounded(schema: &Value, most: usize) -> Option<String> {
    let mut buffer = BoundedBuffer { written: Vec::new(), most };
    serde_json::to_writer(&mut buffer, schema).ok()?;
    String::from_utf8(buffer.written).ok()
}

/// Returns a schema, which may be given as JSON in a text. A text that is no JSON is no schema, null; `None` if it has
/// more than `most` bytes, of which nothing is parsed.
pub fn parse_bounded(schema: &Value, most: usize) -> Option<Cow<'_, Value>> {
    match schema {
        Value::String(text) if text.len() > most => None,
        Value::String(text) => Some(Cow::Owned(serde_json::from_str(text).unwrap_or_default())),
        other => Some(Cow::Borrowed(other)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn long_schemas_are_neither_written_nor_parsed() {
        let schema = json!({"type": "object"});
        assert_eq!(write_bounded(&schema, 17).as_deref(), Some(r#"{"type":"object"}"#));
        assert_eq!(write_bounded(&schema, 16), None);
        let text = json!(r#"{"type":"object"}"#);
        assert_eq!(parse_bounded(&text, 17).as_deref(), Some(&schema));
        assert_eq!(parse_bounded(&text, 16), None);
        assert_eq!(parse_bounded(&schema, 1).as_deref(), Some(&schema), "it is parsed already");
        assert_eq!(parse_bounded(&json!("{"), 10).as_deref(), Some(&Value::Null));
    }
}
