//! An endpoint's answer, read no further than a reply may be long.

use super::reply::{LONGEST, TOO_LONG};
use crate::config::Secret;
use reqwest::Response;

/// Bytes: the longest reply whose letters are all escaped, with what else an answer says.
const MOST: usize = 6 * LONGEST + 64 * 1024;

/// A shorter text is no secret, as the `none` or `ollama` that servers without keys are given, and may stand anywhere.
const SHORTEST_KEY: usize = 8;

/// The answer with all of its body; in place of a longer one, one that says so.
pub async fn whole(response: Response, key: Option<&Secret>) -> reqwest::Result<Response> {
    let body = match body(response).await? {
        Some(body) => without_key(body, key),
        None => format!(r#"{{"choices":[{{"finish_reason":"{TOO_LONG}"}}]}}"#).into_bytes(),
    };
    Ok(http::Response::new(body).into())
}

/// What an endpoint says of its fault, as far as it is read.
pub async fn said(response: Response, key: Option<&Secret>) -> reqwest::Result<String> {
    let body = body(response).await?;
    Ok(body.map_or_else(
        || String::from("the answer is too long"),
        |body| String::from_utf8_lossy(&without_key(body, key)).into_owned(),
    ))
}

/// The body with a mask for the key, before any of it is cut, kept or shown: endpoints repeat what they are sent.
fn without_key(body: Vec<u8>, key: Option<&Secret>) -> Vec<u8> {
    let Some(key) = key.map(|key| key.expose().trim()).filter(|key| key.len() >= SHORTEST_KEY) else {
        return body;
    };
    match std::str::from_utf8(&body) {
        Ok(text) if text.contains(key) => text.replace(key, "••••").into_bytes(),
        Ok(_) | Err(_) => body,
    }
}

/// None: it is longer. Whoever sends it is not heard any more then.
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
