//! Child runs. A run starts children with a step of its own, leaves, and is woken when one of them has ended.
//! The state of the parent holds the awaited children and the children's rows hold their results, so a
//! restart needs nothing else.

use crate::engine::new_run;
use crate::engine::new_run::StartedBy;
use crate::engine::program::ChildCall;
use crate::engine::program::refused_run::RefusedRun;
use crate::engine::program::run_start::RunStart;
use crate::engine::run::messages::ChildSignals;
use crate::engine::run::state::{Run, RunIdentity};
use crate::engine::services::PreparedStart;
use crate::ids::RunId;
use crate::metrics;
use crate::store::rows::{NewRun, RunCommit};
use actix::prelude::*;
use futures_util::future::join_all;
use serde_json::json;
use std::sync::Arc;

impl Run {
    /// Begins children, then stores the commit that has them.
    pub(crate) fn begin_children(
        &mut self,
        mut commit: RunCommit,
        calls: Vec<ChildCall>,
        ctx: &mut Context<Self>,
        then: impl FnOnce(&mut Self, &mut Context<Self>) + 'static,
    ) {
        let (services, root) = (Arc::clone(&self.services), self.identity.root.clone());
        let starting = async move {
            let starting = calls.into_iter().map(|mut call| {
                let begun =
                    services.prepare_start(root.clone(), call.agent.clone(), std::mem::take(&mut call.input));
                async move { (call, begun.await) }
            });
            join_all(starting).await
        };
        ctx.spawn(starting.into_actor(self).map(move |begun, run, ctx| {
            let children = begun.into_iter().map(|(call, begun)| run.new_child(call, begun));
            commit.children.begin = children.collect();
            let begun = commit.children.begin.iter().map(|(child, _)| child.id.clone());
            run.departure.begun_children.extend(begun);
            run.commit(commit, Vec::new(), ctx, then);
        }));
    }

    /// Leaves until a child has ended.
    pub(crate) fn leave_or_check_again(&mut self, ctx: &mut Context<Self>) {
        // A child that ended since the last look has signalled already.
        if self.mailbox.must_check_children_again() || self.may_have_outside_events() {
            self.advance(ctx)
        } else {
            self.leave(ctx)
        }
    }

    /// Starts the new children of a run that goes on, and stops those in `stop`.
    pub(crate) fn start_and_stop_children(&mut self, stop: Vec<RunId>) {
        let begin = std::mem::take(&mut self.departure.begun_children);
        if !(begin.is_empty() && stop.is_empty()) {
            self.registry.children.do_send(ChildSignals { begin, stop });
        }
    }

    fn new_child(&self, call: ChildCall, prepared: PreparedStart) -> (NewRun, Vec<String>) {
        let ChildCall { run, timeout, after, .. } = call;
        let PreparedStart { agent, input, start } = prepared;
        let run_start = match start {
            Ok(run_start) => match self.refusal_of_child(&run_start) {
                Some(why) => refused_start(&run_start, why),
                None => run_start,
            },
            Err(fault) => refused_unknown_start(&agent, RefusedRun::from_error(&fault)),
        };
        let RunIdentity { id, root, position, .. } = &self.identity;
        let own_scope = self.program.as_ref().and_then(|program| program.host_scope());
        let hosts = own_scope.unwrap_or_else(|| position.bounds.hosts.clone());
        let by = StartedBy::Run { id, root, position, timeout, hosts, after };
        new_run::build_new_run(run, agent, input, run_start, by)
    }
}

impl Run {
    /// Returns the reason why this child may not be started from here, if there is one.
    fn refusal_of_child(&self, run_start: &RunStart) -> Option<RefusedRun> {
        if let Some(why) = self.identity.position.agent_depth_refusal().filter(|_| run_start.calls_others) {
            return Some(RefusedRun::exhausted(why));
        }
        let why = self.identity.position.orchestration_depth_refusal().filter(|_| run_start.orchestrates)?;
        metrics::RECURSION_REJECTED.increment([]);
        Some(RefusedRun::denied(why))
    }
}

fn refused_start(run_start: &RunStart, refusal: RefusedRun) -> RunStart {
    RunStart {
        version: run_start.version.clone(),
        ..RunStart::without_limits(RefusedRun::NAME, "refuse", json!(refusal), run_start.title.clone())
    }
}

fn refused_unknown_start(agent: &str, refusal: RefusedRun) -> RunStart {
    RunStart::without_limits(RefusedRun::NAME, "refuse", json!(refusal), agent.to_owned())
}
