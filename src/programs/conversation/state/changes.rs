//! The changes of a conversation's state, with their data, as each step stores them.

use crate::browser::page::held_requests::HeldBatch;
use crate::gate::flow::read_texts::TextSource;
use crate::gate::grants::covers::Covers;
use crate::gate::wire_layer::proposed_request::ApprovedEffect;
use crate::gate::wire_layer::question::HeldQuestion;
use crate::page::target::Target;
use crate::planning::ActionResult;
use crate::programs::conversation::state::memory::MemoryChange;
use crate::programs::conversation::state::node::ConversationNode;
use crate::programs::conversation::state::plan_state::PlanChange;
use crate::programs::conversation::state::turn::turn_progress::{ObservationSummary, TurnProgress};
use crate::programs::tasks;
use crate::protocol::Remember;
use crate::script::recording::ActionElements;
use crate::turn::Turn;
use crate::turn::action::Action;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Actions and plans that the person grants at once.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct StepGrant {
    pub steps: u32,
    pub iterations: u32,
}

/// A secret that was typed into a field: its placeholder, the field's name, and the page's address without
/// query and fragment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TypedSecret {
    pub page: String,
    pub field: String,
    pub mark: String,
}

/// The approval of an action: what the person saw, for the comparison right before the effect.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Approval {
    pub fingerprint: String,
    pub target: Option<Target>,
    pub url: String,
    pub origin: String,
    pub rule: String,
    /// The grants that the person may choose.
    pub remember: Vec<Remember>,
    /// The host that an approval allows the run to visit.
    #[serde(default)]
    pub host: Option<String>,
    /// True if the person has approved.
    pub given: bool,
    /// Reference of the question, once approved.
    #[serde(default)]
    pub reference: String,
    /// Scope of the approval if it is remembered.
    #[serde(default)]
    pub covers: Covers,
    /// True if the action downloads a program.
    #[serde(default)]
    pub download: bool,
}

/// Requests of a page that wait for the person's answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HeldEffect {
    pub batch: HeldBatch,
    pub question: Box<HeldQuestion>,
    /// True if the action that caused them is the planned one, whose result waits for the answer.
    pub is_of_planned_action: bool,
}

/// A change of the state.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ConversationChange {
    /// The person sent a message.
    #[serde(rename = "heard")]
    MessageReceived(String),
    /// A new task begins with the last message: its counters start again.
    Afresh {
        at: i64,
    },
    /// Model calls used these amounts.
    Used {
        tokens: u64,
        money: f64,
    },
    Observed {
        seen: ObservationSummary,
        picture: Option<String>,
    },
    NeedsObserve,
    Planned(TurnProgress),
    Variables(Map<String, Value>),
    /// The planned action is valid.
    Valid(Action),
    /// The planned action is invalid.
    Invalid(ActionResult),
    /// The target of the planned action, described so that another run can find it again.
    Aimed(ActionElements),
    /// The planned action has an effect outside the page.
    Effect,
    /// The outcome of an effect is unknown after a crash.
    EffectUnknown,
    /// The person is asked to approve the planned action.
    Asked(Box<Approval>),
    /// The person approved it.
    Approved,
    /// Reference of the question that was approved.
    ApprovedBy(String),
    /// The person is asked about text that the planned action takes to another site: the pairs of sites.
    FlowAsked(Vec<String>),
    /// The person has consented to it for this run.
    FlowConsented,
    /// The run has read texts of these sources for the first time.
    SourcesRead(Vec<TextSource>),
    /// Requests of the page wait for the person.
    RequestsHeld(HeldEffect),
    /// The person has answered about them.
    RequestsAnswered,
    /// The page gave up requests that the person then approved: the planned action is done once more for them.
    RepeatApproved(Box<ApprovedEffect>),
    /// The approval of such requests does not stand any longer.
    RepeatEnded,
    /// The run may visit this host from now on.
    #[serde(rename = "let_in")]
    HostAllowed(String),
    /// A page of this origin sent something around the gate.
    SentUnasked(String),
    /// A secret was typed.
    Secret(TypedSecret),
    /// The planned action has ended; `counts` is true if it counts as a tool step.
    Finished {
        result: ActionResult,
        dropped: Vec<ActionResult>,
        counts: bool,
    },
    /// The rest of the turn under way is dropped.
    Dropped {
        why: String,
    },
    Answered {
        key: String,
        text: String,
    },
    Note(String),
    /// An action has downloaded these files.
    Downloaded(Vec<String>),
    /// The planner has been told which of the downloaded files are PDFs.
    DownloadsDescribed,
    /// The person handed the page back; a report of what changed on it.
    HandedBack(String),
    /// The person edited the plan.
    PlanEdited,
    /// Changes of the calls of agents.
    Calls(Vec<tasks::JobChange>),
    /// The planned action waits for this call.
    Awaits(usize),
    /// The planned action no longer waits; its dependency has ended.
    Due,
    /// An ASYNC action has ended.
    Ended(ActionResult),
    /// The turn is over while tasks go on; its response.
    Rested(Option<String>),
    Remembered(MemoryChange),
    Responded(String),
    /// A change of the plan or of its progress.
    #[serde(rename = "goal")]
    Plan(PlanChange),
    /// The conversation waits for the person or for background work, and continues later. Times are in Unix
    /// milliseconds.
    Waits {
        since: i64,
    },
    GoesOn {
        at: i64,
    },
    /// A model call that counts as an iteration.
    Iterated,
    /// A turn that only claims that the current item is done.
    Claimed(Turn),
    /// The rest of the planned turn is not done.
    #[serde(rename = "not_now")]
    RestDropped {
        why: String,
    },
    /// The person was told that the conversation is stuck.
    Unstuck,
    /// This much more may be used.
    Extended {
        tokens: u64,
        money: f64,
    },
    /// Further actions may be done.
    StepsGranted(StepGrant),
    /// The person was warned that most of a limit is used.
    Warned,
}

/// The changes of one step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ConversationChanges {
    pub to: ConversationNode,
    pub changes: Vec<ConversationChange>,
}
