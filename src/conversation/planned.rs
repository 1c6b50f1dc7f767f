//! The turn under way and the look that it was planned for, as they are kept. Pure.

use super::standing::Stood;
use super::surprise::Expected;
use crate::model::{ActionResult, Outcome};
use crate::tasks::orders::is_async;
use crate::turn::action::{Action, NAMES};
use crate::turn::inner::INTERNAL;
use crate::turn::{Call, Turn};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// What is kept of a look.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Seen {
    pub look: u64,
    pub url: String,
    pub title: String,
    /// The page's first heading.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub heading: String,
    /// Of its text, without what a look alone decides.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub digest: String,
}

/// The turn under way, and the one of its actions whose turn it is.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Planned {
    pub turn: Turn,
    pub action_id: String,
    /// None until it has been validated.
    pub action: Option<Action>,
    /// Why it cannot be an action at all, found while planning.
    pub fault: Option<String>,
    /// The action's place in its turn, and what became of those before it.
    #[serde(default)]
    pub at: usize,
    #[serde(default)]
    pub results: Vec<ActionResult>,
    /// The page that the turn was planned for, as far as its later actions need it.
    #[serde(default)]
    pub stood: Option<Stood>,
}

/// The id of the action that opens the page to begin at.
pub const START: &str = "start";

impl Planned {
    pub fn new(turn: Turn, fault: Option<String>, stood: Option<Stood>) -> Self {
        let action_id = turn.actions.first().map_or_else(|| String::from("a1"), |call| call.id_at(0));
        Self { turn, action_id, fault, stood, ..Self::default() }
    }

    /// What it was said to bring about, on the page that it was planned for.
    pub fn expected(&self, seen: Option<&Seen>) -> Option<Expected> {
        let outcome = self.turn.expected_outcome.clone().filter(|outcome| !outcome.trim().is_empty())?;
        let acts = |call: &Call| Action::parse(call).is_ok_and(|action| action.changes_page());
        let (url, digest) = seen.map(|seen| (seen.url.clone(), seen.digest.clone())).unwrap_or_default();
        Some(Expected { outcome, url, digest, acts: self.turn.actions.iter().any(acts) })
    }

    pub fn call(&self) -> Option<&Call> {
        self.turn.actions.get(self.at)
    }

    pub fn next_call(&self) -> Option<&Call> {
        self.turn.actions.get(self.at + 1)
    }

    /// What the action asks for, as its planner wrote it.
    pub fn params(&self) -> Map<String, Value> {
        self.call().map(|call| call.params.clone()).unwrap_or_default()
    }

    /// The planned action's result.
    pub fn result(&self, outcome: Outcome, returned: Option<String>) -> ActionResult {
        let written = self.call().map_or("none", |call| &call.action);
        let action = self.action.as_ref().map_or(written, |action| action.name());
        ActionResult {
            action_id: self.action_id.clone(),
            action: action.to_owned(),
            outcome,
            returned,
            said: None,
        }
    }

    /// Whether it opens the page to begin at.
    pub fn opens(&self) -> bool {
        self.turn.actions.first().is_some_and(|call| call.action_id.as_deref() == Some(START))
    }

    /// The actions after this one, as not done.
    pub fn rest(&self, why: &str) -> Vec<ActionResult> {
        self.dropped_from(self.at + 1, why)
    }

    /// The same, where the reason is the next one's own.
    pub fn rest_from_next(&self, why: &str) -> Vec<ActionResult> {
        let mut rest = self.rest("an action before it was not done");
        if let Some(next) = rest.first_mut() {
            next.outcome = Outcome::Dropped { why: why.to_owned() };
        }
        rest
    }

    /// The ids of the actions after this one.
    pub fn rest_ids(&self) -> Vec<String> {
        self.rest("").into_iter().map(|result| result.action_id).collect()
    }

    /// Ids of its actions that worked: those that are over, and those that go on beside the turn.
    pub fn done_and_begun(&self) -> (Vec<String>, Vec<String>) {
        let (mut done, mut begun) = (Vec::new(), Vec::new());
        for (result, call) in self.results.iter().zip(&self.turn.actions) {
            let ids = if is_async(call) && calls_agent(call) { &mut begun } else { &mut done };
            ids.push(result.action_id.clone());
        }
        (done, begun)
    }

    /// This action and those after it, as not done.
    pub fn all_left(&self, why: &str) -> Vec<ActionResult> {
        self.dropped_from(self.at, why)
    }

    /// The turn with its next action, after this one's result.
    pub fn on(mut self, result: ActionResult) -> Self {
        self.results.push(result);
        self.at += 1;
        self.action_id = self.call().map(|call| call.id_at(self.at)).unwrap_or_default();
        (self.action, self.fault) = (None, None);
        self
    }

    fn dropped_from(&self, at: usize, why: &str) -> Vec<ActionResult> {
        let rest = self.turn.actions.iter().enumerate().skip(at);
        rest.map(|(index, call)| ActionResult {
            action_id: call.id_at(index),
            action: call.action.clone(),
            outcome: Outcome::Dropped { why: why.to_owned() },
            returned: None,
            said: None,
        })
        .collect()
    }
}

/// Whether it calls an agent; only agents work beside a turn, whatever is said of other actions.
pub fn calls_agent(call: &Call) -> bool {
    !NAMES.contains(&&*call.action) && !INTERNAL.contains(&&*call.action)
}
