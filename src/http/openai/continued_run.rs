//! Finds the run that a chat continues. A client sends its whole chat each time. It may name its run;
//! otherwise the run is the only one with exactly that conversation, so that two chats with the same messages
//! are not confused. The search reads the store, so it works after a restart too.

use crate::http::openai::request;
use crate::http::openai::request::{Asked, Role, Said};
use crate::http::openai::transcript::{KnownUpTo, Transcript, opening, same};
use crate::http::problem::Problem;
use crate::http::service::Service;
use crate::ids::RunId;
use crate::protocol::Locale;
use crate::store::rows::{RunFilter, RunRow};
use crate::turn::typed_secret;
use serde_json::Value;

/// Number of the agent's latest runs to search.
const RUNS: usize = 100;
/// Maximum number of runs with the same first message that are read.
const READ: usize = 32;
/// Maximum number of events read of one run; `PAGE` is the number read at once.
const FACTS: usize = 20_000;
const PAGE: usize = 512;

pub struct Known {
    pub row: RunRow,
    /// Number of the last event that the client knows.
    pub seen: u64,
}

pub async fn find(service: &Service, asked: &Asked) -> Result<Option<Known>, Problem> {
    if !asked.history.iter().any(|said| said.role == Role::Assistant) {
        return Ok(None);
    }
    match &asked.run {
        Some(run) => named(service, asked, run).await,
        None => only(service, asked).await,
    }
}

/// Returns the named run if it belongs to this chat. No other run is tried.
async fn named(service: &Service, asked: &Asked, run: &RunId) -> Result<Option<Known>, Problem> {
    let Some(row) = service.store().run(run.clone()).await? else { return Ok(None) };
    if row.agent != asked.model || row.parent.is_some() {
        return Ok(None);
    }
    let Some(own) = owned(&row, &asked.history) else { return Ok(None) };
    fitting(service, row, own).await
}

/// Returns the only run with this conversation; `None` if there are several, since they may belong to other
/// chats.
async fn only(service: &Service, asked: &Asked) -> Result<Option<Known>, Problem> {
    let filter =
        RunFilter { agent: Some(asked.model.clone()), roots: true, limit: RUNS, ..RunFilter::default() };
    let (mut known, mut read) = (None, 0);
    for row in service.store().runs(filter).await? {
        let Some(own) = owned(&row, &asked.history) else { continue };
        // If not all runs are read, the match may not be unique.
        if read == READ {
            return Ok(None);
        }
        read += 1;
        let Some(fits) = fitting(service, row, own).await? else { continue };
        if known.replace(fits).is_some() {
            return Ok(None);
        }
    }
    Ok(known)
}

/// Returns the part of the history that belongs to the run, if it starts with the run's first message.
fn owned<'h>(row: &RunRow, history: &'h [Said]) -> Option<&'h [Said]> {
    let own = &history[begins(row, history)?..];
    opening(row, own).map(|_| own)
}

async fn fitting(service: &Service, row: RunRow, own: &[Said]) -> Result<Option<Known>, Problem> {
    let Some(words) = opening(&row, own) else { return Ok(None) };
    let found = transcript(service, &row, words).await?.found(own);
    Ok(found.map(|KnownUpTo { seen }| Known { row, seen }))
}

/// Returns the position in the history at which the run starts; earlier messages were part of its input.
fn begins(row: &RunRow, history: &[Said]) -> Option<usize> {
    let told = row.input.get("history").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    match told {
        [] => Some(0),
        told => (0..history.len()).rev().find(|at| is_told(request::latest(&history[..*at]), told)),
    }
}

/// Compares messages with the stored input, in which secrets are masked.
fn is_told(earlier: &[Said], told: &[Value]) -> bool {
    let alike = |(one, known): (&Said, &Value)| {
        let text = typed_secret::mask_placeholders(known["content"].as_str().unwrap_or_default());
        known["role"] == one.role.word() && same(&text, &request::cut(&one.text))
    };
    // Compare from the end, because most candidates differ there.
    earlier.len() == told.len() && earlier.iter().zip(told).rev().all(alike)
}

async fn transcript(service: &Service, row: &RunRow, words: &str) -> Result<Transcript, Problem> {
    let locale = Locale::of_input(&row.input);
    let (mut transcript, mut after, mut read) = (Transcript::begin(words, locale), 0, 0);
    loop {
        let facts = service.store().events(row.id.clone(), after, PAGE).await?;
        facts.iter().for_each(|fact| transcript.hear(fact, locale));
        read += facts.len();
        match facts.last() {
            Some(last) if facts.len() == PAGE && read < FACTS => after = last.seq,
            Some(_) | None => return Ok(transcript),
        }
    }
}
