//! Checks whether a model is set and its endpoint answers.

use crate::cli::doctor::finding::Finding;
use crate::config::Model;
use crate::config::secret::Secret;
use serde::Deserialize;
use std::time::Duration;
use url::Url;

const SUBJECT: &str = "model";
const OPENAI: &str = "https://api.openai.com/v1";
const PATIENCE: Duration = Duration::from_secs(5);

#[derive(Deserialize)]
struct ModelList {
    data: Vec<ListedModel>,
}

#[derive(Deserialize)]
struct ListedModel {
    id: String,
}

pub async fn check(model: &Model) -> Finding {
    if !model.configured() {
        let text = "none is set; only simple commands are understood";
        return Finding::note(
            SUBJECT,
            text,
            "connect one on the page “Model”, or set OPENAI_API_KEY, or model.base_url for your own server",
        );
    }
    let base = model.base_url.as_deref().unwrap_or(OPENAI).trim_end_matches('/');
    let Ok(url) = Url::parse(&format!("{base}/models")) else {
        return Finding::missing(SUBJECT, format!("{base} is not an address"), "correct model.base_url");
    };
    let answer = match get(&url, model.api_key.as_ref()).await {
        Ok(answer) => answer,
        Err(why) => {
            let advice = "start the server, or correct model.base_url";
            return Finding::missing(SUBJECT, format!("{base} does not answer: {why}"), advice);
        }
    };
    match answer.status().as_u16() {
        200 => judge(model, base, answer.json::<ModelList>().await.ok()),
        401 | 403 => {
            let advice = "set OPENAI_API_KEY or model.api_key to a key of that server";
            Finding::missing(SUBJECT, format!("{base} refuses the key"), advice)
        }
        status => {
            let text = format!("{base} answers, but lists no models (status {status})");
            Finding::note(
                SUBJECT,
                text,
                "check that model.base_url ends as the server expects, usually in /v1",
            )
        }
    }
}

/// Checks whether the planner is among the models of the endpoint.
fn judge(model: &Model, base: &str, list: Option<ModelList>) -> Finding {
    let names: Vec<String> = list.map(|l| l.data.into_iter().map(|m| m.id).collect()).unwrap_or_default();
    let Some(planner) = &model.planner else {
        let shown = names.iter().take(5).map(String::as_str).collect::<Vec<_>>().join(", ");
        let text = format!("{base} answers; model.planner is not set, so a default is used");
        return Finding::note(SUBJECT, text, format!("set model.planner to one of its models: {shown}"));
    };
    // Ollama lists a model requested as `name` as `name:latest`.
    let same = |name: &String| name == planner || name.strip_suffix(":latest") == Some(planner);
    if names.is_empty() || names.iter().any(same) {
        return Finding::good(SUBJECT, format!("{base} answers; {planner} plans"));
    }
    let shown = names.iter().take(5).map(String::as_str).collect::<Vec<_>>().join(", ");
    let text = format!("{base} answers, but does not list {planner}");
    Finding::note(SUBJECT, text, format!("set model.planner to one of its models: {shown}"))
}

/// Sends a GET request with a short timeout; local addresses are never requested through a proxy.
pub async fn get(url: &Url, key: Option<&Secret>) -> Result<reqwest::Response, String> {
    let local = match url.host() {
        Some(url::Host::Domain(name)) => name == "localhost",
        Some(url::Host::Ipv4(ip)) => ip.is_loopback(),
        Some(url::Host::Ipv6(ip)) => ip.is_loopback(),
        None => false,
    };
    let builder = reqwest::Client::builder().timeout(PATIENCE);
    let builder = if local { builder.no_proxy() } else { builder };
    let client = builder.build().map_err(|error| error.to_string())?;
    let mut request = client.get(url.clone());
    if let Some(key) = key {
        request = request.bearer_auth(key.expose());
    }
    request.send().await.map_err(|error| match std::error::Error::source(&error) {
        Some(cause) => cause.to_string(),
        None => error.to_string(),
    })
}
