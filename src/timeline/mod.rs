//! What of a run tree happened when, as spans: runs, steps, model calls, questions, actions, tasks and
//! items. Derived from stored rows alone, so that it is the same after a restart. `of` reads, `assemble`
//! is pure; the page draws the spans, and other programs are told of them.

mod actions;
mod assemble;
mod calls;
mod compare;
#[cfg(test)]
mod tests;

pub use assemble::{assemble, shown};
pub use compare::{Compared, Comparison, compare};

use crate::clock::Moment;
use crate::ids::{QuestionId, RunId};
use crate::store::rows::TraceBounds;
use crate::store::{Store, StoreError};
use serde::{Serialize, Serializer};
use serde_json::Value;

/// A run and all below it.
#[derive(Clone, Debug, PartialEq)]
pub struct Timeline {
    pub run: RunId,
    pub root: RunId,
    /// When it was looked at: spans without an end go on until then.
    pub at: Moment,
    /// In order of their beginnings.
    pub spans: Vec<Span>,
    /// Runs and steps that there are besides.
    pub left_out: u64,
}

/// Something that took time.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Span {
    /// The same whenever it is asked for: the id of the run or question, or the run's with `/s`, `/c` or `/a` and
    /// the number of a step, a call or an action.
    pub id: String,
    /// What it is a part of; none of the run that was asked for.
    pub parent: Option<String>,
    #[serde(rename = "run_id")]
    pub run: RunId,
    /// A word for programs: of a run its agent, of a step its node, of a call its role.
    pub name: String,
    /// Of a run and a task its status, of a step its outcome; of a call and an action `ok`, `failed`, `running` or
    /// `unknown`; of a question `open` or who resolved it.
    pub status: String,
    #[serde(serialize_with = "moment")]
    pub begin: Moment,
    #[serde(serialize_with = "maybe_moment")]
    pub end: Option<Moment>,
    #[serde(flatten)]
    pub what: What,
}

impl Span {
    /// Whether it began, ended or went on after this moment. Runs are told of always: what they have used grows.
    pub fn changed(&self, since: Moment) -> bool {
        let goes_on = self.end.is_none_or(|end| end >= since);
        goes_on || self.begin >= since || matches!(self.what, What::Run { .. })
    }
}

/// What it is, with what is of its kind alone.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum What {
    Run {
        title: String,
        program: String,
        node: String,
        depth: u32,
        version: Option<String>,
        /// The item of its caller that it works for.
        item: Option<Item>,
        steps: u64,
        model_calls: u64,
        unpriced_calls: u64,
        input_tokens: u64,
        cached_tokens: u64,
        output_tokens: u64,
        cost: Option<f64>,
    },
    Step {
        n: u64,
        took_ms: Option<u64>,
    },
    Call {
        /// Its number within its run, as `/api/runs/{id}/calls/{n}` counts; none of what was not recorded.
        n: Option<u64>,
        model: String,
        input_tokens: u64,
        cached_tokens: u64,
        output_tokens: u64,
        cost: Option<f64>,
        error: Option<String>,
        /// When it began is not known: it is taken to have begun with its step, or after the call before.
        estimated: bool,
    },
    Question {
        reference: QuestionId,
        question: String,
        reason: String,
        /// `text` and `reason` by language, of what the service asks itself.
        texts: Value,
        /// As it may be shown.
        answer: Option<Value>,
        /// The client that it came from.
        client: Option<Value>,
    },
    Action {
        action_id: String,
        /// The number of its effect on the world within its run; none if it has none.
        effect: Option<u64>,
        /// What it was done to, and with what: `role`, `name`, `url`, `key`, `direction`.
        about: Value,
        code: Option<String>,
    },
    Task {
        task_id: String,
        action_id: String,
        label: Option<String>,
        child_run_id: Option<RunId>,
        progress: Option<f64>,
    },
    /// An item that has no run: it was skipped, or refused.
    Item {
        #[serde(flatten)]
        item: Item,
        error: Option<String>,
    },
}

/// An item of a composite agent or an orchestration.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Item {
    pub item_id: String,
    pub lane: u64,
    pub attempt: u64,
}

/// The run and all below it; none if there is no such run.
pub async fn of(store: &dyn Store, run: &RunId, bounds: TraceBounds) -> Result<Option<Timeline>, StoreError> {
    let at = Moment::now();
    Ok(assemble(run, &store.traced(run.clone(), bounds).await?, at))
}

fn moment<S: Serializer>(at: &Moment, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&at.rfc3339())
}

fn maybe_moment<S: Serializer>(at: &Option<Moment>, serializer: S) -> Result<S::Ok, S::Error> {
    match at {
        Some(at) => moment(at, serializer),
        None => serializer.serialize_none(),
    }
}
