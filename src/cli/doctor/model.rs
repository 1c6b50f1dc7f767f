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
    /// Context window, as vLLM tells it.
    #[serde(default)]
    max_model_len: Option<u64>,
    /// Context window, as several gateways tell it.
    #[serde(default)]
    context_length: Option<u64>,
    /// Details, as llama.cpp tells them.
    #[serde(default)]
    meta: Option<ModelMeta>,
}

#[derive(Deserialize)]
struct ModelMeta {
    #[serde(default)]
    n_ctx: Option<u64>,
}

impl ListedModel {
    fn window(&self) -> Option<u64> {
        let told = self.meta.as_ref().and_then(|meta| meta.n_ctx);
        told.or(self.max_model_len).or(self.context_length)
    }
}

/// Windows of at least this many tokens need no setting.
const ROOMY: u64 = 32_768;

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
    let listed = list.map(|list| list.data).unwrap_or_default();
    let names: Vec<String> = listed.iter().map(|model| model.id.clone()).collect();
    let Some(planner) = &model.planner else {
        let shown = names.iter().take(5).map(String::as_str).collect::<Vec<_>>().join(", ");
        let advice = texts::set_planner(&shown, locale);
        return Finding::note(SUBJECT, texts::planner_not_set(base, locale), advice);
    };
    // Ollama lists a model requested as `name` as `name:latest`.
    let same = |name: &String| name == planner || name.strip_suffix(":latest") == Some(planner);
    if names.is_empty() || names.iter().any(same) {
        let window = listed.iter().find(|model| same(&model.id)).and_then(ListedModel::window);
        return judge_window(model, base, planner, window, locale);
    }
    let shown = names.iter().take(5).map(String::as_str).collect::<Vec<_>>().join(", ");
    let text = texts::planner_not_listed(base, planner, locale);
    Finding::note(SUBJECT, text, texts::set_planner(&shown, locale))
}

/// Compares the context window in the settings with the one that the endpoint tells.
fn judge_window(model: &Model, base: &str, planner: &str, real: Option<u64>, locale: Locale) -> Finding {
    let set = model.context_tokens;
    match real.filter(|real| if set > 0 { *real < set } else { *real < ROOMY }) {
        Some(real) => {
            let real = real.to_string();
            let text = texts::window_smaller(base, planner, &real, locale);
            Finding::note(SUBJECT, text, texts::set_window(&real, locale))
        }
        None if set > 0 => {
            let output = match model.max_output_tokens {
                0 => set / 4,
                most => most.min(set / 4),
            };
            let text = texts::window_kept(base, planner, &set.to_string(), &output.to_string(), locale);
            Finding::good(SUBJECT, text)
        }
        None => Finding::good(SUBJECT, texts::planner_found(base, planner, locale)),
    }
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
