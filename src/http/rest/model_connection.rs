//! `/api/model`: the connection to the model that plans, as made in the UI. A key can be set but never read.

use crate::config;
use crate::config::Structured;
use crate::config::secret::Secret;
use crate::http::json_object::{JsonObject, present};
use crate::http::problem::{HttpResult, Problem};
use crate::http::rest::runs::run_bodies;
use crate::http::service::{Service, run_blocking};
use crate::model::connection::model_list;
use crate::model::connection::model_list::ListError;
use crate::model::connection::probe::{ProbeReport, probe};
use crate::model::connection::{
    ConnectionChange, ConnectionError, ConnectionState, KeyChange, KeyState, ModelConnection, Source,
};
use crate::protocol::Locale;
use actix_web::http::StatusCode;
use actix_web::{HttpResponse, web};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// The current connection.
#[derive(Serialize, ToSchema)]
pub struct ModelState {
    configured: bool,
    #[schema(required)]
    base_url: Option<String>,
    #[schema(required)]
    model: Option<String>,
    key: KeyState,
    source: Source,
    /// The environment variable from which the key is read, if one was named.
    #[schema(required)]
    key_env: Option<String>,
    structured: Structured,
}

impl ModelState {
    fn from_connection(connected: &ConnectionState) -> Self {
        Self {
            configured: connected.settings.configured(),
            base_url: connected.base_url(),
            model: connected.planner.model().map(str::to_owned),
            key: connected.key,
            source: connected.source,
            key_env: connected.key_env.clone(),
            structured: connected.settings.structured,
        }
    }
}

/// A connection to make or to test.
#[derive(Default, Deserialize, ToSchema)]
#[serde(default)]
pub struct ModelConnectionRequest {
    /// Base URL of an OpenAI-compatible endpoint, mostly ending in /v1. If absent in a test, the connected
    /// endpoint.
    base_url: Option<String>,
    model: Option<String>,
    /// API key. If absent, the current key is kept as long as the address stays the same; empty or null
    /// removes it.
    #[serde(deserialize_with = "present")]
    #[schema(value_type = Option<String>)]
    key: Option<Option<String>>,
    /// Instead of `key`: the name of an environment variable of the service that holds the key (ends with
    /// API_KEY or API_TOKEN).
    key_env: Option<String>,
    /// The way to request structured output; if absent, as in the settings.
    structured: Option<Structured>,
    /// Language of the test results: "uk" or "en".
    locale: Option<String>,
}

impl ModelConnectionRequest {
    fn into_change(
        self,
        base_url: Option<String>,
        model: Option<String>,
    ) -> Result<ConnectionChange, Problem> {
        let key = match (self.key, self.key_env.filter(|name| !name.trim().is_empty())) {
            (Some(Some(key)), None) if !key.trim().is_empty() => KeyChange::Set(Secret::new(key)),
            (Some(Some(key)), Some(_)) if !key.trim().is_empty() => {
                return Err(bad_request("give either `key` or `key_env`, not both"));
            }
            (_, Some(name)) => KeyChange::Env(name.trim().to_owned()),
            (Some(_), None) => KeyChange::Remove,
            (None, None) => KeyChange::Keep,
        };
        let base_url = self.base_url.or(base_url).ok_or_else(|| bad_request("`base_url` is missing"))?;
        let model = self.model.or(model).ok_or_else(|| bad_request("`model` is missing"))?;
        Ok(ConnectionChange { base_url, model, key, structured: self.structured })
    }

    /// Returns the settings to test: the fields of the body, else those of the current connection.
    fn with_saved(self, connection: &ModelConnection) -> Result<config::Model, Problem> {
        let now = connection.current();
        if self.is_empty() {
            return if now.settings.configured() {
                Ok(now.settings.clone())
            } else {
                Err(not_connected_problem())
            };
        }
        let model = now.planner.model().unwrap_or(ANY_MODEL).to_owned();
        let change = self.into_change(now.base_url(), Some(model))?;
        Ok(connection.trial_settings(&change)?)
    }

    fn is_empty(&self) -> bool {
        self.base_url.is_none() && self.model.is_none() && self.key.is_none() && self.key_env.is_none()
    }
}

/// Model name for requests in which only the address matters.
const ANY_MODEL: &str = "model";

fn bad_request(why: &str) -> Problem {
    Problem::invalid("bad_model", why)
}

fn not_connected_problem() -> Problem {
    Problem::not_found("no_model", "no model is connected; give its address as `base_url`")
}

impl From<ConnectionError> for Problem {
    fn from(fault: ConnectionError) -> Self {
        match fault {
            ConnectionError::Bad(why) => bad_request(&why),
            ConnectionError::Disk(_) => {
                let words = fault.to_string();
                tracing::error!(fault = words, "model connection not stored");
                Self::new(StatusCode::INSUFFICIENT_STORAGE, "not_written", words)
            }
        }
    }
}

impl From<ListError> for Problem {
    fn from(fault: ListError) -> Self {
        let code = match fault {
            ListError::NotListed => "models_not_listed",
            ListError::Refused => "key_refused",
            ListError::Bad(_) => return bad_request(&fault.to_string()),
            ListError::Unreachable(_) | ListError::Failed(_) => "model_unreachable",
        };
        Self::new(StatusCode::BAD_GATEWAY, code, fault.to_string())
    }
}

/// Get the model that plans and the source of its settings. The key is never returned.
#[utoipa::path(get, path = "/api/model", tag = "service", responses((status = 200, body = ModelState)))]
pub async fn state(service: web::Data<Service>) -> HttpResponse {
    HttpResponse::Ok().json(ModelState::from_connection(&service.model.current()))
}

/// Connect a model. Runs that start or resume from now on use it; running ones keep theirs.
#[utoipa::path(put, path = "/api/model", tag = "service", request_body = ModelConnectionRequest, responses(
    (status = 200, body = ModelState),
    (status = 422, description = "The address, the model or the key cannot be used.", body = run_bodies::Fault),
    (status = 507, description = "It cannot be kept in the data folder.", body = run_bodies::Fault),
))]
pub async fn connect(
    service: web::Data<Service>,
    body: web::Json<JsonObject<ModelConnectionRequest>>,
) -> HttpResult {
    let change = body.into_inner().0.into_change(None, None)?;
    let connection = service.model.clone();
    run_blocking(move || connection.connect(change)).await??;
    Ok(HttpResponse::Ok().json(ModelState::from_connection(&service.model.current())))
}

/// Disconnect the model and forget its key. The model of the settings is used, if there is one.
#[utoipa::path(delete, path = "/api/model", tag = "service", responses(
    (status = 200, body = ModelState),
    (status = 507, description = "The file cannot be removed.", body = run_bodies::Fault),
))]
pub async fn disconnect(service: web::Data<Service>) -> HttpResult {
    let connection = service.model.clone();
    run_blocking(move || connection.disconnect()).await??;
    Ok(HttpResponse::Ok().json(ModelState::from_connection(&service.model.current())))
}

#[derive(Serialize, ToSchema)]
pub struct ModelNames {
    models: Vec<String>,
}

/// List the models of the connected endpoint.
#[utoipa::path(get, path = "/api/model/models", tag = "service", responses(
    (status = 200, body = ModelNames),
    (status = 404, description = "No model is connected.", body = run_bodies::Fault),
    (status = 502, description = "The endpoint does not answer, refuses the key, or lists no models.", body = run_bodies::Fault),
))]
pub async fn list(service: web::Data<Service>) -> HttpResult {
    list_models(ModelConnectionRequest::default().with_saved(&service.model)?).await
}

/// List the models of another endpoint before connecting it.
#[utoipa::path(post, path = "/api/model/models", tag = "service", request_body = ModelConnectionRequest, responses(
    (status = 200, body = ModelNames),
    (status = 422, description = "The address or the key cannot be used.", body = run_bodies::Fault),
    (status = 502, description = "The endpoint does not answer, refuses the key, or lists no models.", body = run_bodies::Fault),
))]
pub async fn list_for_settings(
    service: web::Data<Service>,
    body: web::Json<JsonObject<ModelConnectionRequest>>,
) -> HttpResult {
    list_models(body.into_inner().0.with_saved(&service.model)?).await
}

async fn list_models(settings: config::Model) -> HttpResult {
    Ok(HttpResponse::Ok().json(ModelNames { models: model_list::models(&settings).await? }))
}

/// Test the connected endpoint, or the one in the body, with real requests: whether it answers, supports JSON
/// Schema and streaming, and accepts pictures. Nothing is stored.
#[utoipa::path(post, path = "/api/model/test", tag = "service", request_body = ModelConnectionRequest, responses(
    (status = 200, body = ProbeReport),
    (status = 404, description = "No model is connected.", body = run_bodies::Fault),
    (status = 422, description = "The address, the model or the key cannot be used.", body = run_bodies::Fault),
))]
pub async fn test(service: web::Data<Service>, body: web::Bytes) -> HttpResult {
    let request = match body.trim_ascii() {
        b"" => ModelConnectionRequest::default(),
        body => {
            serde_json::from_slice::<JsonObject<ModelConnectionRequest>>(body)
                .map_err(|fault| Problem::bad_request("bad_body", fault.to_string()))?
                .0
        }
    };
    let locale = request.locale.as_deref().map(Locale::from_tag).unwrap_or_default();
    let settings = request.with_saved(&service.model)?;
    let report = probe(&settings, locale).await.map_err(|fault| bad_request(&fault.to_string()))?;
    Ok(HttpResponse::Ok().json(report))
}
