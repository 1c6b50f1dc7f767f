//! The model planner: asks an OpenAI-compatible endpoint for a turn by JSON Schema (C2). Where the
//! endpoint cannot do that it steps down to plain JSON once, and remembers it. A reply that is no turn
//! is answered once with its fault; after that it is an invalid action.

use super::advice::advice;
use super::endpoint::{CallError, Endpoint, SetupError};
use super::prompt;
use super::reply::{Completion, Fault};
use super::{PlanError, PlanRequest, Planned, Usage};
use crate::config::{self, Structured};
use crate::metrics;
use crate::protocol::Locale;
use crate::turn::Turn;
use crate::turn::schema::turn_schema;
use serde_json::{Value, json};
use std::sync::atomic::{AtomicBool, Ordering};

/// Who plans where the settings name nobody.
pub(super) const DEFAULT_MODEL: &str = "gpt-5-mini";

/// A planner for all runs of a service, so that what one learned of the endpoint, all know.
#[derive(Debug)]
pub struct ModelPlanner {
    endpoint: Endpoint,
    model: String,
    vision: Option<String>,
    fallback: Option<String>,
    structured: Structured,
    /// The endpoint has shown that it knows no `json_schema`.
    no_schema: AtomicBool,
}

/// What one request is made of besides its messages.
#[derive(Clone, Copy)]
struct Slot<'a> {
    role: &'static str,
    model: &'a str,
}

impl ModelPlanner {
    pub fn new(settings: &config::Model) -> Result<Self, SetupError> {
        Ok(Self {
            endpoint: Endpoint::new(settings)?,
            model: settings.planner.clone().unwrap_or_else(|| DEFAULT_MODEL.to_owned()),
            vision: settings.vision.clone(),
            fallback: settings.fallback.clone(),
            structured: settings.structured,
            no_schema: AtomicBool::new(false),
        })
    }

    /// The model that plans without pictures.
    pub fn model(&self) -> &str {
        &self.model
    }

    pub async fn plan(&self, request: &PlanRequest<'_>) -> Result<Planned, PlanError> {
        let mut usage = Vec::new();
        let first = self.reply(request, None, &mut usage).await?;
        let fault = match self.read(request, &first) {
            Ok(turn) => return Ok(Planned { turn, usage }),
            Err(fault) => fault,
        };
        tracing::warn!(%fault, "model reply is no turn");
        if !fault.can_be_mended() {
            return Err(PlanError::Invalid { message: fault.to_string(), usage });
        }
        let second = self.reply(request, Some(&fault.to_string()), &mut usage).await?;
        match self.read(request, &second) {
            Ok(turn) => Ok(Planned { turn, usage }),
            Err(fault) => Err(PlanError::Invalid { message: fault.to_string(), usage }),
        }
    }

    /// One reply, from the fallback model if the first has none.
    async fn reply(
        &self,
        request: &PlanRequest<'_>,
        mend: Option<&str>,
        usage: &mut Vec<Usage>,
    ) -> Result<Completion, PlanError> {
        let slot = self.slot(request);
        let fault = match self.ask(request, mend, slot, usage).await {
            Ok(completion) => return Ok(completion),
            Err(fault) => fault,
        };
        if let (Some(model), Asked::Call(call)) = (&self.fallback, &fault)
            && call.may_spare_another_model()
        {
            tracing::warn!(fault = %call, model, "asking the fallback model");
            let slot = Slot { role: slot.role, model };
            if let Ok(completion) = self.ask(request, mend, slot, usage).await {
                return Ok(completion);
            }
        }
        let message = fault.advice(request.locale, slot.model);
        Err(PlanError::Unavailable { message, usage: std::mem::take(usage) })
    }

    /// The turn of a reply, which is counted by whether there is one.
    fn read(&self, request: &PlanRequest<'_>, reply: &Completion) -> Result<Turn, Fault> {
        let turn = reply.turn();
        let outcome = if turn.is_ok() { "ok" } else { "invalid" };
        metrics::MODEL_CALLS.one([self.slot(request).role, outcome]);
        turn
    }

    fn slot(&self, request: &PlanRequest<'_>) -> Slot<'_> {
        match (&self.vision, request.picture) {
            (Some(model), Some(_)) => Slot { role: "vision", model },
            _ => Slot { role: "planner", model: &self.model },
        }
    }

    async fn ask(
        &self,
        request: &PlanRequest<'_>,
        mend: Option<&str>,
        slot: Slot<'_>,
        usage: &mut Vec<Usage>,
    ) -> Result<Completion, Asked> {
        let messages = prompt::messages(request, mend).map_err(|fault| Asked::Prompt(fault.to_string()))?;
        let body = |structured| body(slot.model, &messages, structured, request.actions);
        let structured = self.structured_now();
        let counted = Counted { role: slot.role, outcome: "cancelled" };
        let mut answer = self.endpoint.complete(&body(structured)).await;
        if structured == Structured::JsonSchema && answer.as_ref().is_err_and(CallError::refuses_format) {
            tracing::warn!("endpoint knows no json_schema; asking for plain JSON from now on");
            self.no_schema.store(true, Ordering::Relaxed);
            answer = self.endpoint.complete(&body(Structured::JsonObject)).await;
        }
        counted.done(answer.as_ref().err());
        let completion = answer.map_err(Asked::Call)?;
        usage.push(completion.usage(slot.role, slot.model));
        Ok(completion)
    }

    fn structured_now(&self) -> Structured {
        match self.structured {
            Structured::JsonSchema if self.no_schema.load(Ordering::Relaxed) => Structured::JsonObject,
            asked => asked,
        }
    }
}

/// The request as it is sent, the schema's properties in the order in which a model should write them.
fn body(model: &str, messages: &Value, structured: Structured, actions: &[&str]) -> Value {
    let format = match structured {
        Structured::JsonSchema => json!({
            "type": "json_schema",
            "json_schema": { "name": "turn", "strict": true, "schema": turn_schema(actions) },
        }),
        Structured::JsonObject => json!({ "type": "json_object" }),
        Structured::Prompt => return json!({ "model": model, "messages": messages }),
    };
    json!({ "model": model, "messages": messages, "response_format": format })
}

/// Counts a call that gives no reply, also one that is dropped in the middle.
struct Counted {
    role: &'static str,
    outcome: &'static str,
}

impl Counted {
    fn done(mut self, fault: Option<&CallError>) {
        self.outcome = match fault {
            None => "",
            Some(CallError::TimedOut) => "timeout",
            Some(
                CallError::Rejected { .. }
                | CallError::Unreachable(_)
                | CallError::BrokeOff(_)
                | CallError::Unreadable(_),
            ) => "error",
        };
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        if !self.outcome.is_empty() {
            metrics::MODEL_CALLS.one([self.role, self.outcome]);
        }
    }
}

/// Why there is nothing to read.
enum Asked {
    Call(CallError),
    Prompt(String),
}

impl Asked {
    /// What the person is told: what happened, and what they can do.
    fn advice(&self, locale: Locale, model: &str) -> String {
        match self {
            Self::Call(call) => format!("{} ({model}: {call})", advice(call, locale)),
            Self::Prompt(fault) => fault.clone(),
        }
    }
}
