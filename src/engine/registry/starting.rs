//! Starts of runs by a person.

use crate::engine::error::RunRequestError;
use crate::engine::new_run::{StartedBy, build_new_run};
use crate::engine::program::ProgramError;
use crate::engine::registry::Control;
use crate::engine::registry::state::Registry;
use crate::engine::run::messages::RunSignal;
use crate::engine::services::{PreparedStart, RunServices};
use crate::files::staged::StagedError;
use crate::ids::RunId;
use crate::protocol::caller::Caller;
use crate::protocol::client::UserMessage;
use crate::store::rows::idempotency::IdempotencyRecord;
use crate::store::rows::user_command::UserCommand;
use actix::prelude::*;
use serde_json::{Map, Value};
use std::sync::Arc;

/// Starts a run. Returns its id, or the id of the run that has the same idempotency key.
#[derive(Message)]
#[rtype(result = "Result<RunId, RunRequestError>")]
pub struct StartRun {
    /// Name of the agent, or an alias of it.
    pub agent: String,
    pub input: Map<String, Value>,
    /// Key of a start that may be repeated, unique for each agent.
    pub idempotency_key: Option<String>,
    /// Metadata stored with the run (S3.15).
    pub metadata: Option<Map<String, Value>>,
    /// Idempotency record to store with the run.
    pub idempotency_record: Option<IdempotencyRecord>,
    /// Model for the run and its descendants, in place of the one in the settings or of the agent.
    pub model: Option<String>,
    /// Ids of staged files. The run owns them once it starts.
    pub files: Vec<String>,
    /// The client that starts the run. A program may not answer the run's questions.
    pub client: Option<Caller>,
}

impl StartRun {
    /// Creates a start for the first message of a conversation. The message's text is not part of the input
    /// yet.
    pub fn from_message(message: UserMessage, default_agent: &str) -> Self {
        let UserMessage { agent, files, model, .. } = message;
        let agent = agent.unwrap_or_else(|| default_agent.to_owned());
        Self { files, model, ..Self::new(agent, Map::new()) }
    }

    /// Creates a start without key, metadata, model, files or client.
    pub fn new(agent: String, input: Map<String, Value>) -> Self {
        Self {
            agent,
            input,
            idempotency_key: None,
            metadata: None,
            idempotency_record: None,
            model: None,
            files: Vec::new(),
            client: None,
        }
    }
}

/// The run, and the first of its files that is missing.
type Created = Result<(RunId, Option<String>), RunRequestError>;

/// Creates a run with its staged files.
async fn create_run(services: Arc<RunServices>, start: StartRun) -> Created {
    let StartRun { agent, input, idempotency_key, metadata, idempotency_record, model, files, client } =
        start;
    let id = RunId::fresh();
    // Names that no agent file can have are reserved for the service.
    if agent.starts_with("__") {
        return Err(ProgramError::UnknownAgent(agent).into());
    }
    let release = |_: &ProgramError| services.programs.release_tree(&id);
    let PreparedStart { agent, input, start } = services.prepare_start(id.clone(), agent, input).await;
    let run_start = start.inspect_err(release)?;
    let metadata = metadata.map(|metadata| services.programs.conceal_metadata(metadata));
    let has_key = idempotency_key.is_some();
    let accepts_messages = services.programs.accepts_messages(run_start.program);
    let by =
        StartedBy::Person { idempotency_key, metadata, idempotency_record, accepts_messages, model, client };
    let (run, facts) = build_new_run(id.clone(), agent, input, run_start, by);
    // Before the run can be woken, because a command in its first message may name its files.
    let (taken, lost) = match services.take_files(&id, files).await {
        // A run of the same key may have them already.
        Err(StagedError::Unknown(file)) if has_key => (Vec::new(), Some(file)),
        Err(fault) => {
            services.programs.release_tree(&id);
            return Err(fault.into());
        }
        Ok(taken) => (taken, None),
    };
    // Before another node can claim the run, as it may name its files.
    let published = services.publish_files(&id).await;
    let stored = match published {
        Ok(()) => services.store.create(run, facts).await,
        Err(fault) => Err(fault),
    };
    // The store is full, or the key names another run: release everything of this one.
    if stored.as_ref().ok() != Some(&id) {
        services.programs.release_tree(&id);
        services.give_files_back(&id, taken).await;
    }
    let run = stored?;
    let lost = lost.filter(|_| run == id);
    Ok((run, lost))
}

impl Handler<StartRun> for Registry {
    type Result = ResponseActFuture<Self, Result<RunId, RunRequestError>>;

    fn handle(&mut self, start: StartRun, _: &mut Self::Context) -> Self::Result {
        let work = create_run(Arc::clone(&self.services), start);
        Box::pin(work.into_actor(self).map(|result: Created, registry, ctx| {
            let (run, lost) = result?;
            if let Some(file) = lost {
                match registry.services.store.owns(&run) {
                    true => registry.signal(run, RunSignal::Stop, ctx),
                    false => ctx.notify(Control { run, command: UserCommand::Stop }),
                }
                return Err(StagedError::Unknown(file).into());
            }
            if registry.services.store.owns(&run) {
                registry.signal(run.clone(), RunSignal::Wake, ctx);
            } else {
                registry.services.store.wake_owner(&run);
            }
            Ok(run)
        }))
    }
}
