//! Retries of requests. A client that lost the connection sends the same request again and gets the answer of
//! the run that it started, so nothing is done twice. A retry is recognized by its `Idempotency-Key`, or by
//! the retry header of client libraries. The result of a request is stored together with its effect; this
//! table holds only requests in progress, so that a concurrent retry waits for the first.

use crate::http::openai::completion_stream::{Place, Spot};
use crate::http::openai::models;
use crate::http::openai::request::{Asked, Role};
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

/// Place of a completion, once its message is delivered. Identical requests wait for it.
pub type Once = Arc<OnceCell<Place>>;

/// Identity of a request.
#[derive(Clone, Debug)]
pub struct RequestIdentity {
    /// Idempotency key that the client chose.
    pub named: Option<String>,
    key: String,
    asked: String,
    /// True if the request may be a retry.
    again: bool,
}

impl RequestIdentity {
    pub async fn from_request(
        service: &Service,
        headers: &HeaderMap,
        asked: &Asked,
    ) -> Result<Self, Problem> {
        let word = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
        let asked = hashed(service, asked).await?;
        let named = word("idempotency-key").filter(|key| !key.is_empty()).map(str::to_owned);
        let again = word("x-stainless-retry-count").is_some_and(|count| count.trim() != "0");
        Ok(match &named {
            Some(key) => Self { key: format!("key {}", hash(key)), again: true, named, asked },
            None => Self { key: format!("asked {asked}"), again, named, asked },
        })
    }

    /// Returns the record to store with the effect of the request.
    pub fn leading_to(&self, spot: Spot) -> IdempotencyRecord {
        IdempotencyRecord { key: self.key.clone(), asked: self.asked.clone(), place: json!(spot) }
    }

    /// Returns the place that an earlier identical request led to. Fails if the key was used for another
    /// request.
    pub async fn led_to(&self, service: &Service) -> Result<Option<Place>, Problem> {
        if !self.again {
            return Ok(None);
        }
        let Some((run, IdempotencyRecord { asked, place, .. })) =
            service.store().idempotency_record(self.key.clone()).await?
        else {
            return Ok(None);
        };
        if asked != self.asked {
            return Err(reused(Some(&run)));
        }
        Ok(Some(Place { run, spot: serde_json::from_value(place).unwrap_or_default() }))
    }
}

fn reused(run: Option<&RunId>) -> Problem {
    let led = run.map(|run| format!(" and led to run {run}")).unwrap_or_default();
    let detail = format!("this Idempotency-Key was sent with another request{led}; use a new key");
    Problem::conflict("key_reused", detail)
}

/// Requests in progress. Private to this file and locked for a few instructions.
#[derive(Debug, Default)]
pub struct Retries(Mutex<Vec<UnderWay>>);

#[derive(Debug)]
struct UnderWay {
    sent: RequestIdentity,
    /// Gone with the last who waits for it.
    once: Weak<OnceCell<Place>>,
}

impl Retries {
    /// That of a request under way if this may be the same once more, else one of its own.
    pub fn once(&self, sent: &RequestIdentity) -> Result<Once, Problem> {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.retain(|one| one.once.strong_count() > 0);
        let same = |one: &UnderWay| (one.sent.key == sent.key).then(|| one.once.upgrade()).flatten();
        let known = all.iter().rev().filter(|_| sent.again).find_map(|one| Some((one, same(one)?)));
        if let Some((one, once)) = known {
            return if one.sent.asked == sent.asked { Ok(once) } else { Err(reused(None)) };
        }
        let once = Once::default();
        all.push(UnderWay { sent: sent.clone(), once: Arc::downgrade(&once) });
        Ok(once)
    }
}

/// Hashes the input that a new run would receive. Secrets are masked in it, as in all stored data: most are
/// so short that they could be guessed from a hash.
async fn hashed(service: &Service, asked: &Asked) -> Result<String, Problem> {
    let asked = &veiled(asked);
    let words = || Map::from_iter([(String::from("text"), json!(asked.text))]);
    let input = models::input(service, asked).await.unwrap_or_else(|_| words());
    let shown = service.engine.shown_inputs(asked.model.clone(), input).await;
    let shown = shown.map_err(|fault| Problem::internal(&fault))?;
    Ok(hash(&json!([asked.run, asked.model, asked.history.len(), shown]).to_string()))
}

/// Masks answers to questions that seem to ask for a secret.
fn veiled(asked: &Asked) -> Asked {
    let mut asked = asked.clone();
    let mut secret = false;
    for said in &mut asked.history {
        if secret && said.role == Role::User {
            said.text = typed_secret::MASK.to_owned();
        }
        secret = said.role == Role::Assistant && secret_words::names_secret(&said.text);
    }
    if secret {
        asked.text = typed_secret::MASK.to_owned();
    }
    asked
}

fn hash(text: &str) -> String {
    format!("{:x}", Sha256::digest(text))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::http::openai::request::Said;

    fn request_with(said: &[(Role, &str)]) -> Asked {
        let said = said.iter().map(|(role, text)| Said { role: *role, text: (*text).to_owned() });
        Asked {
            model: String::from("browser"),
            history: said.collect(),
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
        assert_eq!(veiled(&now).text, typed_secret::MASK);
        let before = request_with(&[
            (user, "log in"),
            (agent, "What is the password?"),
            (user, "hunter2"),
            (agent, "Done."),
        ]);
        let veiled_before = veiled(&before);
        assert_eq!(veiled_before.history[2].text, typed_secret::MASK);
        assert_eq!((&*veiled_before.text, &*veiled_before.history[0].text), ("hunter2", "log in"));
    }
}
