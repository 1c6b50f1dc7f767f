//! Requests a text, or values as JSON, from the model for `llm` agents (S0.28). Values are requested by JSON
//! Schema, as a JSON object, then extracted from the text; after one corrective retry the call fails (C2).

use crate::config::Structured;
use crate::config::prices::Prices;
use crate::model::endpoint::advice::advice;
use crate::model::endpoint::error::{CallError, SetupError};
use crate::model::endpoint::recorded_call::CallContext;
use crate::model::endpoint::reply::Completion;
use crate::model::endpoint::{Endpoint, structured_output};
use crate::model::json_in_text::extract_first_json;
use crate::planning::ModelUsage;
use crate::protocol::Locale;
use crate::texts;
use crate::turn::agent_tools;
use crate::{config, metrics};
use serde_json::{Map, Value, json};

/// Request for a text or values.
#[derive(Clone, Debug)]
pub struct TextRequest<'a> {
    pub locale: Locale,
    pub system: Option<&'a str>,
    pub prompt: &'a str,
    /// A model other than the planner of the settings.
    pub model: Option<&'a str>,
    pub temperature: Option<f64>,
    /// The requested values; `None` requests a text.
    pub wanted: Option<&'a [RequestedValue]>,
}

/// A value of the answer.
#[derive(Clone, Debug, PartialEq)]
pub struct RequestedValue {
    pub name: String,
    /// Type name from `turn::agent_tools::TYPES`.
    pub type_name: String,
    pub description: Option<String>,
    /// True if it may be null or missing.
    pub optional: bool,
}

/// The model's answer.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TextReply {
    pub text: String,
    /// The requested values by name, and any further ones.
    pub values: Map<String, Value>,
    /// The JSON found in the text.
    pub json: Option<Value>,
}

/// Error of a request; the calls made were reported to `spent`.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{message}")]
pub struct WriteError {
    pub message: String,
}

/// Model calls of `llm` agents: one answer to a prompt.
#[derive(Debug)]
pub struct Writer {
    endpoint: Endpoint,
    model: String,
    fallback: Option<String>,
    structured: Structured,
    prices: Prices,
}

impl Writer {
    /// Creates a writer with the models of the settings.
    pub fn new(settings: &config::Model) -> Result<Self, SetupError> {
        Ok(Self {
            endpoint: Endpoint::new(settings)?,
            model: settings.planner.clone().unwrap_or_else(|| structured_output::DEFAULT_MODEL.to_owned()),
            fallback: settings.fallback.clone(),
            structured: settings.structured,
            prices: settings.prices.clone(),
        })
    }

    /// Requests one text or the values. `spent` receives the usage of every answer as it arrives.
    pub async fn write(
        &self,
        order: &TextRequest<'_>,
        spent: &mut (dyn FnMut(ModelUsage) + Send),
    ) -> Result<TextReply, WriteError> {
        let mut messages = messages(order);
        let first = self.reply(order, &messages, spent).await?;
        let fault = match parse_reply(order, first.text()) {
            Ok(written) => return count_outcome("ok", Ok(written)),
            Err(fault) => fault,
        };
        metrics::MODEL_CALLS.increment([ROLE, "invalid"]);
        tracing::warn!(fault, "the model's answer does not give what was asked for");
        messages.push(json!({"role": "assistant", "content": first.text().unwrap_or_default()}));
        let correction = format!("That cannot be used: {fault}. Answer again, with the JSON object alone.");
        messages.push(json!({"role": "user", "content": correction}));
        let second = self.reply(order, &messages, spent).await?;
        match parse_reply(order, second.text()) {
            Ok(written) => count_outcome("ok", Ok(written)),
            Err(fault) => count_outcome(
                "invalid",
                Err(WriteError { message: texts::model::unusable_twice(&fault, order.locale) }),
            ),
        }
    }

    /// Requests one reply, from the fallback model if the first one fails.
    async fn reply(
        &self,
        order: &TextRequest<'_>,
        messages: &[Value],
        spent: &mut (dyn FnMut(ModelUsage) + Send),
    ) -> Result<Completion, WriteError> {
        let model = order.model.unwrap_or(&self.model);
        let fault = match self.ask(order, messages, model, spent).await {
            Ok(completion) => return Ok(completion),
            Err(fault) => fault,
        };
        if let Some(other) = self.fallback.as_deref().filter(|_| fault.may_succeed_with_another_model())
            && let Ok(completion) = self.ask(order, messages, other, spent).await
        {
            return Ok(completion);
        }
        Err(WriteError { message: format!("{} ({model}: {fault})", advice(&fault, order.locale)) })
    }

    async fn ask(
        &self,
        order: &TextRequest<'_>,
        messages: &[Value],
        model: &str,
        spent: &mut (dyn FnMut(ModelUsage) + Send),
    ) -> Result<Completion, CallError> {
        let format = order.wanted.map_or(Structured::Prompt, |_| self.structured);
        let asks = CallContext { role: ROLE, prices: &self.prices };
        let body = |structured| body(order, messages, model, structured);
        let mut answer = self.endpoint.complete(asks, &body(format)).await;
        if format != Structured::Prompt && answer.as_ref().is_err_and(CallError::refuses_format) {
            tracing::warn!("endpoint does not take the form of answer; asking without it");
            answer = self.endpoint.complete(asks, &body(Structured::Prompt)).await;
        }
        let completion = answer.inspect_err(|_| metrics::MODEL_CALLS.increment([ROLE, "error"]))?;
        spent(completion.usage(ROLE, model, &self.prices));
        Ok(completion)
    }
}

/// Role of these calls in usage and metrics.
const ROLE: &str = "llm";

fn count_outcome<T>(outcome: &'static str, result: T) -> T {
    metrics::MODEL_CALLS.increment([ROLE, outcome]);
    result
}

fn messages(order: &TextRequest<'_>) -> Vec<Value> {
    let form = order.wanted.map(|wanted| {
        let line = |value: &RequestedValue| {
            let about = value.description.as_ref().map(|words| format!(": {words}")).unwrap_or_default();
            let or_null = if value.optional { " or null" } else { "" };
            format!("- \"{}\" ({}{or_null}){about}", value.name, value.type_name)
        };
        let lines: Vec<String> = wanted.iter().map(line).collect();
        format!("Answer with one JSON object with these members:\n{}", lines.join("\n"))
    });
    let parts: Vec<&str> = order.system.into_iter().chain(form.as_deref()).collect();
    let system = (!parts.is_empty()).then(|| json!({"role": "system", "content": parts.join("\n\n")}));
    let user = json!({"role": "user", "content": order.prompt});
    system.into_iter().chain([user]).collect()
}

fn body(order: &TextRequest<'_>, messages: &[Value], model: &str, structured: Structured) -> Value {
    let mut body = json!({"model": model, "messages": messages});
    if let Some(temperature) = order.temperature {
        body["temperature"] = json!(temperature);
    }
    let schema = order.wanted.and_then(schema);
    match (structured, schema) {
        (Structured::JsonSchema, Some(schema)) => {
            body["response_format"] = json!({
                "type": "json_schema",
                "json_schema": {"name": "output", "strict": true, "schema": schema},
            });
        }
        (Structured::JsonSchema | Structured::JsonObject, _) => {
            body["response_format"] = json!({"type": "json_object"});
        }
        (Structured::Prompt, _) => {}
    }
    body
}

/// Returns the schema of the values, following the rules of strict mode; `None` if a type has no closed form.
fn schema(wanted: &[RequestedValue]) -> Option<Value> {
    let mut properties = Map::new();
    for RequestedValue { name, type_name, optional, .. } in wanted {
        if !matches!(type_name.as_str(), "string" | "boolean" | "integer" | "number") {
            return None;
        }
        let json_type = if *optional { json!([type_name, "null"]) } else { json!(type_name) };
        properties.insert(name.clone(), json!({ "type": json_type }));
    }
    let required: Vec<&String> = wanted.iter().map(|value| &value.name).collect();
    Some(json!({
        "type": "object", "properties": properties, "required": required, "additionalProperties": false,
    }))
}

/// Parses an answer; the error is worded for the model.
fn parse_reply(order: &TextRequest<'_>, reply: Result<String, String>) -> Result<TextReply, String> {
    let text = reply?;
    let Some(wanted) = order.wanted else { return Ok(TextReply { text, ..TextReply::default() }) };
    let (found, reason) = extract_first_json(&text);
    let Some(json) = found else { return Err(reason.unwrap_or_default()) };
    let mut values = match (&json, wanted) {
        (Value::Object(members), _) => members.clone(),
        // A list may be the only requested value.
        (Value::Array(_), [value]) => Map::from_iter([(value.name.clone(), json.clone())]),
        _ => return Err(String::from("it is a list where an object was asked for")),
    };
    values.retain(|name, value| {
        !(value.is_null() && wanted.iter().any(|value| value.optional && value.name == *name))
    });
    let lacking: Vec<String> = wanted.iter().filter_map(|value| missing_value(value, &values)).collect();
    if lacking.is_empty() {
        Ok(TextReply { text, values, json: Some(json) })
    } else {
        Err(lacking.join("; "))
    }
}

fn missing_value(wanted: &RequestedValue, values: &Map<String, Value>) -> Option<String> {
    let RequestedValue { name, type_name, optional, .. } = wanted;
    match values.get(name) {
        None if *optional => None,
        None => Some(format!("the member \"{name}\" is missing")),
        Some(value) if !agent_tools::fits(type_name, value) => {
            Some(format!("\"{name}\" must be of type {type_name}, not {}", agent_tools::name_type(value)))
        }
        Some(_) => None,
    }
}

#[cfg(test)]
mod tests {
    //! Tests of values and schemas (C2, S0.28).

    use super::*;

    fn requested(name: &str, type_name: &str) -> RequestedValue {
        RequestedValue {
            name: name.to_owned(),
            type_name: type_name.to_owned(),
            description: None,
            optional: false,
        }
    }

    fn order(wanted: Option<&[RequestedValue]>) -> TextRequest<'_> {
        TextRequest { locale: Locale::En, system: None, prompt: "p", model: None, temperature: None, wanted }
    }

    fn parse_answer(wanted: &[RequestedValue], text: &str) -> Result<Value, String> {
        parse_reply(&order(Some(wanted)), Ok(text.to_owned())).map(|written| Value::Object(written.values))
    }

    // Optional values may be missing or null (S0.28).
    #[test]
    fn optional_values_may_be_absent_or_null() {
        let note = RequestedValue { optional: true, ..requested("note", "string") };
        let both = [requested("n", "integer"), note];
        for text in ["{\"n\": 1}", "{\"n\": 1, \"note\": null}"] {
            assert_eq!(parse_answer(&both, text), Ok(json!({"n": 1})));
        }
        assert!(parse_answer(&both, "{\"n\": 1, \"note\": 2}").is_err());
        assert!(parse_answer(&both, "{\"n\": null}").is_err());
        let schema = schema(&both).unwrap();
        assert_eq!(schema["properties"]["note"]["type"], json!(["string", "null"]));
    }

    #[test]
    fn values_are_taken_by_name_and_type() {
        let complex = [requested("is_complex", "boolean")];
        assert_eq!(parse_answer(&complex, "Sure: {\"is_complex\": true}"), Ok(json!({"is_complex": true})));
        let list = [requested("steps", "list")];
        assert_eq!(parse_answer(&list, "```json\n[1, 2]\n```"), Ok(json!({"steps": [1, 2]})));
        for (text, fault) in [
            ("no", "there is no JSON object or list in the text"),
            ("{\"is_complex\": \"true\"}", "\"is_complex\" must be of type boolean, not string"),
            ("{}", "the member \"is_complex\" is missing"),
        ] {
            assert_eq!(parse_answer(&complex, text), Err(fault.to_owned()));
        }
        let plain = parse_reply(&order(None), Ok(String::from("Hello {}"))).map(|written| written.text);
        assert_eq!(plain, Ok(String::from("Hello {}")));
    }

    #[test]
    fn a_schema_is_asked_for_where_it_can_be_strict() {
        let closed = [requested("a", "boolean"), requested("b", "string")];
        let request = body(&order(Some(&closed)), &[], "m", Structured::JsonSchema);
        let schema = &request["response_format"]["json_schema"];
        assert_eq!((&schema["name"], &schema["strict"]), (&json!("output"), &json!(true)));
        assert_eq!(schema["schema"]["required"], json!(["a", "b"]));
        assert_eq!(schema["schema"]["additionalProperties"], json!(false));
        let open = [requested("a", "object")];
        let request = body(&order(Some(&open)), &[], "m", Structured::JsonSchema);
        assert_eq!(request["response_format"], json!({"type": "json_object"}));
        assert_eq!(body(&order(None), &[], "m", Structured::Prompt).get("response_format"), None);
    }
}
