//! Retries of requests. A client that lost the connection sends the same request again and gets the answer of
//! the run that it started, so nothing is done twice. A retry is recognized by its `Idempotency-Key`, or by
//! the retry header of client libraries. The result of a request is stored together with its effect; this
//! table holds only requests in progress, so that a concurrent retry waits for the first.

use crate::http::openai::completion_stream::{CompletionStart, RunPosition};
use crate::http::openai::models;
use crate::http::openai::request::{ChatRequest, Role};
use crate::http::problem::Problem;
use crate::http::service::Service;
use crate::ids::RunId;
use crate::store::rows::idempotency::IdempotencyRecord;
use crate::text::secret_words;
use crate::turn::typed_secret;
use actix_web::http::header::HeaderMap;
use serde_json::{Map, json};
use sha2::{Digest, Sha256};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use tokio::sync::OnceCell;

/// Start of a completion, set when its message is delivered. Identical requests wait for it.
pub type PendingDelivery = Arc<OnceCell<CompletionStart>>;

/// Identity of a request.
#[derive(Clone, Debug)]
pub struct RequestIdentity {
    /// Idempotency key that the client chose.
    pub client_key: Option<String>,
    key: String,
    input_hash: String,
    may_be_retry: bool,
}

impl RequestIdentity {
    pub async fn from_request(
        service: &Service,
        headers: &HeaderMap,
        chat: &ChatRequest,
    ) -> Result<Self, Problem> {
        let word = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
        let input_hash = hash_input(service, chat).await?;
        let client_key = word("idempotency-key").filter(|key| !key.is_empty()).map(str::to_owned);
        let may_be_retry = word("x-stainless-retry-count").is_some_and(|count| count.trim() != "0");
        Ok(match &client_key {
            Some(key) => {
                Self { key: format!("key {}", hash(key)), may_be_retry: true, client_key, input_hash }
            }
            None => Self { key: format!("asked {input_hash}"), may_be_retry, client_key, input_hash },
        })
    }

    /// Returns the record to store with the effect of the request.
    pub fn record(&self, position: RunPosition) -> IdempotencyRecord {
        IdempotencyRecord {
            key: self.key.clone(),
            request_hash: self.input_hash.clone(),
            position: json!(position),
        }
    }

    /// Returns the start of the completion of an earlier identical request. Fails if the key was used for another
    /// request.
    pub async fn find_earlier(&self, service: &Service) -> Result<Option<CompletionStart>, Problem> {
        if !self.may_be_retry {
            return Ok(None);
        }
        let Some((run, IdempotencyRecord { request_hash, position, .. })) =
            service.store().idempotency_record(self.key.clone()).await?
        else {
            return Ok(None);
        };
        if request_hash != self.input_hash {
            return Err(key_reused_problem(Some(&run)));
        }
        Ok(Some(CompletionStart { run, position: serde_json::from_value(position).unwrap_or_default() }))
    }
}

fn key_reused_problem(run: Option<&RunId>) -> Problem {
    let led = run.map(|run| format!(" and led to run {run}")).unwrap_or_default();
    let detail = format!("this Idempotency-Key was sent with another request{led}; use a new key");
    Problem::conflict("key_reused", detail)
}

/// Requests in progress. Private to this file and locked for a few instructions.
#[derive(Debug, Default)]
pub struct Retries(Mutex<Vec<PendingRequest>>);

#[derive(Debug)]
struct PendingRequest {
    identity: RequestIdentity,
    /// Dropped with the last request that waits for it.
    delivery: Weak<OnceCell<CompletionStart>>,
}

impl Retries {
    /// Returns the delivery of an identical request in progress if this may be a retry, else a new one.
    pub fn pending_delivery(&self, identity: &RequestIdentity) -> Result<PendingDelivery, Problem> {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.retain(|pending| pending.delivery.strong_count() > 0);
        let same = |pending: &PendingRequest| {
            (pending.identity.key == identity.key).then(|| pending.delivery.upgrade()).flatten()
        };
        let identical = all
            .iter()
            .rev()
            .filter(|_| identity.may_be_retry)
            .find_map(|pending| Some((pending, same(pending)?)));
        if let Some((pending, delivery)) = identical {
            return if pending.identity.input_hash == identity.input_hash {
                Ok(delivery)
            } else {
                Err(key_reused_problem(None))
            };
        }
        let delivery = PendingDelivery::default();
        all.push(PendingRequest { identity: identity.clone(), delivery: Arc::downgrade(&delivery) });
        Ok(delivery)
    }
}

/// Hashes the input that a new run would receive. Secrets are masked in it, as in all stored data: most are
/// so short that they could be guessed from a hash.
async fn hash_input(service: &Service, chat: &ChatRequest) -> Result<String, Problem> {
    let chat = &mask_secret_answers(chat);
    let words = || Map::from_iter([(String::from("text"), json!(chat.text))]);
    let input = models::input_from_chat(service, chat).await.unwrap_or_else(|_| words());
    let masked_input = service.services.shown_inputs(chat.model.clone(), input).await;
    let masked_input = masked_input.map_err(|fault| Problem::internal(&fault))?;
    Ok(hash(&json!([chat.run, chat.model, chat.history.len(), masked_input]).to_string()))
}

/// Masks answers to questions that seem to ask for a secret.
fn mask_secret_answers(chat: &ChatRequest) -> ChatRequest {
    let mut chat = chat.clone();
    let mut secret = false;
    for message in &mut chat.history {
        if secret && message.role == Role::User {
            message.text = typed_secret::MASK.to_owned();
        }
        secret = message.role == Role::Assistant && secret_words::names_secret(&message.text);
    }
    if secret {
        chat.text = typed_secret::MASK.to_owned();
    }
    chat
}

fn hash(text: &str) -> String {
    format!("{:x}", Sha256::digest(text))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::http::openai::request::ChatMessage;

    fn request_with(messages: &[(Role, &str)]) -> ChatRequest {
        let history =
            messages.iter().map(|(role, text)| ChatMessage { role: *role, text: (*text).to_owned() });
        ChatRequest {
            model: String::from("browser"),
            history: history.collect(),
            text: String::from("hunter2"),
            stream: false,
            include_usage: false,
            run: None,
            accepted: None,
        }
    }

    #[test]
    fn stored_retry_records_contain_no_secret() {
        let (user, agent) = (Role::User, Role::Assistant);
        let now = request_with(&[(user, "log in"), (agent, "What is the password?")]);
        assert_eq!(mask_secret_answers(&now).text, typed_secret::MASK);
        let before = request_with(&[
            (user, "log in"),
            (agent, "What is the password?"),
            (user, "hunter2"),
            (agent, "Done."),
        ]);
        let masked_before = mask_secret_answers(&before);
        assert_eq!(masked_before.history[2].text, typed_secret::MASK);
        assert_eq!((&*masked_before.text, &*masked_before.history[0].text), ("hunter2", "log in"));
    }
}
