//! Checks whether a model is set and its endpoint answers.

use crate::cli::doctor::finding::Finding;
use crate::config::Model;
use crate::config::secret::Secret;
use crate::protocol::Locale;
use crate::texts::terminal::doctor as texts;
use serde::Deserialize;
use std::time::Duration;
use url::Url;

const SUBJECT: &str = "model";
const OPENAI: &str = "https://api.openai.com/v1";
const CHECK_TIMEOUT: Duration = Duration::from_secs(5);

#[derive(Deserialize)]
struct ModelList {
    data: Vec<ListedModel>,
}

#[derive(Deserialize)]
struct ListedModel {
    id: String,
}

pub async fn check(model: &Model, locale: Locale) -> Finding {
    if !model.configured() {
        return Finding::note(SUBJECT, texts::no_model(locale), texts::connect_model(locale));
    }
    let base = model.base_url.as_deref().unwrap_or(OPENAI).trim_end_matches('/');
    let Ok(url) = Url::parse(&format!("{base}/models")) else {
        let advice = texts::correct_base_url(locale);
        return Finding::missing(SUBJECT, texts::not_an_address(base, locale), advice);
    };
    let answer = match get(&url, model.api_key.as_ref()).await {
        Ok(answer) => answer,
        Err(why) => {
            let advice = texts::start_model_server(locale);
            return Finding::missing(SUBJECT, texts::address_silent(base, &why, locale), advice);
        }
    };
    match answer.status().as_u16() {
        200 => judge(model, base, answer.json::<ModelList>().await.ok(), locale),
        401 | 403 => {
            Finding::missing(SUBJECT, texts::model_key_refused(base, locale), texts::set_model_key(locale))
        }
        status => {
            let text = texts::models_not_listed(base, status, locale);
            Finding::note(SUBJECT, text, texts::check_base_url(locale))
        }
    }
}

/// Checks whether the planner is among the models of the endpoint.
fn judge(model: &Model, base: &str, list: Option<ModelList>, locale: Locale) -> Finding {
    let names: Vec<String> = list.map(|l| l.data.into_iter().map(|m| m.id).collect()).unwrap_or_default();
    let Some(planner) = &model.planner else {
        let shown = names.iter().take(5).map(String::as_str).collect::<Vec<_>>().join(", ");
        let advice = texts::set_planner(&shown, locale);
        return Finding::note(SUBJECT, texts::planner_not_set(base, locale), advice);
    };
    // Ollama lists a model requested as `name` as `name:latest`.
    let same = |name: &String| name == planner || name.strip_suffix(":latest") == Some(planner);
    if names.is_empty() || names.iter().any(same) {
        return Finding::good(SUBJECT, texts::planner_found(base, planner, locale));
    }
    let shown = names.iter().take(5).map(String::as_str).collect::<Vec<_>>().join(", ");
    let text = texts::planner_not_listed(base, planner, locale);
    Finding::note(SUBJECT, text, texts::set_planner(&shown, locale))
}

/// Sends a GET request with a short timeout; local addresses are never requested through a proxy.
pub async fn get(url: &Url, key: Option<&Secret>) -> Result<reqwest::Response, String> {
    let local = match url.host() {
        Some(url::Host::Domain(name)) => name == "localhost",
        Some(url::Host::Ipv4(ip)) => ip.is_loopback(),
        Some(url::Host::Ipv6(ip)) => ip.is_loopback(),
        None => false,
    };
    let builder = reqwest::Client::builder().timeout(CHECK_TIMEOUT);
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
