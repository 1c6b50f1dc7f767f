//! Reads an endpoint's response up to the maximum length of a reply.

use crate::config::secret::Secret;
use crate::model::endpoint::reply::{LONGEST, TOO_LONG};
use crate::turn::typed_secret::MASK;
use reqwest::Response;
use serde_json::Value;
use std::borrow::Cow;

/// Longest response in bytes: the longest reply with every character escaped, and the rest of the response.
pub(crate) const MOST: usize = 6 * LONGEST + 64 * 1024;

/// Shorter keys are no secrets, such as the `none` or `ollama` for servers without keys, and may occur
/// anywhere.
const SHORTEST_KEY: usize = 8;

/// Reads the whole response. A response that is too long is replaced by one with the finish reason
/// `TOO_LONG`.
pub async fn read_response(response: Response, key: Option<&Secret>) -> reqwest::Result<Response> {
    let body = match read_body(response).await? {
        Some(body) => mask_key_in_body(body, key),
        None => format!(r#"{{"choices":[{{"finish_reason":"{TOO_LONG}"}}]}}"#).into_bytes(),
    };
    Ok(http::Response::new(body).into())
}

/// Reads the body of an error response as text.
pub async fn read_error_text(response: Response, key: Option<&Secret>) -> reqwest::Result<String> {
    let body = read_body(response).await?;
    Ok(body.map_or_else(
        || String::from("the answer is too long"),
        |body| String::from_utf8_lossy(&mask_key_in_body(body, key)).into_owned(),
    ))
}

/// Masks the key in the body before any of it is truncated, stored or shown: endpoints repeat what they
/// receive.
pub(crate) fn mask_key_in_body(body: Vec<u8>, key: Option<&Secret>) -> Vec<u8> {
    let Some(key) = key.map(|key| key.expose().trim()).filter(|key| key.len() >= SHORTEST_KEY) else {
        return body;
    };
    if let Ok(mut value) = serde_json::from_slice::<Value>(&body) {
        return if mask_key(&mut value, key) { value.to_string().into_bytes() } else { body };
    }
    match std::str::from_utf8(&body) {
        Ok(text) if text.contains(key) => text.replace(key, MASK).into_bytes(),
        Ok(_) | Err(_) => body,
    }
}

/// Masks the key in all texts of a JSON value, names of fields included, also where its letters are escaped once
/// more (`\u0073k`) as in JSON within a text; true if it was there.
fn mask_key(value: &mut Value, key: &str) -> bool {
    match value {
        Value::String(text) => {
            let plain = unescape(text);
            let found = plain.contains(key);
            if found {
                *text = plain.replace(key, MASK);
            }
            found
        }
        Value::Array(items) => items.iter_mut().fold(false, |found, item| mask_key(item, key) | found),
        Value::Object(fields) => {
            let mut found = false;
            if fields.keys().any(|name| name.contains(key)) {
                found = true;
                *fields = std::mem::take(fields)
                    .into_iter()
                    .map(|(name, value)| (name.replace(key, MASK), value))
                    .collect();
            }
            fields.values_mut().fold(found, |found, value| mask_key(value, key) | found)
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

/// The text with its escapes of visible ASCII characters (`\u0073`) resolved. Quotes and backslashes stay escaped, so
/// that JSON within the text stays JSON.
fn unescape(text: &str) -> Cow<'_, str> {
    if !text.contains("\\u00") {
        return Cow::Borrowed(text);
    }
    let mut parts = text.split("\\u00");
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let digits = part.get(..2).and_then(|digits| u8::from_str_radix(digits, 16).ok());
        match digits.map(char::from).filter(|c| c.is_ascii_graphic() && !matches!(c, '"' | '\\')) {
            Some(c) => {
                plain.push(c);
                plain.push_str(&part[2..]);
            }
            None => {
                plain.push_str("\\u00");
                plain.push_str(part);
            }
        }
    }
    Cow::Owned(plain)
}

/// Reads the body; `None` if it is longer than `MOST` bytes, and the rest is not read.
async fn read_body(mut response: Response) -> reqwest::Result<Option<Vec<u8>>> {
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await? {
        if body.len() + chunk.len() > MOST {
            return Ok(None);
        }
        body.extend_from_slice(&chunk);
    }
    Ok(Some(body))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mask(body: &str) -> String {
        let key = Secret::new("sk-0123456789");
        String::from_utf8(mask_key_in_body(body.as_bytes().to_vec(), Some(&key))).unwrap()
    }

    // However an endpoint writes the key that it was sent, nothing of it is kept.
    #[test]
    fn the_model_key_is_masked_in_any_escaping() {
        for (body, expected) in [
            (r#"{"a":"no key"}"#, r#"{"a":"no key"}"#),
            ("not JSON sk-0123456789", "not JSON ••••"),
            (r#"{"a":["x sk-0123456789"]}"#, r#"{"a":["x ••••"]}"#),
            (r#"{"sk-0123456789":1}"#, r#"{"••••":1}"#),
            (r#"{"a":"\u0073\u006b-0123456789"}"#, r#"{"a":"••••"}"#),
            (r#"{"a":"{\"b\":\"\\u0073k-0123456789\"}"}"#, r#"{"a":"{\"b\":\"••••\"}"}"#),
            (r#"{"a":"\\u0022 \\u00e9 \\u0073"}"#, r#"{"a":"\\u0022 \\u00e9 \\u0073"}"#),
        ] {
            assert_eq!(mask(body), expected, "{body}");
        }
    }
}
