//! Starts of runs, by a person or by another run: the row and the first events.

use crate::clock::Moment;
use crate::engine::program::ProgramError;
use crate::engine::program::run_bounds::{RunBounds, TreePosition};
use crate::engine::program::run_start::RunStart;
use crate::engine::registry::error::RegistryError;
use crate::engine::registry::state::Registry;
use crate::engine::run::signals::RunSignal;
use crate::engine::services::{PreparedStart, RunServices};
use crate::files::staged::StagedError;
use crate::ids::RunId;
use crate::protocol::client::UserMessage;
use crate::protocol::event::Event;
use crate::protocol::server::Fact;
use crate::store::rows::NewRun;
use crate::store::rows::idempotency::IdempotencyRecord;
use crate::turn::typed_secret;
use actix::prelude::*;
use serde_json::{Map, Value, json};
use std::sync::Arc;
use std::time::Duration;

/// Starts a run. Returns its id, or the id of the run that has the same idempotency key.
#[derive(Message)]
#[rtype(result = "Result<RunId, RegistryError>")]
pub struct StartRun {
    pub agent: String,
    pub input: Map<String, Value>,
    pub idempotency_key: Option<String>,
    /// Metadata stored with the run (S3.15).
    pub metadata: Option<Map<String, Value>>,
    /// Idempotency record to store with the run.
    pub idempotency_record: Option<IdempotencyRecord>,
    /// Model for the run and its descendants, in place of the one in the settings or of the agent.
    pub model: Option<String>,
    /// Ids of staged files. The run owns them once it starts.
    pub files: Vec<String>,
}

impl StartRun {
    /// Creates a start for the first message of a conversation. The message's text is not part of the input
    /// yet.
    pub fn from_message(message: UserMessage, default_agent: &str) -> Self {
        let UserMessage { agent, files, model, .. } = message;
        let agent = agent.unwrap_or_else(|| default_agent.to_owned());
        Self { files, model, ..Self::new(agent, Map::new()) }
    }

    /// Creates a start without key, metadata, model or files.
    pub fn new(agent: String, input: Map<String, Value>) -> Self {
        Self {
            agent,
            input,
            idempotency_key: None,
            metadata: None,
            idempotency_record: None,
            model: None,
            files: Vec::new(),
        }
    }
}

/// Originator of a run.
pub enum StartedBy<'a> {
    Person {
        idempotency_key: Option<String>,
        metadata: Option<Map<String, Value>>,
        idempotency_record: Option<IdempotencyRecord>,
        /// True if the input's `text` is a message of the person, who may send further ones.
        speaks: bool,
        model: Option<String>,
    },
    /// A parent run at its place in the tree. The child ends as exhausted after `timeout`.
    Run {
        id: &'a RunId,
        root: &'a RunId,
        position: &'a TreePosition,
        timeout: Option<Duration>,
        /// Delay before the start.
        after: Option<Duration>,
    },
}

/// Builds the row of a new run and its first events.
pub fn new_run(
    id: RunId,
    agent: String,
    input: Map<String, Value>,
    run_start: RunStart,
    by: StartedBy<'_>,
) -> (NewRun, Vec<String>) {
    let (root, parent, depth, bounds, deadline) = match &by {
        StartedBy::Person { .. } => {
            let deadline = TreePosition::default().child_deadline(run_start.within);
            (id.clone(), None, 0, bounds_of_root(&run_start), deadline)
        }
        StartedBy::Run { id: parent, root, position, timeout, after } => {
            let (bounds, deadline) = child_bounds(&run_start, position, *timeout, *after);
            ((*root).clone(), Some((*parent).clone()), position.depth + 1, bounds, deadline)
        }
    };
    let run = NewRun {
        id,
        root,
        parent,
        depth,
        agent,
        program: run_start.program.to_owned(),
        title: run_start.title,
        // As people may see it: the placeholders of secrets are for the state alone.
        input: typed_secret::mask_input(input),
        node: run_start.node.to_owned(),
        state: run_start.state,
        idempotency_key: None,
        metadata: None,
        idempotency_record: None,
        model: None,
        version: run_start.version,
        bounds: json!(RunBounds { ephemeral: bounds.ephemeral || run_start.ephemeral, ..bounds }),
        descendant_limit: run_start.limits.as_ref().map(|own| own.total_steps),
        deadline,
    };
    add_person_fields(run, by)
}

/// Adds what only the start by a person has, and the first events.
fn add_person_fields(run: NewRun, by: StartedBy<'_>) -> (NewRun, Vec<String>) {
    match by {
        StartedBy::Person { idempotency_key, metadata, idempotency_record, speaks, model } => {
            let metadata = metadata.map(Value::Object);
            with_first_events(NewRun { idempotency_key, metadata, idempotency_record, model, ..run }, speaks)
        }
        StartedBy::Run { .. } => with_first_events(run, false),
    }
}

fn bounds_of_root(run_start: &RunStart) -> RunBounds {
    run_start.limits.as_ref().map(RunBounds::for_root).unwrap_or_default()
}

/// Returns the limits and the deadline of a child run.
fn child_bounds(
    run_start: &RunStart,
    position: &TreePosition,
    timeout: Option<Duration>,
    after: Option<Duration>,
) -> (RunBounds, Option<Moment>) {
    let mut bounds = run_start.limits.as_ref().map_or(position.bounds, |own| position.child_bounds(own));
    bounds.orchestrations += u32::from(run_start.orchestrates);
    let within = run_start.within.into_iter().chain(timeout).min();
    let deadline = position.child_deadline(within.map(|within| within + after.unwrap_or_default()));
    let not_before = after.map(|after| Moment::now().after(after).millis());
    (RunBounds { not_before, ..bounds }, deadline)
}

/// Adds the first events: the start, and the person's first message.
fn with_first_events(run: NewRun, speaks: bool) -> (NewRun, Vec<String>) {
    let (agent, parent_run_id, input) = (run.agent.clone(), run.parent.clone(), run.input.clone());
    let text = input.get("text").and_then(Value::as_str).filter(|text| speaks && !text.is_empty());
    let message = text.map(|text| Fact::Event(Event::UserMessage { text: text.to_owned() }).body());
    let started = Fact::RunStarted { agent, parent_run_id, input }.body();
    (run, [started].into_iter().chain(message).collect())
}

/// The run, and the first of its files that is missing.
type Created = Result<(RunId, Option<String>), RegistryError>;

/// Creates a run with its staged files.
async fn create_run(engine: Arc<RunServices>, start: StartRun) -> Created {
    let StartRun { agent, input, idempotency_key, metadata, idempotency_record, model, files } = start;
    let id = RunId::fresh();
    // Names that no agent file can have are reserved for the service.
    if agent.starts_with("__") {
        return Err(ProgramError::UnknownAgent(agent).into());
    }
    let release = |_: &ProgramError| engine.programs.release_tree(&id);
    let PreparedStart { agent, input, beginning } = engine.begin(id.clone(), agent, input).await;
    let run_start = beginning.inspect_err(release)?;
    let metadata = metadata.map(|metadata| engine.programs.conceal_metadata(metadata));
    let has_key = idempotency_key.is_some();
    let speaks = engine.programs.accepts_messages(run_start.program);
    let by = StartedBy::Person { idempotency_key, metadata, idempotency_record, speaks, model };
    let (run, facts) = new_run(id.clone(), agent, input, run_start, by);
    // Before anything of it can be woken: an order of its first message may name them.
    let (taken, lost) = match engine.take_files(&id, files).await {
        // A run of the same key may have them already.
        Err(StagedError::Unknown(file)) if has_key => (Vec::new(), Some(file)),
        Err(fault) => {
            engine.programs.release_tree(&id);
            return Err(fault.into());
        }
        Ok(taken) => (taken, None),
    };
    let stored = engine.store.create(run, facts).await;
    // The store is full, or the key names another run: release everything of this one.
    if stored.as_ref().ok() != Some(&id) {
        engine.programs.release_tree(&id);
        engine.give_files_back(&id, taken).await;
    }
    let run = stored?;
    let lost = lost.filter(|_| run == id);
    Ok((run, lost))
}

impl Handler<StartRun> for Registry {
    type Result = ResponseActFuture<Self, Result<RunId, RegistryError>>;

    fn handle(&mut self, start: StartRun, _: &mut Self::Context) -> Self::Result {
        let work = create_run(Arc::clone(&self.engine), start);
        Box::pin(work.into_actor(self).map(|result: Created, registry, ctx| {
            let (run, lost) = result?;
            if let Some(file) = lost {
                registry.signal(run, RunSignal::Stop, ctx);
                return Err(StagedError::Unknown(file).into());
            }
            registry.signal(run.clone(), RunSignal::Wake, ctx);
            Ok(run)
        }))
    }
}
