//! Parses the responses of an endpoint. Fields that many servers omit are optional; every kind of invalid
//! answer has its own message, which the model receives once before the answer counts as invalid.

use crate::config::prices::Prices;
use crate::model::answer_json;
use crate::model::json_in_text::extract_first_json;
use crate::planning::ModelUsage;
use crate::text::truncate::{one_line, truncate_unmarked};
use crate::turn::{Turn, nesting_limit};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

/// Longest reply in bytes. The longest sensible turn has a hundredth of it; a longer one would be stored and
/// sent to every viewer.
pub(crate) const LONGEST: usize = 256 * 1024;
/// Largest plausible token count and cost of one call, in any currency.
const MOST_TOKENS: f64 = 1e9;
const MOST_MONEY: f64 = 1e6;
/// Finish reason of a response that was truncated at `LONGEST` (`limited_response`).
pub(crate) const TOO_LONG: &str = "askfirst_too_long";

/// The used parts of a chat completion.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(default)]
pub struct Completion {
    pub model: Option<String>,
    pub choices: Vec<Choice>,
    pub usage: Option<ReportedUsage>,
    /// Error object that some gateways send with status 200.
    pub error: Option<Value>,
}

/// Alternative of a reply; the service requests one.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(default)]
pub struct Choice {
    pub message: ReplyMessage,
    pub finish_reason: Option<String>,
}

/// Message of a reply.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(default)]
pub struct ReplyMessage {
    /// Text, or a list of parts.
    pub content: Option<Value>,
    pub refusal: Option<String>,
    pub tool_calls: Option<Value>,
    /// Reasoning of models whose server sends it apart. Shown nowhere and not part of the answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reasoning_content: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reasoning: Option<Value>,
}

/// Usage as the endpoint reports it. Absent counts are estimated.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(default)]
pub struct ReportedUsage {
    #[serde(deserialize_with = "count")]
    pub prompt_tokens: Option<u64>,
    #[serde(deserialize_with = "count")]
    pub completion_tokens: Option<u64>,
    pub prompt_tokens_details: Option<Details>,
    #[serde(deserialize_with = "money")]
    pub cost: Option<f64>,
    /// True if some counts are estimated (`token_estimate`).
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub estimated: bool,
}

/// Details of the tokens of a request.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(default)]
pub struct Details {
    #[serde(deserialize_with = "count")]
    pub cached_tokens: Option<u64>,
}

/// Deserializes a token count, clamped to a plausible range: sums of larger values could not be stored.
fn count<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u64>, D::Error> {
    let reported = Option::<f64>::deserialize(deserializer)?;
    // Integers up to the bound are exact in `f64`.
    Ok(reported.map(|reported| reported.clamp(0.0, MOST_TOKENS) as u64))
}

fn money<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<f64>, D::Error> {
    let reported = Option::<f64>::deserialize(deserializer)?;
    Ok(reported.map(|reported| reported.clamp(0.0, MOST_MONEY)))
}

/// Reason why an answer is invalid. Sent to the model, so it is in English and says what to do.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReplyFault {
    /// A retry would be refused again.
    #[error("the model refused: {0}")]
    Refused(String),
    #[error("the endpoint's content filter withheld the reply")]
    Filtered,
    #[error(
        "the reply was cut off at the limit of tokens (`model.max_output_tokens`); answer with a shorter one"
    )]
    CutOff,
    #[error("the reply has more than {LONGEST} bytes; answer with a shorter one")]
    TooLong,
    #[error("the reply was empty; answer with one JSON object")]
    Empty,
    #[error("the reply called a tool; answer with one JSON object in the text")]
    ToolCall,
    #[error("the reply is not one JSON object ({0}); answer with the object alone, without words around it")]
    NotJson(String),
    #[error("the reply is JSON but not a turn: {0}")]
    NotTurn(String),
    #[error("the reply is JSON but not what was asked for: {0}")]
    NotAsked(String),
    #[error("the turn has no action and does not stop; give one action, or `stop`: true with a `response`")]
    NoAction,
}

impl ReplyFault {
    /// True if the model may do better after a corrective retry.
    pub fn can_be_corrected(&self) -> bool {
        match self {
            Self::Refused(_) | Self::Filtered => false,
            Self::CutOff
            | Self::TooLong
            | Self::Empty
            | Self::ToolCall
            | Self::NotJson(_)
            | Self::NotTurn(_)
            | Self::NotAsked(_)
            | Self::NoAction => true,
        }
    }
}

impl Completion {
    /// Parses the turn in the first choice, in any shape that has one meaning.
    pub fn turn(&self) -> Result<Turn, ReplyFault> {
        let turn = Turn::try_from(self.value(true)?).map_err(ReplyFault::NotTurn)?;
        if let Some(words) = nesting_limit::check_nesting(&turn) {
            return Err(ReplyFault::NotTurn(words));
        }
        let acts = turn.actions.iter().any(|call| !call.action.trim().is_empty());
        if acts || turn.stop || turn.only_claims_done() || turn.only_thinks() || turn.only_keeps_variables() {
            Ok(turn)
        } else {
            Err(ReplyFault::NoAction)
        }
    }

    /// Parses the JSON object in the first choice.
    pub fn object(&self) -> Result<Value, ReplyFault> {
        let value = self.value(false)?;
        let other = || ReplyFault::NotJson(String::from("it is another kind of value"));
        if value.is_object() { Ok(value) } else { Err(other()) }
    }

    /// Parses the JSON in the first choice. With `takes_calls`, calls of tools count as actions.
    fn value(&self, takes_calls: bool) -> Result<Value, ReplyFault> {
        let choice = self.choices.first().ok_or(ReplyFault::Empty)?;
        if let Some(words) = choice.message.refusal.as_deref().filter(|words| !words.trim().is_empty()) {
            return Err(ReplyFault::Refused(excerpt(words)));
        }
        let text = choice.message.text();
        match choice.finish_reason.as_deref() {
            Some("content_filter") => return Err(ReplyFault::Filtered),
            Some("length") => return Err(ReplyFault::CutOff),
            Some(TOO_LONG) => return Err(ReplyFault::TooLong),
            _ => {}
        }
        if text.len() > LONGEST {
            return Err(ReplyFault::TooLong);
        }
        if !text.trim().is_empty() {
            return answer_json::read_answer(&text).map_err(ReplyFault::NotJson);
        }
        match (choice.message.calls(), choice.message.answer_in_reasoning()) {
            (Some(calls), _) if takes_calls && has_names(calls) => Ok(calls.clone()),
            (Some(_), _) => Err(ReplyFault::ToolCall),
            (None, Some(answer)) => Ok(answer),
            (None, None) => Err(ReplyFault::Empty),
        }
    }

    /// Parses the JSON object in the first choice, also within other text (C2).
    pub fn object_within(&self) -> Result<Value, ReplyFault> {
        match (self.object(), self.text()) {
            (Err(fault @ ReplyFault::NotJson(_)), Ok(words)) => {
                extract_first_json(&words).0.filter(Value::is_object).ok_or(fault)
            }
            (object, _) => object,
        }
    }

    /// Returns the text of the first choice, or an error text.
    pub fn text(&self) -> Result<String, String> {
        let choice = self.choices.first().ok_or_else(|| ReplyFault::Empty.to_string())?;
        if let Some(words) = choice.message.refusal.as_deref().filter(|words| !words.trim().is_empty()) {
            return Err(ReplyFault::Refused(excerpt(words)).to_string());
        }
        match choice.finish_reason.as_deref() {
            Some("content_filter") => return Err(ReplyFault::Filtered.to_string()),
            Some("length") => {
                return Err(String::from(
                    "it was cut off at the limit of tokens (`model.max_output_tokens`)",
                ));
            }
            Some(TOO_LONG) => return Err(format!("it has more than {LONGEST} bytes")),
            _ => {}
        }
        let text = choice.message.text();
        let text = answer_json::strip_reasoning(text.trim());
        if text.is_empty() { Err(String::from("it was empty")) } else { Ok(text.to_owned()) }
    }

    /// Returns tokens and cost of the call, for `role`; `requested_model` is the requested model.
    pub fn usage(&self, role: &str, requested_model: &str, prices: &Prices) -> ModelUsage {
        let reported = self.usage.clone();
        let tokens = reported.clone().unwrap_or_default();
        let model =
            self.model.clone().filter(|name| !name.is_empty()).unwrap_or_else(|| requested_model.to_owned());
        let input = tokens.prompt_tokens.unwrap_or(0);
        let cached = tokens.prompt_tokens_details.and_then(|details| details.cached_tokens).unwrap_or(0);
        let output = tokens.completion_tokens.unwrap_or(0);
        // Endpoints report the exact version of the model; the price table may list only the requested name.
        let price = prices
            .price_for(&model)
            .or_else(|| prices.price_for(requested_model))
            .filter(|_| reported.is_some());
        let cost = tokens.cost.or_else(|| price.map(|price| price.cost(input, cached, output)));
        ModelUsage {
            role: role.to_owned(),
            model,
            input_tokens: input,
            cached_tokens: cached,
            output_tokens: output,
            cost,
            currency: cost.map(|_| prices.currency.clone()),
            estimated: tokens.estimated,
        }
    }
}

impl ReplyMessage {
    fn text(&self) -> String {
        match &self.content {
            Some(Value::String(text)) => text.clone(),
            Some(Value::Array(parts)) => parts.iter().filter_map(|part| part.get("text")?.as_str()).collect(),
            _ => String::new(),
        }
    }

    /// Returns the calls of tools, if there are any.
    fn calls(&self) -> Option<&Value> {
        self.tool_calls.as_ref().filter(|calls| !calls.is_null() && *calls != &Value::Array(Vec::new()))
    }

    /// Returns the answer of servers that take all of it for reasoning: the reasoning is one JSON value and
    /// nothing else.
    fn answer_in_reasoning(&self) -> Option<Value> {
        let texts = [&self.reasoning_content, &self.reasoning];
        let text = texts.into_iter().flatten().find_map(Value::as_str)?;
        serde_json::from_str(text.trim()).ok().filter(Value::is_object)
    }
}

/// True if each call names its tool.
fn has_names(calls: &Value) -> bool {
    calls.as_array().is_some_and(|calls| calls.iter().all(|call| call["function"]["name"].is_string()))
}

fn excerpt(text: &str) -> String {
    truncate_unmarked(&one_line(text), 300)
}

#[cfg(test)]
mod answer_kinds;

#[cfg(test)]
mod tests {
    //! Valid and invalid answers of every kind.

    use super::*;
    use crate::config::prices::Price;
    use serde_json::json;

    fn answered(message: Value, finish: &str) -> Result<Turn, ReplyFault> {
        let body = json!({ "choices": [{ "message": message, "finish_reason": finish }] });
        serde_json::from_value::<Completion>(body).expect("a completion").turn()
    }

    fn read_content(content: &str) -> Result<Turn, ReplyFault> {
        answered(json!({ "role": "assistant", "content": content }), "stop")
    }

    const TURN: &str = r#"{"actions":[{"action":"back"}]}"#;

    // A turn parses with and without a code fence (S1.11).
    #[test]
    fn a_turn_is_read_whole_or_in_a_fence() {
        for text in [
            TURN.to_owned(),
            format!("\n {TURN}\n"),
            format!("```json\n{TURN}\n```"),
            format!("```\n{TURN}\n```"),
            format!("<think>hm {{}}</think>\n{TURN}"),
        ] {
            assert_eq!(read_content(&text).expect("a turn").actions[0].action, "back", "{text}");
        }
        let parts = json!([{ "type": "text", "text": TURN }]);
        assert!(answered(json!({ "content": parts }), "stop").is_ok());
        assert!(read_content(r#"{"stop":true,"response":"done"}"#).is_ok());
    }

    // An answer without a turn is refused, with a specific fault (S1.11, C2).
    #[test]
    fn a_reply_that_is_no_turn_has_a_reason() {
        assert!(matches!(read_content("Sure!"), Err(ReplyFault::NotJson(_))));
        assert!(matches!(read_content("[1]"), Err(ReplyFault::NotTurn(_))));
        assert!(matches!(read_content(r#"{"actions": "click"}"#), Err(ReplyFault::NotTurn(_))));
        assert_eq!(read_content(r#"{"status":"EXECUTING"}"#), Err(ReplyFault::NoAction));
        assert_eq!(read_content("  "), Err(ReplyFault::Empty));
        let long = format!(
            r#"{{"thoughts":[{{"content":"{}"}}],"actions":[{{"action":"back"}}]}}"#,
            "a".repeat(LONGEST)
        );
        assert_eq!(read_content(&long), Err(ReplyFault::TooLong));
        assert_eq!(answered(json!({ "content": TURN }), "length"), Err(ReplyFault::CutOff));
        assert_eq!(answered(json!({ "content": null }), "content_filter"), Err(ReplyFault::Filtered));
        assert_eq!(
            answered(json!({ "content": null, "refusal": "I  can't" }), "stop"),
            Err(ReplyFault::Refused(String::from("I can't")))
        );
        assert_eq!(
            answered(json!({ "content": null, "tool_calls": [{ "id": "x" }] }), "tool_calls"),
            Err(ReplyFault::ToolCall)
        );
        assert_eq!(Completion::default().turn(), Err(ReplyFault::Empty));
    }

    #[test]
    fn tokens_are_counted_with_the_cached_ones() {
        let body = json!({ "model": "m-1", "usage": {
            "prompt_tokens": 100, "completion_tokens": 7, "cost": 0.25,
            "prompt_tokens_details": { "cached_tokens": 64 } } });
        let completion: Completion = serde_json::from_value(body).expect("a completion");
        let usage = completion.usage("planner", "m", &Prices::default());
        assert_eq!((usage.input_tokens, usage.cached_tokens, usage.output_tokens), (100, 64, 7));
        assert_eq!((usage.model.as_str(), usage.cost), ("m-1", Some(0.25)));
        assert_eq!(Completion::default().usage("planner", "m", &Prices::default()).model, "m");
    }

    // Implausible counts would overflow sums in the store or count as refunds.
    #[test]
    fn implausible_token_counts_and_costs_are_clamped() {
        for (reported, kept, price) in [
            (json!(9_223_372_036_854_775_808_u64), 1_000_000_000, 1e6),
            (json!(1e308), 1_000_000_000, 1e6),
            (json!(-5), 0, 0.0),
            (json!(12), 12, 12.0),
        ] {
            let body = json!({"usage": {"prompt_tokens": reported, "completion_tokens": reported, "cost": reported,
                                        "prompt_tokens_details": {"cached_tokens": reported}}});
            let completion: Completion = serde_json::from_value(body).expect("a completion");
            let usage = completion.usage("planner", "m", &Prices::default());
            assert_eq!(
                [usage.input_tokens, usage.cached_tokens, usage.output_tokens],
                [kept; 3],
                "{reported}"
            );
            assert_eq!(usage.cost, Some(price), "{reported}");
        }
        let unreported: Completion =
            serde_json::from_value(json!({"usage": {"prompt_tokens": null}})).unwrap();
        assert!(unreported.usage.is_some_and(|usage| usage.prompt_tokens.is_none() && usage.cost.is_none()));
    }

    // A reported cost takes precedence over the price table; an unknown cost is not zero.
    #[test]
    fn cost_comes_from_the_endpoint_or_the_price_table_or_is_unknown() {
        let price = Price { input: 1.0, cached: 0.5, output: 2.0 };
        let table = |name: &str| Prices::new("EUR", [(name.to_owned(), price)]);
        let cost = |tokens: Value, prices: &Prices| {
            let body = json!({ "model": "m-2026-01-01", "usage": tokens });
            let completion: Completion = serde_json::from_value(body).expect("a completion");
            let usage = completion.usage("planner", "m", prices);
            (usage.cost, usage.currency)
        };
        let tokens = json!({ "prompt_tokens": 1_000_000, "completion_tokens": 500_000 });
        let euro = Some(String::from("EUR"));
        assert_eq!(cost(tokens.clone(), &table("m")), (Some(2.0), euro.clone()));
        assert_eq!(cost(tokens.clone(), &table("M-2026-01-01")), (Some(2.0), euro.clone()));
        assert_eq!(cost(tokens, &table("other")), (None, None));
        assert_eq!(cost(json!({ "prompt_tokens": 9, "cost": 0.25 }), &table("m")), (Some(0.25), euro));
        // Without reported tokens there is no cost.
        assert_eq!(cost(Value::Null, &table("m")), (None, None));
    }
}
