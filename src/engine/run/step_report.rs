//! Data of a finished step for logs and metrics, kept until the step is stored.

use crate::engine::program::after_commit::AfterCommit;
use crate::engine::program::{StepRecord, StepResult};
use crate::protocol::event::Event;
use crate::protocol::server::Fact;

/// Observability data of the next commit, published once that is stored.
pub struct StepReport {
    /// Node of the step; `None` outside of steps.
    pub(crate) node: Option<&'static str>,
    /// Events that are logged.
    pub(crate) facts: Vec<Fact>,
    pub(crate) afterwards: AfterCommit,
}

impl StepReport {
    pub fn from_step(visit: &mut StepResult) -> Self {
        Self { node: Some(visit.node), ..Self::from_record(&mut visit.record) }
    }

    /// Collects the data of a record that belongs to no step.
    pub fn from_record(record: &mut StepRecord) -> Self {
        let is_logged = |fact: &&Fact| {
            matches!(
                fact,
                Fact::Event(Event::ActionFinished { .. } | Event::Task { .. } | Event::Item { .. })
            )
        };
        let facts = record.facts.iter().filter(is_logged).cloned().collect();
        Self { node: None, facts, afterwards: std::mem::take(&mut record.afterwards) }
    }
}
