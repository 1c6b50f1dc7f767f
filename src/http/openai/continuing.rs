//! Which run a chat client goes on with. A client sends the whole of its chat each time and names no run: the run
//! is the one in which all of that was said. It is looked for in the store, so it is found after a restart, too.

use super::asked::{self, Asked, Role, Said};
use super::transcript::{Found, Transcript, opening, same};
use crate::http::problem::Problem;
use crate::http::service::Service;
use crate::protocol::Locale;
use crate::store::rows::{RunFilter, RunRow};
use serde_json::Value;

/// So many of the agent's last runs may be the one.
const RUNS: usize = 100;
/// So many of those that begin with the same words are read.
const READ: usize = 8;
/// Facts of one run that are read, by so many at once.
const FACTS: usize = 20_000;
const PAGE: usize = 512;

pub struct Known {
    pub row: RunRow,
    /// Facts up to this one are known to the client.
    pub seen: u64,
}

pub async fn find(service: &Service, asked: &Asked) -> Result<Option<Known>, Problem> {
    if !asked.history.iter().any(|said| said.role == Role::Assistant) {
        return Ok(None);
    }
    let filter =
        RunFilter { agent: Some(asked.model.clone()), roots: true, limit: RUNS, ..RunFilter::default() };
    let rows = service.store().runs(filter).await?;
    let mut read = 0;
    for row in rows {
        let Some(own) = begins(&row, &asked.history).map(|own| &asked.history[own..]) else { continue };
        let Some(words) = opening(&row, own) else { continue };
        read += 1;
        if let Some(Found { seen }) = transcript(service, &row, words).await?.found(own) {
            return Ok(Some(Known { row, seen }));
        }
        if read == READ {
            break;
        }
    }
    Ok(None)
}

/// From where on the history is that of the run: what came before it was told to the run at its beginning.
fn begins(row: &RunRow, history: &[Said]) -> Option<usize> {
    let told = row.input.get("history").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    match told {
        [] => Some(0),
        told => (0..history.len()).rev().find(|at| is_told(&asked::told(&history[..*at]), told)),
    }
}

/// As it is stored, secrets are masks.
fn is_told(earlier: &[Value], told: &[Value]) -> bool {
    let text = |value: &Value| value["content"].as_str().unwrap_or_default().to_owned();
    let alike =
        |(one, known): (&Value, &Value)| one["role"] == known["role"] && same(&text(known), &text(one));
    earlier.len() == told.len() && earlier.iter().zip(told).all(alike)
}

async fn transcript(service: &Service, row: &RunRow, words: &str) -> Result<Transcript, Problem> {
    let locale = Locale::of_input(&row.input);
    let (mut transcript, mut after, mut read) = (Transcript::begin(words), 0, 0);
    loop {
        let facts = service.store().facts(row.id.clone(), after, PAGE).await?;
        facts.iter().for_each(|fact| transcript.hear(fact, locale));
        read += facts.len();
        match facts.last() {
            Some(last) if facts.len() == PAGE && read < FACTS => after = last.seq,
            Some(_) | None => return Ok(transcript),
        }
    }
}
