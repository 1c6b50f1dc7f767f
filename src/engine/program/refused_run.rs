//! The program of a child run that cannot be started as called: it ends at its first step, with the reason.
//! Thus every call leaves a run in the store, and its caller receives its end like that of any other run.

use crate::engine::program::{
    ChildRuns, Continuation, Program, ProgramError, Replayable, RunEnd, RunEnding, StepInput, StepRecord,
    StepResult,
};
use crate::protocol::Status;
use crate::store::rows::Intent;
use futures_util::future::BoxFuture;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

/// A program that ends at its first step with a fixed outcome and response.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct RefusedRun {
    outcome: Status,
    why: String,
}

impl RefusedRun {
    /// The name of this program in stored runs.
    pub const NAME: &'static str = "refused";

    /// Creates the program from the error of a call. Invalid input blocks the run (C8); every other error
    /// fails it.
    pub fn from_error(fault: &ProgramError) -> Self {
        let outcome = match fault {
            ProgramError::BadInput(_) => Status::Blocked,
            ProgramError::UnknownAgent(_)
            | ProgramError::FaultyAgent { .. }
            | ProgramError::Unsupported(_)
            | ProgramError::Failed(_)
            | ProgramError::Changes(_)
            | ProgramError::Store(_) => Status::Failed,
        };
        Self { outcome, why: fault.to_string() }
    }

    /// Creates the program for a call that exceeds the caller's limits (S0.25, S0.26).
    pub fn exhausted(why: String) -> Self {
        Self { outcome: Status::Exhausted, why }
    }

    /// Creates the program for a call that the rules of the service do not allow (S3.26).
    pub fn denied(why: String) -> Self {
        Self { outcome: Status::Denied, why }
    }

    /// Restores the program from its stored state. Fails if the state has another format.
    pub fn load(state: Value) -> Result<Self, ProgramError> {
        Ok(serde_json::from_value(state)?)
    }
}

impl Program for RefusedRun {
    fn node(&self) -> &'static str {
        "refuse"
    }

    fn step(&self, _: StepInput) -> BoxFuture<'static, Result<StepResult, ProgramError>> {
        let end = RunEnd { outcome: self.outcome, response: Some(self.why.clone()), vars: Map::new() };
        let visit = StepResult {
            node: self.node(),
            outcome: "Refused",
            changes: Value::Null,
            next: Continuation::End(end),
            record: StepRecord::default(),
        };
        Box::pin(std::future::ready(Ok(visit)))
    }

    fn apply(&mut self, _: &Value) -> Result<(), ProgramError> {
        Ok(())
    }

    fn state(&self) -> Value {
        json!(self)
    }

    fn is_repeatable(&self) -> bool {
        true
    }

    fn recover(&self, _: Option<&Intent>) -> Value {
        Value::Null
    }

    fn reopen(&self) -> Option<Value> {
        None
    }
}

impl ChildRuns for RefusedRun {}

impl RunEnding for RefusedRun {
    fn interrupted_response(&self, _: Status) -> String {
        self.why.clone()
    }
}

impl Replayable for RefusedRun {
    fn is_replayable(&self) -> bool {
        true
    }
}
