//! The state of an ASYNC action as a program reports it: the event for viewers, and the row, to which the engine adds
//! the run.

use crate::clock::Moment;
use crate::ids::RunId;
use crate::protocol::Status;
use crate::protocol::event::{Display, Event};
use crate::protocol::server::Fact;
use crate::store::rows::TaskRow;
use serde_json::{Value, json};

/// The state of an ASYNC action.
#[derive(Clone, Debug)]
pub struct TaskState {
    /// Id that is unique among all runs.
    pub id: String,
    /// Id of the action, unique in its run.
    pub action_id: String,
    /// The run that does the work, or did it last.
    pub child: Option<RunId>,
    pub agent: String,
    pub status: Status,
    /// Progress from 0 to 1.
    pub progress: Option<f64>,
    pub display: Option<Display>,
    pub result: Option<Value>,
    /// Reason of a failure.
    pub error: Option<String>,
    pub created_at: Moment,
    pub started_at: Option<Moment>,
    pub ended_at: Option<Moment>,
}

impl TaskState {
    /// Reads the state from its row. A status that is unknown counts as running.
    pub fn from_row(row: &TaskRow) -> Self {
        Self {
            id: row.id.clone(),
            action_id: row.action_id.clone(),
            child: row.child.clone(),
            agent: row.agent.clone(),
            status: Status::from_word(&row.status).unwrap_or(Status::Running),
            progress: row.progress,
            display: row.display.clone().and_then(|display| serde_json::from_value(display).ok()),
            result: row.result.clone(),
            error: row.error.clone(),
            created_at: row.created_at,
            started_at: row.started_at,
            ended_at: row.ended_at,
        }
    }

    /// Returns the event about this state.
    pub fn event(&self) -> Fact {
        Fact::Event(Event::Task {
            task_id: self.id.clone(),
            action_id: self.action_id.clone(),
            status: self.status,
            progress: self.progress,
            display: self.display.clone(),
            result: self.result.clone(),
            agent: self.agent.clone(),
            child_run_id: self.child.clone(),
            started_at: self.started_at.map(Moment::rfc3339),
        })
    }

    /// Returns the row of the task, which the run began.
    pub fn into_row(self, run: RunId, root: RunId) -> TaskRow {
        TaskRow {
            id: self.id,
            action_id: self.action_id,
            run,
            root,
            child: self.child,
            agent: self.agent,
            status: self.status.word().to_owned(),
            progress: self.progress,
            display: self.display.map(|display| json!(display)),
            result: self.result,
            error: self.error,
            created_at: self.created_at,
            started_at: self.started_at,
            ended_at: self.ended_at,
        }
    }
}
