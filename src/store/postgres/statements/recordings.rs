//! Statements on recordings. Texts and messages are named by hashes, so that one statement stores all of a commit.

use crate::ids::RunId;
use crate::store::postgres::connection::sql::Sql;
use crate::store::postgres::statements::lock;
use crate::store::postgres::statements::log::LogBatch;
use crate::store::rows::recordings::{NewCall, StepRecording};
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;

type Hash = Vec<u8>;

/// Texts and messages of several calls. Sorted by hash, so that two commits never wait for each other.
#[derive(Default)]
struct RequestParts {
    texts: BTreeMap<Hash, String>,
    messages: BTreeMap<Hash, (Option<Hash>, Hash)>,
}

impl RequestParts {
    fn add_text(&mut self, text: &Value) -> Hash {
        let body = text.to_string();
        let hash = Sha256::digest(&body).to_vec();
        self.texts.entry(hash.clone()).or_insert(body);
        hash
    }

    /// Adds messages, each named by all up to it, and returns the name of the last.
    fn add_messages(&mut self, messages: &[Value]) -> Option<Hash> {
        let mut last: Option<Hash> = None;
        for message in messages {
            let text = self.add_text(message);
            let hash = Sha256::new().chain_update(last.as_deref().unwrap_or_default()).chain_update(&text);
            let hash = hash.finalize().to_vec();
            self.messages.entry(hash.clone()).or_insert((last, text));
            last = Some(hash);
        }
        last
    }

    fn push(self, batch: &mut LogBatch) {
        if self.texts.is_empty() {
            return;
        }
        batch.push(lock::request_texts_shared());
        let (hashes, bodies): (Vec<Hash>, Vec<String>) = self.texts.into_iter().unzip();
        let sql =
            "insert into request_texts (hash, body) select * from unnest($1, $2) on conflict do nothing";
        batch.push(Sql::new(sql).with(hashes).with(bodies));
        if self.messages.is_empty() {
            return;
        }
        let (hashes, rest): (Vec<Hash>, Vec<(Option<Hash>, Hash)>) = self.messages.into_iter().unzip();
        let (previous, texts): (Vec<Option<Hash>>, Vec<Hash>) = rest.into_iter().unzip();
        let sql = "insert into request_messages (hash, previous, text) select * from unnest($1, $2, $3)
                   on conflict do nothing";
        batch.push(Sql::new(sql).with(hashes).with(previous).with(texts));
    }
}

/// Stores the recording of a step.
pub fn push(batch: &mut LogBatch, run: &RunId, recording: &StepRecording) {
    let mut parts = RequestParts::default();
    let mut calls = Vec::new();
    for call in &recording.calls {
        let request = (!call.text.request.is_null()).then(|| parts.add_text(&call.text.request));
        let last = parts.add_messages(&call.text.messages);
        calls.push(insert_call(run, call, last, request));
    }
    parts.push(batch);
    calls.into_iter().for_each(|call| batch.push(call));
    if let Some(body) = &recording.body {
        let sql = "insert into step_inputs (run_id, step, body) values ($1, $2, $3)
                   on conflict (run_id, step) do update set body = excluded.body";
        batch.push(Sql::new(sql).with(run).with(recording.step).with(body));
    }
}

fn insert_call(
    run: &RunId,
    NewCall { row, text }: &NewCall,
    last: Option<Hash>,
    request: Option<Hash>,
) -> Sql {
    Sql::new(
        "insert into model_calls (run_id, n, step, role, model, at, took_ms, input_tokens, cached_tokens, output_tokens,
                                  cost, currency, error, dropped, last_message, request_text, answer, fault)
         values ($1, (select coalesce(max(n), 0) + 1 from model_calls where run_id = $1), $2, $3, $4, $5, $6, $7, $8,
                 $9, $10, $11, $12, $13, $14, $15, $16, $17)",
    )
    .with(run)
    .with(row.step)
    .with(&row.role)
    .with(&row.model)
    .with(row.at.millis())
    .with(row.took_ms)
    .with(row.input)
    .with(row.cached)
    .with(row.output)
    .with(row.cost)
    .with(row.currency.as_ref())
    .with(row.error.as_ref())
    .with(row.dropped)
    .with(last)
    .with(request)
    .with(text.answer.as_ref())
    .with(text.fault.as_ref())
}
