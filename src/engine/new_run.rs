//! The row of a new run and its first events, whether a person or another run starts it. Pure except for the clock.

use crate::clock::Moment;
use crate::engine::program::run_bounds::{RunBounds, TreePosition};
use crate::engine::program::run_start::RunStart;
use crate::gate::host_scope::HostScope;
use crate::ids::RunId;
use crate::protocol::caller::Caller;
use crate::protocol::event::Event;
use crate::protocol::server::Fact;
use crate::store::rows::NewRun;
use crate::store::rows::idempotency::IdempotencyRecord;
use crate::turn::typed_secret;
use serde_json::{Map, Value, json};
use std::time::Duration;

/// Originator of a run.
pub enum StartedBy<'a> {
    Person {
        idempotency_key: Option<String>,
        metadata: Option<Map<String, Value>>,
        idempotency_record: Option<IdempotencyRecord>,
        /// True if the input's `text` is a message of the person, who may send further ones.
        accepts_messages: bool,
        model: Option<String>,
        /// The client that started the run.
        client: Option<Caller>,
    },
    /// A parent run at its place in the tree. The child ends as exhausted after `timeout`.
    Run {
        id: &'a RunId,
        root: &'a RunId,
        position: &'a TreePosition,
        timeout: Option<Duration>,
        /// Hosts that the child inherits.
        hosts: HostScope,
        /// Delay before the start.
        after: Option<Duration>,
    },
}

/// Builds the row of a new run and its first events.
pub fn build_new_run(
    id: RunId,
    agent: String,
    input: Map<String, Value>,
    run_start: RunStart,
    by: StartedBy<'_>,
) -> (NewRun, Vec<String>) {
    let (root, parent, depth, bounds, deadline) = match &by {
        StartedBy::Person { .. } => {
            let bounds = RunBounds { hosts: HostScope::from_input(&input), ..bounds_of_root(&run_start) };
            (id.clone(), None, 0, bounds, TreePosition::default().child_deadline(run_start.timeout))
        }
        StartedBy::Run { id: parent, root, position, timeout, hosts, after } => {
            let (bounds, deadline) = child_bounds(&run_start, position, *timeout, *after);
            let bounds = RunBounds { hosts: hosts.clone(), ..bounds };
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
        StartedBy::Person {
            idempotency_key,
            metadata,
            idempotency_record,
            accepts_messages,
            model,
            client,
        } => {
            let metadata = metadata.map(Value::Object);
            let program = client.filter(Caller::is_program);
            with_first_events(
                NewRun { idempotency_key, metadata, idempotency_record, model, ..run },
                accepts_messages,
                program,
            )
        }
        StartedBy::Run { .. } => with_first_events(run, false, None),
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
    let mut bounds =
        run_start.limits.as_ref().map_or_else(|| position.bounds.clone(), |own| position.child_bounds(own));
    bounds.orchestrations += u32::from(run_start.orchestrates);
    let timeout = run_start.timeout.into_iter().chain(timeout).min();
    let deadline = position.child_deadline(timeout.map(|timeout| timeout + after.unwrap_or_default()));
    let not_before = after.map(|after| Moment::now().after(after).millis());
    (RunBounds { not_before, ..bounds }, deadline)
}

/// Adds the first events: the start, and the person's first message.
fn with_first_events(run: NewRun, accepts_messages: bool, client: Option<Caller>) -> (NewRun, Vec<String>) {
    let (agent, parent_run_id, input) = (run.agent.clone(), run.parent.clone(), run.input.clone());
    let text = input.get("text").and_then(Value::as_str).filter(|text| accepts_messages && !text.is_empty());
    let message = text.map(|text| Fact::Event(Event::UserMessage { text: text.to_owned() }).body());
    let started = Fact::RunStarted { agent, parent_run_id, input, client }.body();
    (run, [started].into_iter().chain(message).collect())
}
