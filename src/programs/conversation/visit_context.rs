//! The context of one visit: a copy of the state, to which changes are applied at once, the input from the
//! engine, and the services. It collects everything that the visit leaves behind. Features are functions of it, each in
//! its own file.

use crate::agent_spec::types::conversation_parts::{Measured, VisionMode};
use crate::agent_spec::types::executor::PlanRules;
use crate::agent_spec::types::script::Step;
use crate::browser::actor::Browser;
use crate::config::Limits;
use crate::engine::program::ended_child::EndedChild;
use crate::engine::program::journal::Journal;
use crate::engine::program::{ProgramError, QuestionDraft, QuestionResult, StepInput, StepRecord};
use crate::engine::registry::feed::DraftWritten;
use crate::files::FileStore;
use crate::gate::action_judge::OpenApprovals;
use crate::gate::actor::PolicyGate;
use crate::gate::flow::tree_texts::TreeTexts;
use crate::gate::host_scope::HostScope;
use crate::ids::RunId;
use crate::knowledge::KnowledgeAccess;
use crate::model::Planner;
use crate::pdf::process::PdfReader;
use crate::planning::ModelPreference;
use crate::programs::conversation::shown_pages::ShownPages;
use crate::programs::conversation::state::ConversationState;
use crate::programs::conversation::state::changes::ConversationChange;
use crate::programs::conversation::state::memory::premoves::PremoveSettings;
use crate::programs::conversation::state::turn::turn_progress::TurnProgress;
use crate::programs::conversation::working_set::{BrowserSettings, WorkingSet};
use crate::programs::tasks::Callee;
use crate::protocol::server::Fact;
use crate::secrets::named_secrets::NamedSecrets;
use crate::secrets::vault::Vault;
use crate::store::Store;
use crate::store::rows::inbox::InboxRow;
use crate::turn::agent_tools::Tool;
use actix::{Addr, Recipient};
use std::sync::{Arc, OnceLock};

/// The services and settings that a conversation uses.
pub struct ConversationDeps {
    pub planner: Planner,
    pub gate: Addr<PolicyGate>,
    /// `None` if the agent works in no browser.
    pub browsers: Option<BrowserSettings>,
    pub store: Arc<dyn Store>,
    /// Secrets of this run tree, in memory only.
    pub vault: Arc<Vault>,
    /// Texts that this run tree has read and typed, in memory only.
    pub texts: Arc<TreeTexts>,
    /// The full observations that planners were last shown.
    pub shown_pages: Arc<ShownPages>,
    /// Approvals of this run that no request has used yet, in memory only.
    pub approvals: Arc<OpenApprovals>,
    /// Named secrets.
    pub named_secrets: NamedSecrets,
    pub files: FileStore,
    pub pdfs: Arc<PdfReader>,
    /// `None` if the agent has no knowledge, or may not look it up.
    pub knowledge: Option<KnowledgeAccess>,
    pub limits: Limits,
    /// The run that called this one and whose budget also limits it.
    pub caller: Option<RunId>,
    pub task: TaskSettings,
    pub thinking: ThinkingSettings,
    pub calls: CallSettings,
    pub view: ViewSettings,
    pub hosts: HostSettings,
    /// In seconds; 0 for no timeout.
    pub confirm_timeout_s: u64,
    /// Receives messages to the person while the model writes them.
    pub drafts: Option<Recipient<DraftWritten>>,
}

/// The task of an agent, as its file describes it.
pub struct TaskSettings {
    /// Name of the agent.
    pub agent: String,
    /// The goal of the agent; a template over the inputs.
    pub goal: Option<String>,
    /// The page to open first; a template over the inputs.
    pub start_url: Option<String>,
    /// Steps that are played in place of a planner; empty if there is no script.
    pub script: Vec<Step>,
    /// Names of the inputs that are secrets.
    pub secret_inputs: Vec<String>,
    /// Names of the agent's outputs; the final response becomes the first.
    pub outputs: Vec<String>,
}

/// The use of models besides the planning of turns.
pub struct ThinkingSettings {
    pub preference: ModelPreference,
    /// Rules for planning: when a plan is made, and whether the person approves it.
    pub plan: PlanRules,
    /// `None` if nothing is looked up before turns are planned.
    pub premoves: Option<PremoveSettings>,
    pub thoughts: Measured,
    /// True if the oldest entries of a long history are replaced by a summary.
    pub compacts: bool,
}

/// The agents that an agent may call.
pub struct CallSettings {
    pub tools: Vec<Tool>,
    /// The settings of calls of these agents.
    pub callees: Vec<Callee>,
    /// True if they may run in the background (S4.33).
    pub in_background: bool,
}

/// The view of the page that a planner is shown.
pub struct ViewSettings {
    /// The planner is shown a full observation at least once in this number of observations, and deltas
    /// otherwise.
    pub full_every: u64,
    /// When the planner is shown the screenshot.
    pub vision: VisionMode,
    /// Width and height in CSS pixels.
    pub viewport: (u32, u32),
}

/// The hosts that an agent may visit.
pub struct HostSettings {
    /// Hosts that the person named to the tree, and those that all callers allow.
    pub inherited: HostScope,
    /// `None` allows every public host.
    pub allowed: Option<Vec<String>>,
    pub private: Vec<String>,
    /// The origin at which this service serves its demo shop: `http://127.0.0.1:8787`.
    pub own_origin: String,
}

impl ConversationDeps {
    /// Reports whether a model plans the turns: there is one, and no script is played in its place.
    pub fn asks_model(&self) -> bool {
        self.planner.model().is_some() && self.task.script.is_empty()
    }
}

/// The data of one visit.
pub struct VisitContext {
    pub run: RunId,
    pub root: RunId,
    pub state: ConversationState,
    pub deps: Arc<ConversationDeps>,
    pub working_set: Arc<WorkingSet>,
    pub journal: Journal,
    pub changes: Vec<ConversationChange>,
    /// Everything else that the engine stores with the step.
    pub record: StepRecord,
    /// The question of a node that asks.
    pub ask: Option<QuestionDraft>,
    /// The browser of this visit, if every request must go to the same one.
    pub held_browser: OnceLock<Addr<Browser>>,
    pub input: VisitInput,
}

/// The input of a visit that is left to take: each part is taken once.
pub struct VisitInput {
    /// The awaited child runs that have ended.
    pub ended: Vec<EndedChild>,
    inbox: Vec<InboxRow>,
    answer: Option<QuestionResult>,
}

impl VisitContext {
    pub fn new(
        state: ConversationState,
        deps: Arc<ConversationDeps>,
        working_set: Arc<WorkingSet>,
        input: StepInput,
    ) -> Self {
        let StepInput { run, root, inbox, answer, journal, ended } = input;
        Self {
            run,
            root,
            state,
            deps,
            working_set,
            journal,
            changes: Vec::new(),
            record: StepRecord::default(),
            ask: None,
            held_browser: OnceLock::new(),
            input: VisitInput { ended, inbox, answer },
        }
    }

    /// Applies a change to the state, and records it.
    pub fn change(&mut self, change: ConversationChange) {
        self.state.change(change.clone());
        self.changes.push(change);
    }

    /// Adds an event for viewers.
    pub fn push_event(&mut self, fact: Fact) {
        self.record.facts.push(fact);
    }

    /// Returns all messages in the inbox, and records them as read.
    pub fn take_inbox(&mut self) -> Vec<InboxRow> {
        let messages = std::mem::take(&mut self.input.inbox);
        if let Some(last) = messages.last() {
            self.record.read_inbox = Some(last.n);
        }
        messages
    }

    /// Reports whether the inbox has unread messages.
    pub fn has_messages(&self) -> bool {
        !self.input.inbox.is_empty()
    }

    /// Returns the answer that this visit continues with.
    pub fn answer(&mut self) -> Result<QuestionResult, ProgramError> {
        self.input.answer.take().ok_or_else(|| ProgramError::Failed(String::from("the answer is missing")))
    }

    /// Returns the turn under way.
    pub fn planned_turn(&self) -> Result<&TurnProgress, ProgramError> {
        let missing = || ProgramError::Failed(String::from("no action is planned"));
        self.state.planned_action.as_ref().ok_or_else(missing)
    }
}
