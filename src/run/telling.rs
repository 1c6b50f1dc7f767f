//! What is counted of a run, and what the log says of it: each step, each question, each call that has come to its
//! end (S3.31), and the end. What is told has been stored.

use super::{Run, UnderWay};
use crate::agent_name::ORCHESTRATE;
use crate::clock::Moment;
use crate::metrics;
use crate::program::{Afterwards, End, Record, Visit};
use crate::protocol::Status;
use crate::protocol::server::{Event, Fact};
use crate::store::rows::Commit;
use actix::prelude::*;
use serde_json::json;

/// What the next commit stores, to be told of then.
pub struct Untold {
    /// Of a step of its graph.
    node: Option<&'static str>,
    /// Those that are told of.
    facts: Vec<Fact>,
    afterwards: Afterwards,
}

impl Untold {
    pub fn of(visit: &mut Visit) -> Self {
        Self { node: Some(visit.node), ..Self::beside(&mut visit.record) }
    }

    /// Of what came of something beside its steps.
    pub fn beside(record: &mut Record) -> Self {
        let is_told = |fact: &&Fact| {
            matches!(
                fact,
                Fact::Event(Event::ActionFinished { .. } | Event::Task { .. } | Event::Item { .. })
            )
        };
        let facts = record.facts.iter().filter(is_told).cloned().collect();
        Self { node: None, facts, afterwards: std::mem::take(&mut record.afterwards) }
    }
}

/// What is told of an end.
pub struct Told {
    outcome: Status,
    /// Of what it answered.
    bytes: usize,
}

impl Told {
    pub fn of(end: &End) -> Self {
        let outputs = if end.vars.is_empty() { 0 } else { json!(end.vars).to_string().len() };
        Self { outcome: end.outcome, bytes: outputs + end.response.as_ref().map_or(0, String::len) }
    }
}

impl Run {
    /// Stores it, tells of what it holds, and does what comes after.
    pub(super) fn store(
        &mut self,
        mut commit: Commit,
        ctx: &mut Context<Self>,
        then: impl FnOnce(&mut Self, &mut Context<Self>) + 'static,
    ) {
        self.under_way = UnderWay::Store;
        self.hearing.mind();
        commit.wish_done = self.hearing.store_carried();
        let stored = self.engine.store.commit(commit);
        ctx.spawn(stored.into_actor(self).map(|result, run, ctx| match result {
            Ok(()) => {
                run.tell_step();
                then(run, ctx);
            }
            Err(fault) => run.give_up(&fault, ctx),
        }));
    }

    fn tell_step(&mut self) {
        let Some(Untold { node, facts, afterwards }) = self.untold.take() else { return };
        if let Some(node) = node {
            metrics::STEPS.one([node]);
        }
        for fact in &facts {
            self.tell_action(fact);
            self.tell_call(fact);
        }
        afterwards.tell();
    }

    /// Of a run that has come to rest at a question.
    pub(super) fn tell_question(&self) {
        let Some(row) = self.question.as_ref().filter(|row| row.resolved_by.is_none()) else { return };
        metrics::QUESTIONS.one([&row.kind, "asked"]);
        tracing::info!(run_id = %self.id, reference = %row.reference, kind = row.kind, "question asked");
    }

    /// S3.31: an action of its own that has come to its end.
    fn tell_action(&self, fact: &Fact) {
        let Fact::Event(Event::ActionFinished { action_id, action, ok, took_ms, .. }) = fact else { return };
        let status = if *ok { "succeeded" } else { "failed" };
        tracing::info!(
            tool = action, step_id = action_id, agent_id = self.agent, action_id, exec_id = %self.id,
            latency_ms = took_ms, status, "action finished"
        );
    }

    /// S3.31: a call of an agent that has come to its end.
    fn tell_call(&self, fact: &Fact) {
        let own = self.agent.as_str();
        match fact {
            Fact::Event(Event::Task {
                task_id, action_id, status, agent, child_run_id, started_at, ..
            }) if status.is_outcome() => {
                let began = started_at.as_deref().and_then(Moment::from_rfc3339);
                tracing::info!(
                    tool = own,
                    step_id = task_id,
                    agent_id = agent,
                    action_id,
                    exec_id = child_run_id.as_ref().map(tracing::field::display),
                    latency_ms = began.map(since),
                    status = status.word(),
                    "task finished"
                );
            }
            // An orchestration tells of its steps itself.
            Fact::Event(Event::Item { item_id, agent, status, run_id, .. })
                if own != ORCHESTRATE && Status::from_word(status).is_some_and(Status::is_outcome) =>
            {
                // How long it took is told with its own end, under its own `exec_id`.
                tracing::info!(
                    tool = own,
                    step_id = item_id,
                    agent_id = agent,
                    action_id = item_id,
                    exec_id = run_id.as_ref().map(tracing::field::display),
                    status,
                    "item finished"
                );
            }
            _ => {}
        }
    }

    /// S3.30, S3.31
    pub(super) fn tell_end(&self, told: &Told) {
        let Told { outcome, bytes } = *told;
        let latency_ms = self.place.created_at.map(since).unwrap_or_default();
        let (agent, status) = (self.agent.as_str(), outcome.word());
        metrics::RUNS.one([agent, status]);
        metrics::invoked(agent, status, latency_ms as f64 / 1000.0, bytes);
        tracing::info!(
            tool = agent, agent_id = agent, exec_id = %self.id, run_id = %self.id, root_run_id = %self.root,
            parent_exec_id = self.place.parent.as_ref().map(tracing::field::display),
            latency_ms, status, response_bytes = bytes, "run ended"
        );
    }
}

fn since(moment: Moment) -> u64 {
    Moment::now().millis().saturating_sub(moment.millis()).max(0).unsigned_abs()
}
