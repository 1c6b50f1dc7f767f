//! A client that has lost the connection asks the same again: that is answered by the run that it began, and
//! nothing is done twice. Known by its `Idempotency-Key`, or where its library says that it tries again.

use crate::ids::RunId;
use actix_web::http::header::{HeaderMap, HeaderValue};
use sha2::{Digest, Sha256};
use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

/// So many of the last requests are known.
const KEPT: usize = 256;

type Key = [u8; 32];

/// Private to this file and held for a few instructions.
#[derive(Debug, Default)]
pub struct Retries(Mutex<VecDeque<(Key, RunId, u64)>>);

impl Retries {
    /// Of a request that may be a second try; none if it cannot be.
    pub fn key(&self, headers: &HeaderMap, body: &[u8]) -> Option<Key> {
        let word = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
        if let Some(key) = word("idempotency-key") {
            return Some(hash(&[b"key", key.as_bytes()]));
        }
        let again = word("x-stainless-retry-count").is_some_and(|count| count.trim() != "0");
        again.then(|| self.first(headers, body))
    }

    /// Of a first try. The same words said to another run are another request.
    pub fn first(&self, headers: &HeaderMap, body: &[u8]) -> Key {
        let run = headers.get(super::RUN).map_or(&b""[..], HeaderValue::as_bytes);
        hash(&[b"body", run, b"\n", body])
    }

    pub fn known(&self, key: &Key) -> Option<(RunId, u64)> {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.iter().rev().find(|(known, ..)| known == key).map(|(_, run, after)| (run.clone(), *after))
    }

    pub fn remember(&self, key: Key, run: RunId, after: u64) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.len() == KEPT {
            kept.pop_front();
        }
        kept.push_back((key, run, after));
    }
}

fn hash(parts: &[&[u8]]) -> Key {
    let mut hash = Sha256::new();
    parts.iter().for_each(|part| hash.update(part));
    hash.finalize().into()
}
