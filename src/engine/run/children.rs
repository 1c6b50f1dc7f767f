//! Child runs. A run starts children with a step of its own, leaves, and is woken when one of them has ended.
//! The state of the parent holds the awaited children and the children's rows hold their results, so a
//! restart needs nothing else.

use crate::engine::blocking_io::PreparedStart;
use crate::engine::lifecycle::LifecycleEvent;
use crate::engine::program::ChildCall;
use crate::engine::program::beginning::RunStart;
use crate::engine::program::child::EndedChild;
use crate::engine::program::refused::RefusedRun;
use crate::engine::registry::messages::ChildSignals;
use crate::engine::registry::starting;
use crate::engine::registry::starting::StartedBy;
use crate::engine::run::state::{Run, RunActivity};
use crate::ids::RunId;
use crate::metrics;
use crate::store::rows::{NewRun, RunCommit};
use actix::prelude::*;
use futures_util::future::join_all;
use serde_json::json;
use std::sync::Arc;
use std::time::Duration;

impl Run {
    /// Takes the next step, unless all awaited children are still running; then leaves.
    pub(crate) fn step(&mut self, ctx: &mut Context<Self>) {
        if let Some(why) = self.place.exceeded_run_limit() {
            return self.end_exhausted(why, ctx);
        }
        // A child with the same deadline may have ended first and woken this run.
        if self.place.time_left() == Some(Duration::ZERO) {
            return self.stop(LifecycleEvent::TimeUp, ctx);
        }
        self.hearing.mark_looked();
        let Some(program) = &self.program else { return self.leave(ctx) };
        let awaited = program.awaited_children();
        if awaited.is_empty() {
            return self.visit(Vec::new(), ctx);
        }
        let background = program.background_children();
        if awaited.iter().all(|child| background.contains(child)) {
            // The run has been informed of background children by attending.
            return self.leave(ctx);
        }
        self.hearing.mark_covered();
        let ended = self.engine.store.ended(awaited);
        ctx.spawn(ended.into_actor(self).map(|ended, run, ctx| match ended {
            Ok(rows) if rows.is_empty() => run.leave(ctx),
            Ok(mut rows) => {
                // Oldest end first.
                rows.sort_by_key(|row| row.ended_at);
                run.visit(rows.into_iter().map(EndedChild::from_row).collect(), ctx);
            }
            Err(fault) => run.leave_after_store_error(&fault, ctx),
        }));
    }

    /// Begins the children that a commit starts, then continues with the commit.
    pub(crate) fn begin_children(
        &mut self,
        mut commit: RunCommit,
        calls: Vec<ChildCall>,
        ctx: &mut Context<Self>,
        then: impl FnOnce(&mut Self, RunCommit, &mut Context<Self>) + 'static,
    ) {
        if calls.is_empty() {
            return then(self, commit, ctx);
        }
        self.under_way = RunActivity::Store;
        let (engine, root) = (Arc::clone(&self.engine), self.root.clone());
        let begin = async move {
            let begin = calls.into_iter().map(|mut call| {
                let begun = engine.begin(root.clone(), call.agent.clone(), std::mem::take(&mut call.input));
                async move { (call, begun.await) }
            });
            join_all(begin).await
        };
        ctx.spawn(begin.into_actor(self).map(move |begun, run, ctx| {
            commit.children = begun.into_iter().map(|(call, begun)| run.new_child(call, begun)).collect();
            run.called.extend(commit.children.iter().map(|(child, _)| child.id.clone()));
            then(run, commit, ctx);
        }));
    }

    /// Leaves until a child has ended.
    pub(crate) fn leave_or_look_again(&mut self, ctx: &mut Context<Self>) {
        // A child that ended since the last look has signalled already.
        if self.hearing.must_look_again() || self.must_attend() { self.go_on(ctx) } else { self.leave(ctx) }
    }

    /// Starts the new children of a run that goes on, and stops those in `stop`.
    pub(crate) fn start_and_stop_children(&mut self, stop: Vec<RunId>) {
        let begin = std::mem::take(&mut self.called);
        if !(begin.is_empty() && stop.is_empty()) {
            self.registry.children.do_send(ChildSignals { begin, stop });
        }
    }

    fn new_child(&self, call: ChildCall, begun: PreparedStart) -> (NewRun, Vec<String>) {
        let ChildCall { run, timeout, after, .. } = call;
        let PreparedStart { agent, input, beginning } = begun;
        let begun = match beginning {
            Ok(begun) => match self.refusal_of_child(&begun) {
                Some(why) => refused(&begun, why),
                None => begun,
            },
            Err(fault) => refused_without_beginning(&agent, RefusedRun::from_error(&fault)),
        };
        let by = StartedBy::Run { id: &self.id, root: &self.root, place: &self.place, timeout, after };
        starting::new_run(run, agent, input, begun, by)
    }
}

impl Run {
    /// Returns the reason why this child may not be started from here, if there is one.
    fn refusal_of_child(&self, begun: &RunStart) -> Option<RefusedRun> {
        if let Some(why) = self.place.depth_error().filter(|_| begun.calls_others) {
            return Some(RefusedRun::exhausted(why));
        }
        let why = self.place.nesting_error().filter(|_| begun.orchestrates)?;
        metrics::RECURSION_REJECTED.increment([]);
        Some(RefusedRun::denied(why))
    }
}

fn refused(begun: &RunStart, refused: RefusedRun) -> RunStart {
    RunStart {
        version: begun.version.clone(),
        ..RunStart::without_limits(RefusedRun::NAME, "refuse", json!(refused), begun.title.clone())
    }
}

fn refused_without_beginning(agent: &str, refused: RefusedRun) -> RunStart {
    RunStart::without_limits(RefusedRun::NAME, "refuse", json!(refused), agent.to_owned())
}
