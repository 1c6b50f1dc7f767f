//! Lists the models that an endpoint offers at `/models`.

use crate::config;
use crate::model::endpoint::error::CallError;
use crate::model::endpoint::{OPENAI, limited_response};
use crate::model::{connection, endpoint};
use serde_json::Value;
use std::time::Duration;

/// Upper bound of the request's time limit.
const PATIENCE: Duration = Duration::from_secs(15);
/// Most names that are returned.
const MOST: usize = 5_000;

/// Reason why there is no list.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ListError {
    #[error("the endpoint does not list its models; type the name of one")]
    NotListed,
    #[error("the endpoint does not accept the key; give it again")]
    Refused,
    #[error("{0}")]
    Bad(String),
    #[error("the endpoint answers with an error ({0}); check its address and key, and its own log")]
    Failed(CallError),
    #[error("the endpoint does not answer ({0}); check that it runs and that the address is right")]
    Unreachable(CallError),
}

/// Returns the names of the models, sorted and without duplicates.
pub async fn models(settings: &config::Model) -> Result<Vec<String>, ListError> {
    let base = settings.base_url.as_deref().unwrap_or(OPENAI).trim_end_matches('/');
    let url =
        url::Url::parse(&format!("{base}/models")).map_err(|fault| ListError::Bad(fault.to_string()))?;
    let patience = PATIENCE.min(Duration::from_secs(settings.timeout_s));
    let client = endpoint::http_client(&url, patience).map_err(|fault| ListError::Bad(fault.to_string()))?;
    let mut request = client.get(url);
    if let Some(key) = &settings.api_key {
        request = request.bearer_auth(key.expose().trim());
    }
    let key = settings.api_key.as_ref();
    let unreachable = |fault: reqwest::Error| ListError::Unreachable(endpoint::sending_error(&fault));
    let response = request.send().await.map_err(unreachable)?;
    match response.status().as_u16() {
        200 => {}
        401 | 403 => return Err(ListError::Refused),
        404 | 405 | 501 => return Err(ListError::NotListed),
        status => {
            let body = limited_response::read_error_text(response, key).await.map_err(unreachable)?;
            return Err(ListError::Failed(endpoint::rejection(status, None, &body).mask_key(key)));
        }
    }
    let body = limited_response::read_error_text(response, key).await.map_err(unreachable)?;
    names(&serde_json::from_str(&body).unwrap_or_default()).ok_or(ListError::NotListed)
}

/// Reads OpenAI's `data: [{id}]`, a bare list, or Ollama's `models: [{name}]`; `None` for anything else.
fn names(body: &Value) -> Option<Vec<String>> {
    let entries = body.as_array().or(body["data"].as_array()).or(body["models"].as_array())?;
    let name = |entry: &Value| {
        let name = entry.as_str().or(entry["id"].as_str()).or(entry["name"].as_str())?;
        let name = name.trim();
        (!name.is_empty() && name.chars().count() <= connection::LONGEST_NAME).then(|| name.to_owned())
    };
    let mut names: Vec<String> = entries.iter().filter_map(name).take(MOST).collect();
    names.sort();
    names.dedup();
    Some(names)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn names_are_read_from_what_servers_send() {
        let two = Some(vec![String::from("a"), String::from("b:7b")]);
        for body in [
            json!({"object": "list", "data": [{"id": "b:7b", "object": "model"}, {"id": "a"}, {"id": "a"}]}),
            json!({"models": [{"name": "b:7b"}, {"name": "a"}, {"name": ""}]}),
            json!(["b:7b", "a"]),
        ] {
            assert_eq!(names(&body), two, "{body}");
        }
        assert_eq!(names(&json!({"data": []})), Some(Vec::new()));
        for other in [json!({}), json!("no"), json!({"error": "x"}), Value::Null] {
            assert_eq!(names(&other), None, "{other}");
        }
    }
}
