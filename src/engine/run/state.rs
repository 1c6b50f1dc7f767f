//! State of the run actor.

use crate::engine::program::bounds::TreePosition;
use crate::engine::program::{Program, QuestionResult};
use crate::engine::registry::messages::RegistryRecipients;
use crate::engine::run::checkpoint::Checkpoint;
use crate::engine::run::mailbox::Mailbox;
use crate::engine::run::report::StepReport;
use crate::engine::run::signals::RunSignal;
use crate::engine::services::RunServices;
use crate::ids::RunId;
use crate::protocol::Status;
use crate::store::rows::QuestionRow;
use actix::prelude::*;
use std::sync::Arc;

pub struct Run {
    pub(crate) id: RunId,
    pub(crate) root: RunId,
    pub(crate) agent: String,
    pub(crate) title: String,
    /// Position in the run tree, with limits.
    pub(crate) place: TreePosition,
    pub(crate) engine: Arc<RunServices>,
    pub(crate) registry: RegistryRecipients,
    /// `None` until restored.
    pub(crate) program: Option<Box<dyn Program>>,
    pub(crate) checkpoint: Checkpoint,
    pub(crate) status: Status,
    pub(crate) hearing: Mailbox,
    pub(crate) answer: Option<QuestionResult>,
    pub(crate) question: Option<QuestionRow>,
    /// Children begun by the commit under way.
    pub(crate) called: Vec<RunId>,
    /// Signal to pass to the children when the actor leaves, after a change of status.
    pub(crate) passes: Option<RunSignal>,
    pub(crate) unreadable: bool,
    /// Number of steps that this actor has begun.
    pub(crate) visits: u64,
    /// Data for metrics and logs of the next commit, published once that is stored.
    pub(crate) untold: Option<StepReport>,
    pub(crate) under_way: RunActivity,
}

pub(crate) enum RunActivity {
    /// A read or write of the store; always short, never interrupted.
    Store,
    /// Waiting for the time at which the run may begin.
    Later(SpawnHandle),
    /// A step, which may be slow and can be dropped: its number in this actor's life, its future, and the
    /// timer of the run's time limit.
    Visit { n: u64, step: SpawnHandle, wall: Option<SpawnHandle> },
}
