//! Finds the run that a chat continues. A client sends its whole chat each time. It may name its run;
//! otherwise the run is the only one with exactly that conversation, so that two chats with the same messages
//! are not confused. The search reads the store, so it works after a restart too.

use crate::http::openai::request;
use crate::http::openai::request::{ChatMessage, ChatRequest, Role};
use crate::http::openai::transcript::{KnownUpTo, Transcript, first_message, same_text};
use crate::http::problem::Problem;
use crate::http::service::Service;
use crate::ids::RunId;
use crate::protocol::Locale;
use crate::store::rows::{RunFilter, RunRow};
use crate::turn::typed_secret;
use serde_json::Value;

/// Number of the agent's latest runs to search.
const MAX_RUNS: usize = 100;
/// Maximum number of runs with the same first message that are read.
const MAX_READ: usize = 32;
/// Maximum number of events read of one run; `EVENTS_AT_ONCE` is the number read at once.
const MAX_EVENTS: usize = 20_000;
const EVENTS_AT_ONCE: usize = 512;

pub struct ContinuedRun {
    pub row: RunRow,
    /// Number of the last event that the client knows.
    pub seen: u64,
}

pub async fn find(service: &Service, chat: &ChatRequest) -> Result<Option<ContinuedRun>, Problem> {
    if !chat.history.iter().any(|message| message.role == Role::Assistant) {
        return Ok(None);
    }
    match &chat.run {
        Some(run) => find_named(service, chat, run).await,
        None => find_unique(service, chat).await,
    }
}

/// Returns the named run if it belongs to this chat. No other run is tried.
async fn find_named(
    service: &Service,
    chat: &ChatRequest,
    run: &RunId,
) -> Result<Option<ContinuedRun>, Problem> {
    let Some(row) = service.store().run(run.clone()).await? else { return Ok(None) };
    if row.agent != chat.model || row.parent.is_some() {
        return Ok(None);
    }
    let Some(own) = own_history(&row, &chat.history) else { return Ok(None) };
    match_history(service, row, own).await
}

/// Returns the only run with this conversation; `None` if there are several, since they may belong to other
/// chats.
async fn find_unique(service: &Service, chat: &ChatRequest) -> Result<Option<ContinuedRun>, Problem> {
    let filter =
        RunFilter { agent: Some(chat.model.clone()), roots: true, limit: MAX_RUNS, ..RunFilter::default() };
    let (mut found, mut read) = (None, 0);
    for row in service.store().runs(filter).await? {
        let Some(own) = own_history(&row, &chat.history) else { continue };
        // If not all runs are read, the match may not be unique.
        if read == MAX_READ {
            return Ok(None);
        }
        read += 1;
        let Some(fits) = match_history(service, row, own).await? else { continue };
        if found.replace(fits).is_some() {
            return Ok(None);
        }
    }
    Ok(found)
}

/// Returns the part of the history that belongs to the run, if it starts with the run's first message.
fn own_history<'h>(row: &RunRow, history: &'h [ChatMessage]) -> Option<&'h [ChatMessage]> {
    let own = &history[run_start(row, history)?..];
    first_message(row, own).map(|_| own)
}

async fn match_history(
    service: &Service,
    row: RunRow,
    own: &[ChatMessage],
) -> Result<Option<ContinuedRun>, Problem> {
    let Some(first_message) = first_message(&row, own) else { return Ok(None) };
    let found = transcript(service, &row, first_message).await?.known_up_to(own);
    Ok(found.map(|KnownUpTo { seen }| ContinuedRun { row, seen }))
}

/// Returns the position in the history at which the run starts; earlier messages were part of its input.
fn run_start(row: &RunRow, history: &[ChatMessage]) -> Option<usize> {
    let input_messages = row.input.get("history").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    match input_messages {
        [] => Some(0),
        input_messages => (0..history.len())
            .rev()
            .find(|at| matches_input_history(request::latest(&history[..*at]), input_messages)),
    }
}

/// Compares messages with the stored input, in which secrets are masked.
fn matches_input_history(earlier: &[ChatMessage], input_messages: &[Value]) -> bool {
    let alike = |(message, stored): (&ChatMessage, &Value)| {
        let text = typed_secret::mask_placeholders(stored["content"].as_str().unwrap_or_default());
        stored["role"] == message.role.word() && same_text(&text, &request::input_text(&message.text))
    };
    // Compare from the end, because most candidates differ there.
    earlier.len() == input_messages.len() && earlier.iter().zip(input_messages).rev().all(alike)
}

async fn transcript(service: &Service, row: &RunRow, first_message: &str) -> Result<Transcript, Problem> {
    let locale = Locale::from_input_or_english(&row.input);
    let (mut transcript, mut after, mut read) = (Transcript::begin(first_message, locale), 0, 0);
    loop {
        let facts = service.store().events(row.id.clone(), after, EVENTS_AT_ONCE).await?;
        facts.iter().for_each(|fact| transcript.add_event(fact, locale));
        read += facts.len();
        match facts.last() {
            Some(last) if facts.len() == EVENTS_AT_ONCE && read < MAX_EVENTS => after = last.seq,
            Some(_) | None => return Ok(transcript),
        }
    }
}
