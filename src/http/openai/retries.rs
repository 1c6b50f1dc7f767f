//! A client that has lost the connection asks the same again: that is answered by the run that it began, and
//! nothing is done twice, also where it asks at the same time. Known by its `Idempotency-Key`, or where its library
//! says that it tries again.

use super::course::Place;
use actix_web::http::header::{HeaderMap, HeaderValue};
use sha2::{Digest, Sha256};
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::OnceCell;

/// So many of the last requests are known.
const KEPT: usize = 256;

type Key = [u8; 32];

/// Where a request goes on, once it is said there. Whoever asks the same waits for that.
pub type Once = Arc<OnceCell<Place>>;

/// Private to this file and held for a few instructions.
#[derive(Debug, Default)]
pub struct Retries(Mutex<VecDeque<(Key, Once)>>);

impl Retries {
    /// That of an earlier request if this may be a second try of it, else one of its own.
    pub fn once(&self, headers: &HeaderMap, body: &[u8]) -> Once {
        let again = second(headers, body);
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let known = again.and_then(|again| kept.iter().rev().find(|(known, _)| *known == again));
        if let Some((_, once)) = known {
            return Arc::clone(once);
        }
        if kept.len() == KEPT {
            kept.pop_front();
        }
        let once = Once::default();
        kept.push_back((again.unwrap_or_else(|| first(headers, body)), Arc::clone(&once)));
        once
    }
}

/// Of a request that may be a second try; none if it cannot be.
fn second(headers: &HeaderMap, body: &[u8]) -> Option<Key> {
    let word = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    if let Some(key) = word("idempotency-key") {
        return Some(hash(&[b"key", key.as_bytes()]));
    }
    let again = word("x-stainless-retry-count").is_some_and(|count| count.trim() != "0");
    again.then(|| first(headers, body))
}

/// Of a first try. The same words said to another run are another request.
fn first(headers: &HeaderMap, body: &[u8]) -> Key {
    let run = headers.get(super::RUN).map_or(&b""[..], HeaderValue::as_bytes);
    hash(&[b"body", run, b"\n", body])
}

fn hash(parts: &[&[u8]]) -> Key {
    let mut hash = Sha256::new();
    parts.iter().for_each(|part| hash.update(part));
    hash.finalize().into()
}
