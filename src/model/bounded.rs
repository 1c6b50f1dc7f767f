//! An endpoint's answer, read no further than a reply may be long.

use super::reply::{LONGEST, TOO_LONG};
use reqwest::Response;

/// Bytes: the longest reply whose letters are all escaped, with what else an answer says.
const MOST: usize = 6 * LONGEST + 64 * 1024;

/// The answer with all of its body; in place of a longer one, one that says so.
pub async fn whole(response: Response) -> reqwest::Result<Response> {
    let body = match body(response).await? {
        Some(body) => body,
        None => format!(r#"{{"choices":[{{"finish_reason":"{TOO_LONG}"}}]}}"#).into_bytes(),
    };
    Ok(http::Response::new(body).into())
}

/// What an endpoint says of its fault, as far as it is read.
pub async fn said(response: Response) -> reqwest::Result<String> {
    let body = body(response).await?;
    Ok(body.map_or_else(
        || String::from("the answer is too long"),
        |body| String::from_utf8_lossy(&body).into_owned(),
    ))
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
