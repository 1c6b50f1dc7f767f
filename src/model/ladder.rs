//! The one way to an answer, whatever the role (C2): by JSON Schema, as a JSON object where the endpoint knows
//! no schemas, one corrective retry, the fallback model where the first has no answer. What it cost is kept.

use super::advice::advice;
use super::endpoint::CallError;
use super::kept::Asks;
use super::openai::ModelPlanner;
use super::prompt::PromptError;
use super::reply::{Completion, Fault};
use super::{PlanError, Usage};
use crate::config::Structured;
use crate::metrics;
use crate::protocol::Locale;
use crate::turn::schema::may_be_strict;
use serde_json::{Value, json};
use std::sync::atomic::Ordering;

/// One question to a model.
#[derive(Clone, Copy)]
pub(super) struct Query<'a> {
    pub role: &'static str,
    pub model: &'a str,
    pub locale: Locale,
    /// Name and schema of the answer.
    pub name: &'static str,
    pub schema: &'a Value,
    pub temperature: Option<f64>,
    /// The messages, with the fault of the reply before for the corrective retry.
    pub messages: &'a (dyn Fn(Option<&str>) -> Result<Value, PromptError> + Sync),
}

impl ModelPlanner {
    /// The answer as `read` has it.
    pub(super) async fn answer<T>(
        &self,
        query: Query<'_>,
        read: impl Fn(&Completion) -> Result<T, Fault>,
    ) -> Result<(T, Vec<Usage>), PlanError> {
        let mut usage = Vec::new();
        let read = |reply: &Completion| {
            let answer = read(reply);
            metrics::MODEL_CALLS.one([query.role, if answer.is_ok() { "ok" } else { "invalid" }]);
            answer
        };
        let first = self.reply(query, None, &mut usage).await?;
        let fault = match read(&first) {
            Ok(answer) => return Ok((answer, usage)),
            Err(fault) => fault,
        };
        tracing::warn!(%fault, role = query.role, "the model's reply cannot be used");
        if !fault.can_be_mended() {
            return Err(PlanError::Invalid { message: fault.to_string(), usage });
        }
        let second = self.reply(query, Some(&fault.to_string()), &mut usage).await?;
        match read(&second) {
            Ok(answer) => Ok((answer, usage)),
            Err(fault) => Err(PlanError::Invalid { message: fault.to_string(), usage }),
        }
    }

    /// One reply, from the fallback model if the first has none.
    async fn reply(
        &self,
        query: Query<'_>,
        mend: Option<&str>,
        usage: &mut Vec<Usage>,
    ) -> Result<Completion, PlanError> {
        let fault = match self.ask(query, mend, usage).await {
            Ok(completion) => return Ok(completion),
            Err(fault) => fault,
        };
        if let (Some(model), Asked::Call(call)) = (self.fallback(), &fault)
            && call.may_spare_another_model()
        {
            tracing::warn!(fault = %call, model, "asking the fallback model");
            if let Ok(completion) = self.ask(Query { model, ..query }, mend, usage).await {
                return Ok(completion);
            }
        }
        let message = fault.advice(query.locale, query.model);
        Err(PlanError::Unavailable { message, usage: std::mem::take(usage) })
    }

    async fn ask(
        &self,
        query: Query<'_>,
        mend: Option<&str>,
        usage: &mut Vec<Usage>,
    ) -> Result<Completion, Asked> {
        let messages = (query.messages)(mend).map_err(|fault| Asked::Prompt(fault.to_string()))?;
        let structured = match self.structured_now() {
            // It would be refused; for this agent alone.
            Structured::JsonSchema if !may_be_strict(query.schema) => Structured::JsonObject,
            asked => asked,
        };
        let asks = Asks { role: query.role, prices: &self.prices };
        let counted = Counted { role: query.role, outcome: "cancelled" };
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
        counted.done(answer.as_ref().err());
        let completion = answer.map_err(Asked::Call)?;
        usage.push(completion.usage(query.role, query.model, &self.prices));
        Ok(completion)
    }

    fn structured_now(&self) -> Structured {
        match self.structured {
            Structured::JsonSchema if self.no_schema.load(Ordering::Relaxed) => Structured::JsonObject,
            asked => asked,
        }
    }

    /// The request as it is sent, the schema's properties in the order in which a model should write them.
    fn body(&self, query: Query<'_>, messages: &Value, structured: Structured) -> Value {
        let mut body = match structured {
            Structured::JsonSchema => json!({ "model": query.model, "messages": messages }),
            // Templates of small local models take one system message, and no other after it.
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

/// The same, with all that the system says in its first message.
fn with_one_system(messages: &Value) -> Value {
    let all = messages.as_array().map(Vec::as_slice).unwrap_or_default();
    let is_system = |message: &&Value| message["role"] == "system";
    let (said, rest): (Vec<&Value>, Vec<&Value>) = all.iter().partition(is_system);
    let texts: Vec<&str> = said.iter().filter_map(|message| message["content"].as_str()).collect();
    let one = (!texts.is_empty()).then(|| json!({ "role": "system", "content": texts.join("\n\n") }));
    one.into_iter().chain(rest.into_iter().cloned()).collect()
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_system_says_can_be_told_in_one_message() {
        let said = |role: &str, text: &str| json!({ "role": role, "content": text });
        let two = json!([said("system", "a"), said("system", "b"), said("user", "c")]);
        assert_eq!(with_one_system(&two), json!([said("system", "a\n\nb"), said("user", "c")]));
        assert_eq!(with_one_system(&json!([said("user", "c")])), json!([said("user", "c")]));
    }
}
