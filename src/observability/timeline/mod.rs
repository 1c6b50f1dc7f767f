//! Timelines of run trees as spans: runs, steps, model calls, questions, actions, tasks and items. Derived
//! from stored rows alone, so that they are the same after a restart. `read_timeline` reads the rows, and `assemble` is
//! pure. The page draws the spans, and the API returns them.

pub mod span;
pub mod steps;
pub(crate) mod actions;
pub(crate) mod assemble;
pub(crate) mod calls;
pub(crate) mod compare;
#[cfg(test)]
mod tests;

use crate::clock::Moment;
use crate::ids::RunId;
use crate::observability::timeline::assemble::assemble;
pub(crate) use crate::observability::timeline::compare::compare;
use crate::observability::timeline::span::Timeline;
use crate::store::Store;
use crate::store::error::StoreError;
use crate::store::rows::trace::TraceBounds;
use serde::Serializer;

/// Reads the timeline of the run and all runs below it. Returns `None` if the run does not exist.
pub async fn read_timeline(
    store: &dyn Store,
    run: &RunId,
    bounds: TraceBounds,
) -> Result<Option<Timeline>, StoreError> {
    let at = Moment::now();
    Ok(assemble(run, &store.timeline_data(run.clone(), bounds).await?, at))
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
