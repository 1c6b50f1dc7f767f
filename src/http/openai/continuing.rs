//! Which run a chat client goes on with. A client sends the whole of its chat each time. It may name its run; if it
//! does not, the run is the only one in which all of that was said: two chats of the same words are not taken for
//! each other. It is looked for in the store, so it is found after a restart, too.

use super::asked::{self, Asked, Role, Said};
use super::transcript::{KnownUpTo, Transcript, opening, same};
use crate::http::problem::Problem;
use crate::http::service::Service;
use crate::ids::RunId;
use crate::protocol::Locale;
use crate::store::rows::{RunFilter, RunRow};
use crate::turn::typed;
use serde_json::Value;

/// So many of the agent's last runs may be the one.
const RUNS: usize = 100;
/// So many of those that begin with the same words are read.
const READ: usize = 32;
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
    match &asked.run {
        Some(run) => named(service, asked, run).await,
        None => only(service, asked).await,
    }
}

/// The run that was named, if it is of this chat: no other is taken in its place.
async fn named(service: &Service, asked: &Asked, run: &RunId) -> Result<Option<Known>, Problem> {
    let Some(row) = service.store().run(run.clone()).await? else { return Ok(None) };
    if row.agent != asked.model || row.parent.is_some() {
        return Ok(None);
    }
    let Some(own) = owned(&row, &asked.history) else { return Ok(None) };
    fitting(service, row, own).await
}

/// The one run in which all of that was said; none where it was said in several, since they may be chats of others.
async fn only(service: &Service, asked: &Asked) -> Result<Option<Known>, Problem> {
    let filter =
        RunFilter { agent: Some(asked.model.clone()), roots: true, limit: RUNS, ..RunFilter::default() };
    let (mut known, mut read) = (None, 0);
    for row in service.store().runs(filter).await? {
        let Some(own) = owned(&row, &asked.history) else { continue };
        // Whether it is the only one is not known where not all are read.
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

/// What of a history is the run's own, if that begins with its words.
fn owned<'h>(row: &RunRow, history: &'h [Said]) -> Option<&'h [Said]> {
    let own = &history[begins(row, history)?..];
    opening(row, own).map(|_| own)
}

async fn fitting(service: &Service, row: RunRow, own: &[Said]) -> Result<Option<Known>, Problem> {
    let Some(words) = opening(&row, own) else { return Ok(None) };
    let found = transcript(service, &row, words).await?.found(own);
    Ok(found.map(|KnownUpTo { seen }| Known { row, seen }))
}

/// From where on the history is that of the run: what came before it was told to the run at its beginning.
fn begins(row: &RunRow, history: &[Said]) -> Option<usize> {
    let told = row.input.get("history").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    match told {
        [] => Some(0),
        told => (0..history.len()).rev().find(|at| is_told(asked::latest(&history[..*at]), told)),
    }
}

/// As it is stored, secrets are masks.
fn is_told(earlier: &[Said], told: &[Value]) -> bool {
    let alike = |(one, known): (&Said, &Value)| {
        let text = typed::shown(known["content"].as_str().unwrap_or_default());
        known["role"] == one.role.word() && same(&text, &asked::cut(&one.text))
    };
    // The last first: they differ the soonest, and most places are not the one.
    earlier.len() == told.len() && earlier.iter().zip(told).rev().all(alike)
}

async fn transcript(service: &Service, row: &RunRow, words: &str) -> Result<Transcript, Problem> {
    let locale = Locale::of_input(&row.input);
    let (mut transcript, mut after, mut read) = (Transcript::begin(words, locale), 0, 0);
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
