//! Context of one visit of a single call: its input, state and dependencies.

use crate::agent_spec::types::spec::AgentSpec;
use crate::engine::program::ended_child::FailureCause;
use crate::engine::program::result_text::{format_vars, limit_text};
use crate::engine::program::{QuestionDraft, StepInput, StepRecord, model_usage};
use crate::files::FileStore;
use crate::gate::actor::PolicyGate;
use crate::gate::flow::tree_texts::{TreeTexts, list_texts};
use crate::ids::RunId;
use crate::mcp_client::Servers;
use crate::model::Planner;
use crate::model::writer::Writer;
use crate::programs::single::action_description::{self, Executable};
use crate::programs::single::graph::execute;
use crate::programs::single::state::{SingleChange, SingleState};
use crate::protocol::server::Fact;
use crate::sandbox::Sandbox;
use crate::sandbox::build::Builds;
use crate::secrets::scrub::Replacement;
use crate::secrets::vault::Vault;
use crate::store::Store;
use crate::store::rows::usage::UsedUpLimit;
use actix::Addr;
use serde_json::{Map, Value, json};
use std::sync::Arc;

/// Dependencies of a single-call run.
pub struct Deps {
    pub spec: Arc<AgentSpec>,
    /// Planner that summarizes conversations. Set only for the internal summary agent.
    pub summarizer: Option<Planner>,
    pub gate: Addr<PolicyGate>,
    pub sandbox: Sandbox,
    pub builds: Builds,
    pub servers: Servers,
    /// `None` if no model is configured.
    pub writer: Option<Arc<Writer>>,
    /// Model of the run, or `None` for the writer's default.
    pub model: Option<String>,
    pub store: Arc<dyn Store>,
    pub files: FileStore,
    /// Secrets of the run tree.
    pub vault: Arc<Vault>,
    /// Texts that the run tree has read.
    pub texts: Arc<TreeTexts>,
    pub confirm_timeout_s: u64,
}

/// Context of one visit.
pub(crate) struct SingleVisit {
    pub(crate) state: SingleState,
    pub(crate) deps: Arc<Deps>,
    pub(crate) input: StepInput,
    pub(crate) changes: Vec<SingleChange>,
    pub(crate) record: StepRecord,
    pub(crate) ask: Option<QuestionDraft>,
}

impl SingleVisit {
    /// Completes the run: stores the declared outputs, and a response for people.
    pub(crate) fn succeed(&mut self, found: Map<String, Value>) -> execute::Outcome {
        let declared = |name: &String| self.deps.spec.outputs.iter().any(|output| output.name == *name);
        let mut vars: Map<String, Value> = found.into_iter().filter(|(name, _)| declared(name)).collect();
        // Without secrets nothing changes, not even text that looks like a placeholder.
        if self.deps.vault.knows_any() {
            vars = self.deps.vault.mask_variables(vars);
        }
        self.record_answer_source(&vars);
        self.changes.push(SingleChange::Responded { text: format_vars(&vars, self.state.locale) });
        self.changes.push(SingleChange::Gave { vars });
        execute::Executed
    }

    /// Records where the answer comes from. What code computed from the person's words alone is trusted.
    fn record_answer_source(&self, vars: &Map<String, Value>) {
        let answer = vars.values().flat_map(list_texts).collect::<Vec<_>>().join("\n");
        let texts = &self.deps.texts;
        let computes = matches!(
            action_description::executable_of(&self.deps.spec),
            Ok(Executable::Python(_) | Executable::Shell(_))
        );
        if computes && texts.list_sources(&self.input.run).is_empty() {
            texts.add_trusted(&answer);
        }
        texts.add_answer(&self.input.run, &self.deps.spec.name, &answer);
    }

    pub(crate) fn fail(&mut self, text: String) -> execute::Outcome {
        let text = self.deps.vault.scrub_text(&text, Replacement::Mask);
        self.changes.push(SingleChange::Responded { text });
        execute::Failed
    }

    pub(crate) fn refuse_over_budget(&mut self, used_up: UsedUpLimit) -> execute::Outcome {
        let text = limit_text(&used_up.limit, self.state.locale).to_owned();
        self.changes.push(SingleChange::Responded { text });
        self.record.facts.push(Fact::Event(model_usage::budget_event(used_up)));
        execute::OutOfBudget
    }

    /// Fails the run, with a cause that its caller can distinguish.
    pub(crate) fn fail_with_cause(&mut self, text: String, cause: FailureCause) -> execute::Outcome {
        let mask = |text: &str| self.deps.vault.scrub_text(text, Replacement::Mask);
        let cause = FailureCause {
            error: mask(&cause.error),
            error_type: mask(&cause.error_type),
            traceback: cause.traceback.as_deref().map(mask),
        };
        self.record.report.cause = Some(json!(cause));
        self.fail(text)
    }

    pub(crate) fn root(&self) -> &RunId {
        &self.input.root
    }
}
