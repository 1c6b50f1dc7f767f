//! Reads an endpoint's response up to the maximum length of a reply.

use super::reply::{LONGEST, TOO_LONG};
use crate::config::Secret;
use reqwest::Response;

/// Longest response in bytes: the longest reply with every character escaped, and the rest of the response.
const MOST: usize = 6 * LONGEST + 64 * 1024;

/// Shorter keys are no secrets, such as the `none` or `ollama` for servers without keys, and may occur
/// anywhere.
const SHORTEST_KEY: usize = 8;

/// Reads the whole response. A response that is too long is replaced by one with the finish reason
/// `TOO_LONG`.
pub async fn whole(response: Response, key: Option<&Secret>) -> reqwest::Result<Response> {
    let body = match body(response).await? {
        Some(body) => without_key(body, key),
        None => format!(r#"{{"choices":[{{"finish_reason":"{TOO_LONG}"}}]}}"#).into_bytes(),
    };
    Ok(http::Response::new(body).into())
}

/// Reads the body of an error response as text.
pub async fn said(response: Response, key: Option<&Secret>) -> reqwest::Result<String> {
    let body = body(response).await?;
    Ok(body.map_or_else(
        || String::from("the answer is too long"),
        |body| String::from_utf8_lossy(&without_key(body, key)).into_owned(),
    ))
}

/// Masks the key in the body before any of it is truncated, stored or shown: endpoints repeat what they
/// receive.
fn without_key(body: Vec<u8>, key: Option<&Secret>) -> Vec<u8> {
    let Some(key) = key.map(|key| key.expose().trim()).filter(|key| key.len() >= SHORTEST_KEY) else {
        return body;
    };
    match std::str::from_utf8(&body) {
        Ok(text) if text.contains(key) => text.replace(key, "••••").into_bytes(),
        Ok(_) | Err(_) => body,
    }
}

/// Reads the body; `None` if it is longer than `MOST`. The rest is not read then.
async fn body(mut response: Response) -> reqwest::Result<Option<Vec<u8>>> {
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await? {
        if body.len() + chunk.len() > MOST {
            return Ok(None);
        }
        body.extend_from_slice(&chunk);
    }
    Ok(Some(body))
}
