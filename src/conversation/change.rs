//! What a step leaves: the changes of a conversation's state, and what they carry. This is what is
//! stored of it.

use super::goals::GoalChange;
use super::memory::Remembered;
use super::node::Node;
pub use super::planned::{Planned, Seen};
use crate::model::ActionResult;
use crate::page::target::Target;
use crate::protocol::Remember;
use crate::script::recording::Aimed;
use crate::tasks;
use crate::turn::Turn;
use crate::turn::action::Action;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// A secret that was typed into a field: its mark, the field's name, and the page's address without
/// what follows its path.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TypedSecret {
    pub page: String,
    pub field: String,
    pub mark: String,
}

/// What a person approved, by what it was then.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Approval {
    pub fingerprint: String,
    pub target: Option<Target>,
    pub url: String,
    pub origin: String,
    pub rule: String,
    /// What the person may let it remember.
    pub remember: Vec<Remember>,
    /// The host that a yes lets the run go to.
    #[serde(default)]
    pub host: Option<String>,
    /// Whether the person has said yes.
    pub given: bool,
    /// It downloads something.
    #[serde(default)]
    pub download: bool,
}

/// One change.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Change {
    /// The person said something.
    Heard(String),
    /// A new task begins with what was said: its counters start again.
    Afresh {
        at: i64,
    },
    /// What model calls took.
    Used {
        tokens: u64,
        money: f64,
    },
    Observed {
        seen: Seen,
        picture: Option<String>,
    },
    NeedsObserve,
    Planned(Planned),
    Variables(Map<String, Value>),
    /// The planned action is one that can be done.
    Valid(Action),
    /// The planned action cannot be done.
    Invalid(ActionResult),
    /// What the planned action is about, as another run can find it again.
    Aimed(Aimed),
    /// The planned action has an effect on the world.
    Effect,
    /// The person is asked about the planned action.
    Asked(Approval),
    /// The person approved it.
    Approved,
    /// The run may go to this host from now on.
    LetIn(String),
    /// A secret was typed.
    Secret(TypedSecret),
    /// What became of the planned action, and whether it counts as a step.
    Finished {
        result: ActionResult,
        dropped: Vec<ActionResult>,
        counts: bool,
    },
    /// What is left of the turn under way is not done.
    Dropped {
        why: String,
    },
    Answered {
        key: String,
        text: String,
    },
    Note(String),
    /// The person handed the page back; a report of what changed on it.
    HandedBack(String),
    /// The person changed the plan.
    PlanEdited,
    /// What became of calls of agents.
    Calls(Vec<tasks::Change>),
    /// The planned action waits for this call.
    Awaits(usize),
    /// It waits no more; what it waited for is there.
    Due,
    /// An ASYNC action has ended.
    Ended(ActionResult),
    /// The turn is over and tasks go on; what it said.
    Rested(Option<String>),
    Remembered(Remembered),
    Responded(String),
    /// The plan is another one, or stands otherwise.
    Goal(GoalChange),
    /// It waits for the person, or for what goes on beside it, and goes on again (Unix milliseconds).
    Waits {
        since: i64,
    },
    GoesOn {
        at: i64,
    },
    /// A model was asked that counts as a cycle of thought.
    Iterated,
    /// A turn that does nothing but say that the item under way is done.
    Claimed(Turn),
    /// Nothing of the turn that was just planned is done.
    NotNow {
        why: String,
    },
    /// The person knows that it was stuck.
    Unstuck,
    /// So much of tokens and money may be used besides.
    Extended {
        tokens: u64,
        money: f64,
    },
    /// They were told that most of it is used.
    Warned,
}

/// What is stored of one step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Changes {
    pub to: Node,
    pub changes: Vec<Change>,
}
