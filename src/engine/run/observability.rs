//! Metrics and logs of a run: each step, question, finished call (S3.31) and the end. Published after the
//! commit is stored.

use crate::agent_name::ORCHESTRATE;
use crate::clock::Moment;
use crate::engine::program::RunEnd;
use crate::engine::run::state::Run;
use crate::engine::run::step_report::StepReport;
use crate::metrics;
use crate::protocol::Status;
use crate::protocol::event::Event;
use crate::protocol::server::Fact;
use serde_json::json;

/// Observability data of an end.
pub struct EndReport {
    outcome: Status,
    /// Size of the response and the outputs.
    bytes: usize,
}

impl EndReport {
    /// Measures an end.
    pub fn from_end(end: &RunEnd) -> Self {
        let outputs = if end.vars.is_empty() { 0 } else { json!(end.vars).to_string().len() };
        Self { outcome: end.outcome, bytes: outputs + end.response.as_ref().map_or(0, String::len) }
    }
}

impl Run {
    /// Publishes the report of a commit that has been stored.
    pub(crate) fn publish_report(&self, StepReport { node, facts, after_commit }: StepReport) {
        if let Some(node) = node {
            metrics::STEPS.increment([node]);
        }
        for fact in &facts {
            self.log_action(fact);
            self.log_call(fact);
        }
        after_commit.run();
    }

    /// Counts and logs a question at which the run has come to rest.
    pub(crate) fn report_question(&self) {
        let Some(row) = self.interrupt.open_question() else { return };
        metrics::QUESTIONS.increment([&row.kind, "asked"]);
        tracing::info!(run_id = %self.identity.id, reference = %row.reference, kind = row.kind, "question asked");
    }

    /// Logs a finished action of the run (S3.31).
    fn log_action(&self, fact: &Fact) {
        let Fact::Event(Event::ActionFinished { action_id, action, ok, took_ms, .. }) = fact else { return };
        let status = if *ok { "succeeded" } else { "failed" };
        tracing::info!(
            tool = action, step_id = action_id, agent_id = self.identity.agent, action_id, exec_id = %self.identity.id,
            latency_ms = took_ms, status, "action finished"
        );
    }

    /// Logs a finished call of an agent (S3.31).
    fn log_call(&self, fact: &Fact) {
        let own = self.identity.agent.as_str();
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
                    latency_ms = began.map(Moment::elapsed_millis),
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
    pub(crate) fn report_end(&self, report: &EndReport) {
        let EndReport { outcome, bytes } = *report;
        let latency_ms = self.identity.position.created_at.map(Moment::elapsed_millis).unwrap_or_default();
        let (agent, status) = (self.identity.agent.as_str(), outcome.word());
        metrics::RUNS.increment([agent, status]);
        metrics::record_invocation(agent, status, latency_ms as f64 / 1000.0, bytes);
        tracing::info!(
            tool = agent, agent_id = agent, exec_id = %self.identity.id, run_id = %self.identity.id, root_run_id = %self.identity.root,
            parent_exec_id = self.identity.position.parent.as_ref().map(tracing::field::display),
            latency_ms, status, response_bytes = bytes, "run ended"
        );
    }
}
