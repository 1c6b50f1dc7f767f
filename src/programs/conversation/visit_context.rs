//! The context of one visit: a copy of the state, to which changes are applied at once, the input from the
//! engine, and the services. It collects everything that the visit leaves behind.

use crate::agent_spec::types::conversation_parts::Measured;
use crate::agent_spec::types::executor::PlanRules;
use crate::agent_spec::types::script::Step;
use crate::browser::actor::Browser;
use crate::browser::messages::RestrictUrls;
use crate::browser::network::url_policy::UrlCheck;
use crate::clock::Moment;
use crate::config::Limits;
use crate::engine::program::ended_child::EndedChild;
use crate::engine::program::journal::Journal;
use crate::engine::program::{ProgramError, QuestionDraft, QuestionResult, StepInput, StepRecord};
use crate::files::{FileStore, RunFiles};
use crate::gate::actor::PolicyGate;
use crate::gate::grants::{self, Grant, RememberOffer};
use crate::gate::host_kinds::HostContext;
use crate::gate::{host_kinds, url_refusals};
use crate::ids::RunId;
use crate::knowledge::KnowledgeAccess;
use crate::model::Planner;
use crate::page::target::Target;
use crate::page::url::parse_typed_url;
use crate::planning::{
    ActionOutcome, ActionResult, HistoryEntry, ModelPreference, SECRET_GONE, SECRET_MISPLACED, Speaker,
};
use crate::programs::conversation::acting::not_done_event::not_done_event;
use crate::programs::conversation::planning::premoves::PremoveSettings;
use crate::programs::conversation::planning::turn_progress::TurnProgress;
use crate::programs::conversation::questions::browser_slot;
use crate::programs::conversation::state::ConversationState;
use crate::programs::conversation::state_changes::ConversationChange;
use crate::programs::conversation::working_set::{BrowserSettings, WorkingSet};
use crate::programs::tasks::Callee;
use crate::protocol::Remember;
use crate::protocol::event::Event;
use crate::protocol::server::Fact;
use crate::secrets::named_secrets::NamedSecrets;
use crate::secrets::vault::{FillError, Vault};
use crate::store::Store;
use crate::store::rows::inbox::{InboxItem, InboxRow};
use crate::texts::page::{secret_gone, secret_misplaced, translated_error};
use crate::turn::action::{Action, PageAction};
use crate::turn::agent_tools::Tool;
use actix::Addr;
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
    /// Named secrets.
    pub keys: NamedSecrets,
    pub files: FileStore,
    /// `None` if the agent has no knowledge, or may not look it up.
    pub knows: Option<KnowledgeAccess>,
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
}

/// The task of an agent, as its file describes it.
pub struct TaskSettings {
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
    pub measure: Measured,
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
    /// True if the planner is shown the screenshot.
    pub vision: bool,
    /// Width and height in CSS pixels.
    pub viewport: (u32, u32),
}

/// The hosts that an agent may visit.
pub struct HostSettings {
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

pub struct VisitContext {
    pub run: RunId,
    pub root: RunId,
    pub state: ConversationState,
    pub deps: Arc<ConversationDeps>,
    pub working_set: Arc<WorkingSet>,
    pub journal: Journal,
    pub changes: Vec<ConversationChange>,
    pub record: StepRecord,
    pub ask: Option<QuestionDraft>,
    /// The browser of this visit, if every request must go to the same one.
    pub held: OnceLock<Addr<Browser>>,
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
            held: OnceLock::new(),
            input: VisitInput { ended, inbox, answer },
        }
    }

    pub fn change(&mut self, change: ConversationChange) {
        self.state.change(change.clone());
        self.changes.push(change);
    }

    pub fn push_event(&mut self, fact: Fact) {
        self.record.facts.push(fact);
    }

    /// Reads all messages in the inbox.
    pub fn read_inbox(&mut self) {
        for message in std::mem::take(&mut self.input.inbox) {
            self.record.read_inbox = Some(message.n);
            match message.item {
                InboxItem::PlanEdit(edit) => self.apply_edit(&edit),
                InboxItem::TaskCancel(task) => self.cancel_task(&task),
                // A report of what the person did on the page is not a message from them.
                InboxItem::HandBack(report) => {
                    self.push_event(browser_slot::agent_message(&report));
                    self.change(ConversationChange::HandedBack(report));
                    self.change(ConversationChange::NeedsObserve);
                }
                InboxItem::Words(text) => {
                    self.push_event(Fact::Event(Event::UserMessage { text: text.clone() }));
                    self.change(ConversationChange::Heard(text));
                }
            }
        }
    }

    /// Reports whether the inbox has unread messages.
    pub fn has_messages(&self) -> bool {
        !self.input.inbox.is_empty()
    }

    /// Returns the answer that this visit continues with.
    pub fn answer(&mut self) -> Result<QuestionResult, ProgramError> {
        self.input.answer.take().ok_or_else(|| ProgramError::Failed(String::from("the answer is missing")))
    }

    pub fn planned_turn(&self) -> Result<&TurnProgress, ProgramError> {
        let missing = || ProgramError::Failed(String::from("no action is planned"));
        self.state.planned_action.as_ref().ok_or_else(missing)
    }

    /// Finishes an action that the person has carried out. `comment` is the person's text, `report` describes
    /// what changed on the page.
    pub fn finish_without_step(&mut self, comment: Option<String>, report: Option<String>) {
        let Some(planned) = &self.state.planned_action else { return };
        let result = ActionResult { said: comment, ..planned.result(ActionOutcome::Ok, report) };
        // The person's answer or action may change the rest of the turn.
        let dropped = planned.drop_remaining("the person answered first; go on from there");
        self.change(ConversationChange::Finished { result, dropped, counts: false });
    }

    /// Finishes the planned action as not carried out; viewers and the planner receive the reason.
    pub fn finish_not_done(&mut self, planned: &TurnProgress, code: &str, message: String) {
        let shown_message = translated_error(code, self.state.locale).unwrap_or(&message);
        self.push_event(not_done_event(planned, code, shown_message));
        let outcome = ActionOutcome::Failed { code: code.to_owned(), message };
        let result = planned.result(outcome, None);
        self.change(ConversationChange::Finished { result, dropped: Vec::new(), counts: false });
    }

    /// Finishes the planned action because its secret is lost, or does not belong in this element.
    pub fn finish_unfilled(&mut self, planned: &TurnProgress, unfilled: FillError) {
        let locale = self.state.locale;
        let (code, message) = match unfilled {
            FillError::Gone => (SECRET_GONE, secret_gone(locale)),
            FillError::Misplaced => (SECRET_MISPLACED, secret_misplaced(locale)),
        };
        self.change(ConversationChange::NeedsObserve);
        self.finish_not_done(planned, code, message.to_owned());
    }

    /// Returns the context of the gate's decision, with the files of the run for an upload.
    pub fn gate_context(&self, action: &Action) -> HostContext {
        let mut context = self.hosts();
        if let Action::Page(PageAction::Upload { .. }) = action {
            context.files = self.list_files();
        }
        context
    }

    /// Returns the hosts that the run may visit and those that the person has named, without the files of the
    /// run.
    pub fn hosts(&self) -> HostContext {
        let named_hosts = self.state.messages.iter().filter_map(|entry| match entry {
            HistoryEntry::Said { by: Speaker::Person, text } => Some(host_kinds::named_in(text)),
            HistoryEntry::Said { by: Speaker::Agent, .. }
            | HistoryEntry::Acted { .. }
            | HistoryEntry::Ended { .. }
            | HistoryEntry::Summary { .. }
            | HistoryEntry::Premove { .. } => None,
        });
        HostContext {
            allowed_hosts: self.deps.hosts.allowed.clone().unwrap_or_default(),
            named_hosts: named_hosts.flatten().chain(self.state.hosts.iter().cloned()).collect(),
            private_hosts: self.deps.hosts.private.clone(),
            own_origin: self.deps.hosts.own_origin.clone(),
            files: Vec::new(),
        }
    }

    /// Returns the URL policy for navigations that pages start themselves or that an action causes. The host
    /// of the current page is allowed.
    pub fn url_policy(&self) -> RestrictUrls {
        let mut context = self.hosts();
        let current_url = self
            .state
            .last_observation
            .as_ref()
            .and_then(|observed| parse_typed_url(&observed.url))
            .map(host_kinds::page_url);
        context.named_hosts.extend(current_url.as_ref().map(host_kinds::display_host));
        let is_restricted = !context.allowed_hosts.is_empty();
        let judge = move |url: &str| url_refusals::new_host_refusal(url, &context);
        RestrictUrls { judge: is_restricted.then(|| Arc::new(judge) as Arc<UrlCheck>) }
    }

    /// Reports whether the gate or a person has allowed the planned action to download a program.
    pub fn may_fetch_programs(&self) -> bool {
        let approved =
            self.state.approval.as_ref().is_some_and(|approval| approval.given && approval.download);
        approved || self.working_set.may_download()
    }

    /// Returns the files of this run tree.
    pub fn files(&self) -> RunFiles {
        self.deps.files.run_files(&self.root)
    }

    /// Returns the target for the gate's decision about the dialog in the last observation.
    pub fn dialog(&self) -> Option<Target> {
        let observed = self.working_set.observation()?;
        Some(observed.observation.dialog.as_ref()?.target(&observed.observation.url))
    }

    /// Stores the grant that the person chose with the approval, if the question offered it.
    pub fn remember(&mut self, choice: Remember) {
        let Some(approval) = &self.state.approval else { return };
        let offer =
            RememberOffer { choices: &approval.remember, origin: &approval.origin, rule: &approval.rule };
        let grant = grants::from_answer(offer, choice, &self.root, Moment::now());
        self.record.grant = grant.map(Grant::into_row);
    }
}
