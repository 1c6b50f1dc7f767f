//! Tests an endpoint with real requests: it answers, follows the JSON Schema of a turn, streams, and sees
//! pictures. Each check reports in the person's language what was found, or what to do.

use crate::clock::Stopwatch;
use crate::config::{self, Structured};
use crate::model::connection::digit_picture;
use crate::model::endpoint;
use crate::model::endpoint::advice::advice;
use crate::model::endpoint::error::{CallError, SetupError};
use crate::model::endpoint::reply::Completion;
use crate::model::endpoint::structured_output::DEFAULT_MODEL;
use crate::model::endpoint::{Endpoint, OPENAI, limited_response};
use crate::protocol::Locale;
use crate::text::truncate::{one_line, truncate};
use crate::texts;
use crate::turn::schema::{TurnForm, turn_schema};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use serde::Serialize;
use serde_json::{Value, json};
use std::time::Duration;

/// Longest time of a check in seconds, regardless of the settings.
const PATIENCE: u64 = 60;
/// Most bytes read of a streamed answer.
const MOST: usize = 256 * 1024;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum CheckName {
    Reachable,
    Schema,
    Streaming,
    Pictures,
}

/// Result of one check.
#[derive(Clone, Debug, PartialEq, Serialize, utoipa::ToSchema)]
pub struct Check {
    pub name: CheckName,
    pub ok: bool,
    /// Response time in milliseconds; 0 if no request was sent.
    pub ms: u64,
    /// Result and advice in the requested language.
    pub detail: String,
}

#[derive(Clone, Debug, PartialEq, Serialize, utoipa::ToSchema)]
pub struct ProbeReport {
    /// True if the endpoint can plan runs; streaming and pictures are not required.
    pub ok: bool,
    pub checks: Vec<Check>,
    /// The strictest mode of structured output that works; null if none does.
    #[schema(required)]
    pub structured: Option<Structured>,
}

/// Runs the checks one after another.
pub async fn probe(settings: &config::Model, locale: Locale) -> Result<ProbeReport, SetupError> {
    let timeout_s = settings.timeout_s.min(PATIENCE);
    let settings = config::Model { retries: 0, timeout_s, ..settings.clone() };
    let endpoint = Endpoint::new(&settings)?;
    let model = settings.planner.clone().unwrap_or_else(|| DEFAULT_MODEL.to_owned());
    let probe = Probe { endpoint, settings, model, locale };
    let reachable = probe.reachable().await;
    if !reachable.ok {
        let skipped = |name| probe.check(name, false, 0, probe.not_asked());
        let rest = [CheckName::Schema, CheckName::Streaming, CheckName::Pictures].map(skipped);
        let checks = [reachable].into_iter().chain(rest).collect();
        return Ok(ProbeReport { ok: false, checks, structured: None });
    }
    let (schema, structured) = probe.schema().await;
    let checks = vec![reachable, schema, probe.streaming().await, probe.pictures().await];
    Ok(ProbeReport { ok: structured.is_some(), checks, structured })
}

/// Why an answer is of no use as a turn.
#[derive(Debug, thiserror::Error)]
enum Unusable {
    #[error("{}", short_line(.0))]
    Reply(String),
    #[error("{}", short_line(&.0.to_string()))]
    Call(CallError),
}

/// True if the server itself failed (5xx).
fn is_server_fault(fault: &CallError) -> bool {
    matches!(fault, CallError::Rejected { status: 500.., .. })
}

struct Probe {
    endpoint: Endpoint,
    settings: config::Model,
    model: String,
    locale: Locale,
}

impl Probe {
    fn check(&self, name: CheckName, ok: bool, ms: u64, detail: impl Into<String>) -> Check {
        Check { name, ok, ms, detail: detail.into() }
    }

    async fn ask(&self, mut body: Value) -> (u64, Result<Completion, CallError>) {
        body["model"] = json!(self.model);
        let watch = Stopwatch::start();
        let answer = self.endpoint.send_with_retries(&body).await;
        (watch.millis(), answer)
    }

    async fn reachable(&self) -> Check {
        let (ms, answer) = self.ask(json!({ "messages": [user("Answer with the one word: ready")] })).await;
        match answer {
            Ok(completion) if !completion.choices.is_empty() => {
                let detail = texts::model::model_answered(&self.model, self.locale);
                self.check(CheckName::Reachable, true, ms, detail)
            }
            Ok(_) => {
                let fault = CallError::Unreadable(String::from("it has no `choices`"));
                self.check(CheckName::Reachable, false, ms, self.fault_text(&fault))
            }
            Err(fault) => self.check(CheckName::Reachable, false, ms, self.fault_text(&fault)),
        }
    }

    /// Tests JSON Schema; if it fails, tests weaker modes.
    async fn schema(&self) -> (Check, Option<Structured>) {
        let (ms, fault) = self.turn(Structured::JsonSchema).await;
        let Some(fault) = fault else {
            let detail = texts::model::answers_by_schema(self.locale);
            return (self.check(CheckName::Schema, true, ms, detail), Some(Structured::JsonSchema));
        };
        for (weaker, works) in [
            (Structured::JsonObject, texts::model::plain_json_works(self.locale)),
            (Structured::Prompt, texts::model::asking_in_words_works(self.locale)),
        ] {
            let (_, refused) = self.turn(weaker).await;
            if refused.is_none() {
                let word = json!(weaker);
                let word = word.as_str().unwrap_or_default();
                let detail = texts::model::schema_fails(&fault.to_string(), works, word, self.locale);
                return (self.check(CheckName::Schema, false, ms, detail), Some(weaker));
            }
        }
        let detail = match &fault {
            Unusable::Call(fault) if is_server_fault(fault) => self.server_fault(fault),
            fault => texts::model::answers_do_not_fit(&fault.to_string(), self.locale),
        };
        (self.check(CheckName::Schema, false, ms, detail), None)
    }

    /// Asks for a small turn, and returns the time in ms and why the answer is of no use.
    async fn turn(&self, structured: Structured) -> (u64, Option<Unusable>) {
        let schema = turn_schema(&TurnForm { actions: &["ask_user"], ..TurnForm::default() });
        let order = "Answer with a turn that does nothing: no actions, `status` SUCCESS, `stop` true, `response` \"ready\".";
        let text = match structured {
            Structured::JsonSchema => order.to_owned(),
            Structured::JsonObject | Structured::Prompt => {
                format!(
                    "{order} Answer with one JSON object by this JSON Schema, and nothing else:\n{schema}"
                )
            }
        };
        let mut body = json!({ "messages": [user(&text)] });
        match structured {
            Structured::JsonSchema => {
                body["response_format"] = json!({
                    "type": "json_schema",
                    "json_schema": { "name": "turn", "strict": true, "schema": schema },
                });
            }
            Structured::JsonObject => body["response_format"] = json!({ "type": "json_object" }),
            Structured::Prompt => {}
        }
        let (ms, answer) = self.ask(body).await;
        let fault = match answer {
            Ok(completion) => completion.turn().err().map(|fault| Unusable::Reply(fault.to_string())),
            Err(fault) => Some(Unusable::Call(fault)),
        };
        (ms, fault)
    }

    async fn streaming(&self) -> Check {
        let watch = Stopwatch::start();
        let streamed = self.stream().await;
        let ms = watch.millis();
        let (ok, detail) = match streamed {
            Ok(pieces) if pieces > 0 => (true, texts::model::streams(pieces, self.locale)),
            Ok(_) => (false, self.without_stream("")),
            Err(fault) => (false, self.without_stream(&fault.to_string())),
        };
        self.check(CheckName::Streaming, ok, ms, detail)
    }

    fn without_stream(&self, fault: &str) -> String {
        let head = texts::model::does_not_stream(self.locale);
        if fault.is_empty() { head.to_owned() } else { format!("{head} ({})", short_line(fault)) }
    }

    /// Returns the number of streamed chunks.
    async fn stream(&self) -> Result<usize, CallError> {
        let base = self.settings.base_url.as_deref().unwrap_or(OPENAI).trim_end_matches('/');
        let unreadable = |fault: &dyn std::fmt::Display| CallError::Unreadable(fault.to_string());
        let url = url::Url::parse(&format!("{base}/chat/completions")).map_err(|fault| unreadable(&fault))?;
        let client = endpoint::http_client(&url, Duration::from_secs(self.settings.timeout_s))
            .map_err(|fault| unreadable(&fault))?;
        let body = json!({
            "model": self.model, "stream": true, "messages": [user("Count from one to five in words.")],
        });
        let key = self.settings.api_key.as_ref();
        let mut request = client.post(url).header("content-type", "application/json").body(body.to_string());
        if let Some(key) = key {
            request = request.bearer_auth(key.expose().trim());
        }
        let mut response = request.send().await.map_err(|fault| endpoint::sending_error(&fault))?;
        if !response.status().is_success() {
            let status = response.status().as_u16();
            let text = limited_response::read_error_text(response, key).await;
            let text = text.map_err(|fault| endpoint::sending_error(&fault))?;
            return Err(endpoint::rejection(status, None, &text).mask_key(key));
        }
        let mut text = Vec::new();
        while let Some(chunk) = response.chunk().await.map_err(|fault| endpoint::sending_error(&fault))? {
            text.extend_from_slice(&chunk);
            if text.len() > MOST || text.windows(DONE.len()).any(|window| window == DONE) {
                break;
            }
        }
        Ok(pieces(&String::from_utf8_lossy(&text)))
    }

    async fn pictures(&self) -> Check {
        let name = CheckName::Pictures;
        let digits = digit_picture::random();
        let Ok(picture) = digit_picture::picture(digits) else {
            return self.check(name, false, 0, self.not_asked());
        };
        let picture = format!("data:image/png;base64,{}", BASE64.encode(picture));
        let content = json!([
            { "type": "text", "text": "Which number stands in the picture? Answer with its digits alone." },
            { "type": "image_url", "image_url": { "url": picture } },
        ]);
        let (ms, answer) = self.ask(json!({ "messages": [{ "role": "user", "content": content }] })).await;
        let (ok, detail) = match &answer {
            Ok(completion) => self.judge_picture_answer(
                &completion.text().unwrap_or_default(),
                &digit_picture::digits_text(digits),
            ),
            Err(fault) if is_server_fault(fault) => (false, self.server_fault(fault)),
            Err(CallError::Rejected { .. }) => {
                let fault = answer.as_ref().err().map(ToString::to_string).unwrap_or_default();
                (false, texts::model::takes_no_pictures(&short_line(&fault), self.locale))
            }
            Err(fault) => (false, self.fault_text(fault)),
        };
        self.check(name, ok, ms, detail)
    }

    /// Decides by an answer if the model saw the picture.
    fn judge_picture_answer(&self, text: &str, wanted: &str) -> (bool, String) {
        let digits: String = text.chars().filter(char::is_ascii_digit).collect();
        if digits == wanted {
            return (true, texts::model::sees_pictures(self.locale).to_owned());
        }
        (false, texts::model::did_not_see_picture(wanted, &short_line(text), self.locale))
    }

    /// The server failed, which says nothing of what the model can do.
    fn server_fault(&self, fault: &CallError) -> String {
        texts::model::not_known(&short_line(&fault.to_string()), self.locale)
    }

    fn fault_text(&self, fault: &CallError) -> String {
        format!("{} ({})", advice(fault, self.locale), short_line(&fault.to_string()))
    }

    fn not_asked(&self) -> &'static str {
        texts::model::not_tried(self.locale)
    }
}

const DONE: &[u8] = b"data: [DONE]";

/// Counts the chat completion chunks in an event stream.
fn pieces(text: &str) -> usize {
    let data = text.lines().filter_map(|line| line.strip_prefix("data:")).map(str::trim);
    let chunk = |data: &str| {
        let chunk: Value = serde_json::from_str(data).unwrap_or_default();
        chunk["choices"]
            .as_array()
            .is_some_and(|choices| choices.iter().any(|choice| choice["delta"].is_object()))
    };
    data.filter(|data| chunk(data)).count()
}

fn user(text: &str) -> Value {
    json!({ "role": "user", "content": text })
}

/// Shortens a text to one line of 200 characters.
fn short_line(text: &str) -> String {
    truncate(&one_line(text), 200)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_of_a_stream_are_counted() {
        let stream = "data: {\"choices\":[{\"delta\":{\"content\":\"one\"}}]}\r\n\r\n: ping\n\n\
                      data:{\"choices\":[{\"delta\":{}}]}\n\ndata: {\"choices\":[]}\n\ndata: [DONE]\n\n";
        assert_eq!(pieces(stream), 2);
        assert_eq!(pieces("{\"choices\":[{\"message\":{\"content\":\"one\"}}]}"), 0);
    }
}
