//! Metrics and logs of a run: each step, question, finished call (S3.31) and the end. Published after the
//! commit is stored.

use crate::agent_name::ORCHESTRATE;
use crate::clock::Moment;
use crate::engine::program::RunEnd;
use crate::engine::run::report::StepReport;
use crate::engine::run::state::{Run, RunActivity};
use crate::metrics;
use crate::protocol::Status;
use crate::protocol::event::Event;
use crate::protocol::server::Fact;
use crate::store::rows::RunCommit;
use actix::prelude::*;
use serde_json::json;

/// Observability data of an end.
pub struct EndReport {
    outcome: Status,
    /// Size of the response and the outputs.
    bytes: usize,
}

impl EndReport {
    pub fn from_end(end: &RunEnd) -> Self {
        let outputs = if end.vars.is_empty() { 0 } else { json!(end.vars).to_string().len() };
        Self { outcome: end.outcome, bytes: outputs + end.response.as_ref().map_or(0, String::len) }
    }
}

impl Run {
    /// Stores a commit, publishes its observability data, and continues.
    pub(crate) fn commit_and_report(
        &mut self,
        mut commit: RunCommit,
        ctx: &mut Context<Self>,
        then: impl FnOnce(&mut Self, &mut Context<Self>) + 'static,
    ) {
        self.under_way = RunActivity::Store;
        self.hearing.mark_covered();
        commit.wish_done = self.hearing.take_command_under_way();
        let stored = self.engine.store.commit(commit);
        ctx.spawn(stored.into_actor(self).map(|result, run, ctx| match result {
            Ok(()) => {
                run.report_step();
                then(run, ctx);
            }
            Err(fault) => run.leave_after_store_error(&fault, ctx),
        }));
    }

    fn report_step(&mut self) {
        let Some(StepReport { node, facts, afterwards }) = self.untold.take() else { return };
        if let Some(node) = node {
            metrics::STEPS.increment([node]);
        }
        for fact in &facts {
            self.log_action(fact);
            self.log_call(fact);
        }
        afterwards.run();
    }

    /// Counts and logs a question at which the run has come to rest.
    pub(crate) fn report_question(&self) {
        let Some(row) = self.question.as_ref().filter(|row| row.resolved_by.is_none()) else { return };
        metrics::QUESTIONS.increment([&row.kind, "asked"]);
        tracing::info!(run_id = %self.id, reference = %row.reference, kind = row.kind, "question asked");
    }

    /// Logs a finished action of the run (S3.31).
    fn log_action(&self, fact: &Fact) {
        let Fact::Event(Event::ActionFinished { action_id, action, ok, took_ms, .. }) = fact else { return };
        let status = if *ok { "succeeded" } else { "failed" };
        tracing::info!(
            tool = action, step_id = action_id, agent_id = self.agent, action_id, exec_id = %self.id,
            latency_ms = took_ms, status, "action finished"
        );
    }

    /// Logs a finished call of an agent (S3.31).
    fn log_call(&self, fact: &Fact) {
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
                    latency_ms = began.map(millis_since),
                    status = status.word(),
                    "task finished"
                );
            }
            // An orchestration logs its steps itself.
            Fact::Event(Event::Item { item_id, agent, status, run_id, .. })
                if own != ORCHESTRATE && Status::from_word(status).is_some_and(Status::is_outcome) =>
            {
                // The child logs its duration with its own end, under its own `exec_id`.
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

    /// Counts and logs the end of the run (S3.30, S3.31).
    pub(crate) fn report_end(&self, told: &EndReport) {
        let EndReport { outcome, bytes } = *told;
        let latency_ms = self.place.created_at.map(millis_since).unwrap_or_default();
        let (agent, status) = (self.agent.as_str(), outcome.word());
        metrics::RUNS.increment([agent, status]);
        metrics::record_invocation(agent, status, latency_ms as f64 / 1000.0, bytes);
        tracing::info!(
            tool = agent, agent_id = agent, exec_id = %self.id, run_id = %self.id, root_run_id = %self.root,
            parent_exec_id = self.place.parent.as_ref().map(tracing::field::display),
            latency_ms, status, response_bytes = bytes, "run ended"
        );
    }
}

fn millis_since(moment: Moment) -> u64 {
    Moment::now().millis().saturating_sub(moment.millis()).max(0).unsigned_abs()
}
