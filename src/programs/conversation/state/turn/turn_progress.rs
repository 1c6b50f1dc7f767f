//! The turn under way, and the summary of the observation that it was planned for, as they are stored. Pure.

use crate::planning::{ActionResult, ActionStatus};
use crate::programs::conversation::state::turn::expectation::Expectation;
use crate::programs::conversation::state::turn::preconditions::Preconditions;
use crate::programs::tasks::read_jobs::is_async;
use crate::turn::action::{Action, NAMES};
use crate::turn::internal_action::INTERNAL;
use crate::turn::{Call, Turn};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The stored summary of an observation.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ObservationSummary {
    #[serde(rename = "look")]
    pub number: u64,
    pub url: String,
    pub title: String,
    /// The main heading of the page.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub heading: String,
    /// Digest of the page text, without what differs between observations of the same page.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub digest: String,
}

/// The turn under way, with the index of its current action.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TurnProgress {
    pub turn: Turn,
    pub action_id: String,
    /// `None` until the action has been validated.
    pub action: Option<Action>,
    /// The reason why the turn holds no valid action, found while planning.
    pub fault: Option<String>,
    /// Index of the current action in the turn, and the results of those before it.
    #[serde(default)]
    pub at: usize,
    #[serde(default)]
    pub results: Vec<ActionResult>,
    /// The page that the turn was planned for, as far as its later actions depend on it.
    #[serde(default, rename = "stood")]
    pub preconditions: Option<Preconditions>,
}

/// The id of the action that opens the start page.
pub const START: &str = "start";

impl TurnProgress {
    pub fn new(turn: Turn, fault: Option<String>, preconditions: Option<Preconditions>) -> Self {
        let action_id = turn.actions.first().map_or_else(|| String::from("a1"), |call| call.id_at(0));
        Self { turn, action_id, fault, preconditions, ..Self::default() }
    }

    /// Returns the expected outcome, with the page that the turn was planned for.
    pub fn expectation(&self, observation: Option<&ObservationSummary>) -> Option<Expectation> {
        let outcome = self.turn.expected_outcome.clone().filter(|outcome| !outcome.trim().is_empty())?;
        let acts = |call: &Call| Action::parse(call).is_ok_and(|action| action.changes_page());
        let (url, digest) = observation
            .map(|observation| (observation.url.clone(), observation.digest.clone()))
            .unwrap_or_default();
        Some(Expectation { outcome, url, digest, acts: self.turn.actions.iter().any(acts) })
    }

    pub fn call(&self) -> Option<&Call> {
        self.turn.actions.get(self.at)
    }

    pub fn next_call(&self) -> Option<&Call> {
        self.turn.actions.get(self.at + 1)
    }

    /// Returns the parameters of the action as the planner wrote them.
    pub fn params(&self) -> Map<String, Value> {
        self.call().map(|call| call.params.clone()).unwrap_or_default()
    }

    /// Creates the result of the planned action.
    pub fn result(&self, outcome: ActionStatus, returned: Option<String>) -> ActionResult {
        let written = self.call().map_or("none", |call| &call.action);
        let action = self.action.as_ref().map_or(written, |action| action.name());
        ActionResult {
            action_id: self.action_id.clone(),
            action: action.to_owned(),
            outcome,
            returned,
            answer: None,
            effect_summary: None,
        }
    }

    /// Reports whether the action fills a field after another one of the turn did. Such fields count as one action.
    pub fn fills_on(&self) -> bool {
        let before = self.turn.actions.get(..self.at).unwrap_or_default();
        self.call().is_some_and(fills_field) && before.iter().any(fills_field)
    }

    /// Reports whether the turn opens the start page.
    pub fn is_opening(&self) -> bool {
        self.turn.actions.first().is_some_and(|call| call.action_id.as_deref() == Some(START))
    }

    /// Returns the actions after this one as dropped.
    pub fn remaining_as_dropped(&self, why: &str) -> Vec<ActionResult> {
        self.drop_from(self.at + 1, why)
    }

    /// Returns the actions after this one as dropped; `why` is the reason of the first of them.
    pub fn remaining_dropped_because(&self, why: &str) -> Vec<ActionResult> {
        let mut rest = self.remaining_as_dropped("an action before it was not done");
        if let Some(next) = rest.first_mut() {
            next.outcome = ActionStatus::Dropped { why: why.to_owned() };
        }
        rest
    }

    /// Returns the ids of the actions after this one.
    pub fn remaining_ids(&self) -> Vec<String> {
        self.remaining_as_dropped("").into_iter().map(|result| result.action_id).collect()
    }

    /// Returns the ids of the actions before this one: those that are over, and those that go on in the
    /// background.
    pub fn done_and_begun(&self) -> (Vec<String>, Vec<String>) {
        let (mut done, mut begun) = (Vec::new(), Vec::new());
        for (result, call) in self.results.iter().zip(&self.turn.actions) {
            let ids = if is_async(call) && calls_agent(call) { &mut begun } else { &mut done };
            ids.push(result.action_id.clone());
        }
        (done, begun)
    }

    /// Returns this action and those after it as dropped.
    pub fn current_and_later_as_dropped(&self, why: &str) -> Vec<ActionResult> {
        self.drop_from(self.at, why)
    }

    /// Returns the turn at its next action, with the result of this one.
    pub fn advance(mut self, result: ActionResult) -> Self {
        self.results.push(result);
        self.at += 1;
        self.action_id = self.call().map(|call| call.id_at(self.at)).unwrap_or_default();
        (self.action, self.fault) = (None, None);
        self
    }

    fn drop_from(&self, at: usize, why: &str) -> Vec<ActionResult> {
        let rest = self.turn.actions.iter().enumerate().skip(at);
        rest.map(|(index, call)| ActionResult {
            action_id: call.id_at(index),
            action: call.action.clone(),
            outcome: ActionStatus::Dropped { why: why.to_owned() },
            returned: None,
            answer: None,
            effect_summary: None,
        })
        .collect()
    }
}

/// Reports whether the call gives a field its value.
fn fills_field(call: &Call) -> bool {
    const BOXES: [&str; 3] = ["click checkbox ", "click radio ", "click switch "];
    let words = call.description.as_deref().unwrap_or_default();
    matches!(call.action.as_str(), "type" | "fill" | "select" | "upload")
        || (call.action == "click" && BOXES.iter().any(|start| words.starts_with(start)))
}

/// Reports whether the call is for an agent. Only agents run in the background; `execution` of other actions
/// is ignored.
pub fn calls_agent(call: &Call) -> bool {
    !NAMES.contains(&&*call.action) && !INTERNAL.contains(&&*call.action)
}
