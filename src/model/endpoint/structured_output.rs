//! Structured output for all roles: by JSON Schema, or as a JSON object if the endpoint does not support
//! schemas; one corrective retry; and the fallback model if the first one does not answer (C2). Each call's
//! cost is recorded.

use crate::config::prices::Prices;
use crate::config::{Model, Structured};
use crate::metrics;
use crate::model::endpoint::Endpoint;
use crate::model::endpoint::advice::advice;
use crate::model::endpoint::error::{CallError, SetupError};
use crate::model::endpoint::recorded_call::CallContext;
use crate::model::endpoint::reply::{Completion, ReplyFault};
use crate::model::prompt;
use crate::model::prompt::render::PromptError;
use crate::planning::{ModelPreference, ModelUsage, PlanError, PlanRequest, PlannedTurn};
use crate::protocol::Locale;
use crate::turn::schema::{may_be_strict, turn_schema};
use serde_json::{Value, json};
use std::sync::atomic::{AtomicBool, Ordering};

/// A request to a model.
#[derive(Clone, Copy)]
pub(crate) struct StructuredRequest<'a> {
    pub role: &'static str,
    pub model: &'a str,
    pub locale: Locale,
    /// Name and schema of the answer.
    pub name: &'static str,
    pub schema: &'a Value,
    pub temperature: Option<f64>,
    /// Builds the messages. The argument is the fault of the previous reply, for the corrective retry.
    pub messages: &'a (dyn Fn(Option<&str>) -> Result<Value, PromptError> + Sync),
}

impl ModelPlanner {
    /// Requests an answer and parses it with `read`, with one corrective retry.
    pub(crate) async fn answer<T>(
        &self,
        query: StructuredRequest<'_>,
        read: impl Fn(&Completion) -> Result<T, ReplyFault>,
    ) -> Result<(T, Vec<ModelUsage>), PlanError> {
        let mut usage = Vec::new();
        let read = |reply: &Completion| {
            let answer = read(reply);
            metrics::MODEL_CALLS.increment([query.role, if answer.is_ok() { "ok" } else { "invalid" }]);
            answer
        };
        let first = self.reply(query, None, &mut usage).await?;
        let fault = match read(&first) {
            Ok(answer) => return Ok((answer, usage)),
            Err(fault) => fault,
        };
        tracing::warn!(%fault, role = query.role, "the model's reply cannot be used");
        if !fault.can_be_corrected() {
            return Err(PlanError::Invalid { message: fault.to_string(), usage });
        }
        let second = self.reply(query, Some(&fault.to_string()), &mut usage).await?;
        match read(&second) {
            Ok(answer) => Ok((answer, usage)),
            Err(fault) => Err(PlanError::Invalid { message: fault.to_string(), usage }),
        }
    }

    /// Requests one reply, from the fallback model if the first one fails.
    async fn reply(
        &self,
        query: StructuredRequest<'_>,
        previous_fault: Option<&str>,
        usage: &mut Vec<ModelUsage>,
    ) -> Result<Completion, PlanError> {
        let fault = match self.send_request(query, previous_fault, usage).await {
            Ok(completion) => return Ok(completion),
            Err(fault) => fault,
        };
        if let (Some(model), RequestError::Call(call)) = (self.fallback(), &fault)
            && call.may_succeed_with_another_model()
        {
            tracing::warn!(fault = %call, model, "asking the fallback model");
            if let Ok(completion) =
                self.send_request(StructuredRequest { model, ..query }, previous_fault, usage).await
            {
                return Ok(completion);
            }
        }
        let message = fault.advice(query.locale, query.model);
        Err(PlanError::Unavailable { message, usage: std::mem::take(usage) })
    }

    async fn send_request(
        &self,
        query: StructuredRequest<'_>,
        previous_fault: Option<&str>,
        usage: &mut Vec<ModelUsage>,
    ) -> Result<Completion, RequestError> {
        let messages =
            (query.messages)(previous_fault).map_err(|fault| RequestError::Prompt(fault.to_string()))?;
        let structured = match self.structured_now() {
            // The endpoint would refuse this schema; schemas of other agents may be accepted.
            Structured::JsonSchema if !may_be_strict(query.schema) => Structured::JsonObject,
            other => other,
        };
        let asks = CallContext { role: query.role, prices: &self.prices };
        let counted = CallMetric { role: query.role, outcome: "cancelled" };
        let mut answer = self.endpoint.complete(asks, &self.body(query, &messages, structured)).await;
        if query.temperature.is_some() && answer.as_ref().is_err_and(CallError::refuses_temperature) {
            tracing::warn!("the model takes no temperature; asking without one from now on");
            self.no_temperature.store(true, Ordering::Relaxed);
            answer = self.endpoint.complete(asks, &self.body(query, &messages, structured)).await;
        }
        if structured == Structured::JsonSchema && answer.as_ref().is_err_and(CallError::refuses_format) {
            tracing::warn!("endpoint knows no json_schema; asking for plain JSON from now on");
            self.no_schema.store(true, Ordering::Relaxed);
            answer = self.endpoint.complete(asks, &self.body(query, &messages, Structured::JsonObject)).await;
        }
        counted.finish(answer.as_ref().err());
        let completion = answer.map_err(RequestError::Call)?;
        usage.push(completion.usage(query.role, query.model, &self.prices));
        Ok(completion)
    }

    fn structured_now(&self) -> Structured {
        match self.structured {
            Structured::JsonSchema if self.no_schema.load(Ordering::Relaxed) => Structured::JsonObject,
            other => other,
        }
    }

    /// Builds the request body. The client writes the schema's properties in the order in which a model
    /// should answer.
    fn body(&self, query: StructuredRequest<'_>, messages: &Value, structured: Structured) -> Value {
        let mut body = match structured {
            Structured::JsonSchema => json!({ "model": query.model, "messages": messages }),
            // Chat templates of small local models accept only one system message, at the beginning.
            Structured::JsonObject | Structured::Prompt => {
                json!({ "model": query.model, "messages": with_one_system(messages) })
            }
        };
        match structured {
            Structured::JsonSchema => {
                body["response_format"] = json!({
                    "type": "json_schema",
                    "json_schema": { "name": query.name, "strict": true, "schema": query.schema },
                });
            }
            Structured::JsonObject => body["response_format"] = json!({ "type": "json_object" }),
            Structured::Prompt => {}
        }
        let temperature = query.temperature.filter(|_| !self.no_temperature.load(Ordering::Relaxed));
        if let Some(temperature) = temperature {
            body["temperature"] = json!(temperature);
        }
        body
    }
}

/// Counts a call without a reply in the metrics, including one that is dropped midway.
struct CallMetric {
    role: &'static str,
    outcome: &'static str,
}

impl CallMetric {
    fn finish(mut self, fault: Option<&CallError>) {
        self.outcome = match fault {
            None => "",
            Some(CallError::TimedOut) => "timeout",
            Some(
                CallError::Rejected { .. }
                | CallError::Unreachable(_)
                | CallError::BrokeOff(_)
                | CallError::Unreadable(_)
                | CallError::ContextTooSmall { .. },
            ) => "error",
        };
    }
}

/// Merges all system messages into one at the beginning.
fn with_one_system(messages: &Value) -> Value {
    let all = messages.as_array().map(Vec::as_slice).unwrap_or_default();
    let is_system = |message: &&Value| message["role"] == "system";
    let (system, rest): (Vec<&Value>, Vec<&Value>) = all.iter().partition(is_system);
    let texts: Vec<&str> = system.iter().filter_map(|message| message["content"].as_str()).collect();
    let joined = (!texts.is_empty()).then(|| json!({ "role": "system", "content": texts.join("\n\n") }));
    joined.into_iter().chain(rest.into_iter().cloned()).collect()
}

impl Drop for CallMetric {
    fn drop(&mut self) {
        if !self.outcome.is_empty() {
            metrics::MODEL_CALLS.increment([self.role, self.outcome]);
        }
    }
}

/// Error of one request.
enum RequestError {
    Call(CallError),
    Prompt(String),
}

impl RequestError {
    /// Returns a message for the person: what happened, and what to do.
    fn advice(&self, locale: Locale, model: &str) -> String {
        match self {
            Self::Call(call) => format!("{} ({model}: {call})", advice(call, locale)),
            Self::Prompt(fault) => fault.clone(),
        }
    }
}

/// Planning model if the settings name none.
pub(crate) const DEFAULT_MODEL: &str = "gpt-5-mini";

/// A planner shared by all runs of a service, so that all of them use what one has learned of the endpoint.
#[derive(Debug)]
pub struct ModelPlanner {
    pub(crate) endpoint: Endpoint,
    model: String,
    summarizer: Option<String>,
    judge: Option<String>,
    vision: Option<String>,
    fallback: Option<String>,
    pub(crate) structured: Structured,
    pub(crate) prices: Prices,
    /// Set once the endpoint has refused `json_schema`.
    pub(crate) no_schema: AtomicBool,
    /// Set once a model has refused a temperature.
    pub(crate) no_temperature: AtomicBool,
}

impl ModelPlanner {
    /// Creates the planner with the models of the settings.
    pub fn new(settings: &Model) -> Result<Self, SetupError> {
        Ok(Self {
            endpoint: Endpoint::new(settings)?,
            model: settings.planner.clone().unwrap_or_else(|| DEFAULT_MODEL.to_owned()),
            summarizer: settings.summarizer.clone(),
            judge: settings.judge.clone(),
            vision: settings.vision.clone(),
            fallback: settings.fallback.clone(),
            structured: settings.structured,
            prices: settings.prices.clone(),
            no_schema: AtomicBool::new(false),
            no_temperature: AtomicBool::new(false),
        })
    }

    /// Returns the model that plans without pictures.
    pub fn model(&self) -> &str {
        &self.model
    }

    pub(crate) fn fallback(&self) -> Option<&str> {
        self.fallback.as_deref()
    }

    pub(crate) fn summarizer(&self) -> &str {
        self.summarizer.as_deref().unwrap_or(&self.model)
    }

    /// Returns the judge's model: the configured judge, else the vision model if there is a picture, else the
    /// planner.
    pub(crate) fn judge_model(&self, pictured: bool) -> &str {
        let sees = self.vision.as_deref().filter(|_| pictured);
        self.judge.as_deref().or(sees).unwrap_or(&self.model)
    }

    /// Returns the planning model; the agent's file takes precedence over the settings.
    pub(crate) fn model_for<'a>(&'a self, prefers: Option<&'a ModelPreference>) -> &'a str {
        prefers.and_then(|prefers| prefers.model.as_deref()).unwrap_or(&self.model)
    }

    /// Returns role and model of a planning request: the vision model if there is a picture and the agent's
    /// file names no model.
    pub(crate) fn role_and_model<'a>(&'a self, request: &PlanRequest<'a>) -> (&'static str, &'a str) {
        let named = request.prefers.is_some_and(|prefers| prefers.model.is_some());
        let has_pictures = request.picture.is_some() || !request.page_pictures.is_empty();
        match &self.vision {
            Some(model) if has_pictures && !named => ("vision", model),
            _ => ("planner", self.model_for(request.prefers)),
        }
    }

    /// Requests a turn. A reply that cannot be used is followed by one corrective retry.
    pub async fn plan(&self, request: &PlanRequest<'_>) -> Result<PlannedTurn, PlanError> {
        let (role, model) = self.role_and_model(request);
        let query = StructuredRequest {
            role,
            model,
            locale: request.locale,
            name: "turn",
            schema: &turn_schema(&request.form()),
            temperature: request.prefers.and_then(|prefers| prefers.temperature),
            messages: &|previous_fault| prompt::messages(request, previous_fault),
        };
        let (turn, usage) = self.answer(query, Completion::turn).await?;
        Ok(PlannedTurn { turn, usage })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn system_messages_can_be_merged_into_one() {
        let message = |role: &str, text: &str| json!({ "role": role, "content": text });
        let two = json!([message("system", "a"), message("system", "b"), message("user", "c")]);
        assert_eq!(with_one_system(&two), json!([message("system", "a\n\nb"), message("user", "c")]));
        assert_eq!(with_one_system(&json!([message("user", "c")])), json!([message("user", "c")]));
    }
}
