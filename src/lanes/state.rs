//! What a composite run knows, and the changes that its steps make to it.

use super::graph::Node;
use crate::ids::RunId;
use crate::protocol::{Locale, Status};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::BTreeSet;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct State {
    pub locale: Locale,
    pub node: Node,
    /// Inputs, locals and the outputs of all lanes so far: each as `var` and as `<item_id>.<var>` (C13).
    pub context: Map<String, Value>,
    /// The lane that it stands in, from 0; the one to enter next while it stands before one.
    pub lane: usize,
    /// Those of the lane's items, in the plan's order; empty before the lane is entered.
    pub slots: Vec<Slot>,
    /// Items that failed and were let be, or that did only part.
    pub tolerated: Vec<String>,
    pub failure: Option<Failure>,
    /// Which of the agents that it calls work in the browser, as they were when it began.
    #[serde(default)]
    pub browsing: BTreeSet<String>,
}

/// How an item of the lane stands.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Slot {
    pub standing: Standing,
    /// How often it was started.
    pub tries: u32,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(tag = "is", rename_all = "snake_case")]
pub enum Standing {
    #[default]
    Waiting,
    Running {
        run: RunId,
    },
    Skipped,
    Done {
        vars: Map<String, Value>,
    },
    /// It failed for good, and the lanes go on without it.
    LetBe,
    /// It failed for good, and the whole with it.
    Failed,
}

impl Standing {
    /// Nothing more is done for the item.
    pub fn is_over(&self) -> bool {
        match self {
            Self::Waiting | Self::Running { .. } => false,
            Self::Skipped | Self::Done { .. } | Self::LetBe | Self::Failed => true,
        }
    }
}

/// Why the whole ends.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Failure {
    pub item: String,
    pub agent: String,
    pub outcome: Status,
    pub why: String,
}

/// One change; items by their place in the lane.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "change", rename_all = "snake_case")]
pub enum Change {
    Enter {
        items: usize,
        skipped: Vec<usize>,
    },
    Start {
        item: usize,
        run: RunId,
    },
    Done {
        item: usize,
        vars: Map<String, Value>,
    },
    /// It did only part of its work.
    Partly {
        id: String,
    },
    Again {
        item: usize,
    },
    LetBe {
        item: usize,
        id: String,
    },
    Failed {
        item: usize,
    },
    Fail {
        failure: Failure,
    },
    /// The lane is over: its outputs become part of the context.
    Leave {
        outputs: Map<String, Value>,
    },
}

/// The changes of one step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Changes {
    pub to: Node,
    pub changes: Vec<Change>,
}

impl State {
    /// At the beginning: inputs and locals are the context.
    pub fn begin(locale: Locale, context: Map<String, Value>) -> Self {
        Self {
            locale,
            node: Node::EnterLane,
            context,
            lane: 0,
            slots: Vec::new(),
            tolerated: Vec::new(),
            failure: None,
            browsing: BTreeSet::new(),
        }
    }

    pub fn take(&mut self, Changes { to, changes }: Changes) {
        for change in changes {
            self.change(change);
        }
        self.node = to;
    }

    pub fn change(&mut self, change: Change) {
        match change {
            Change::Enter { items, skipped } => {
                self.slots = vec![Slot::default(); items];
                for item in skipped {
                    self.stand(item, Standing::Skipped);
                }
            }
            Change::Start { item, run } => {
                self.stand(item, Standing::Running { run });
                if let Some(slot) = self.slots.get_mut(item) {
                    slot.tries += 1;
                }
            }
            Change::Done { item, vars } => self.stand(item, Standing::Done { vars }),
            Change::Partly { id } => self.tolerated.push(id),
            Change::Again { item } => self.stand(item, Standing::Waiting),
            Change::LetBe { item, id } => {
                self.stand(item, Standing::LetBe);
                self.tolerated.push(id);
            }
            Change::Failed { item } => self.stand(item, Standing::Failed),
            Change::Fail { failure } => self.failure = Some(failure),
            Change::Leave { outputs } => {
                self.context.extend(outputs);
                self.slots.clear();
                self.lane += 1;
            }
        }
    }

    fn stand(&mut self, item: usize, standing: Standing) {
        if let Some(slot) = self.slots.get_mut(item) {
            slot.standing = standing;
        }
    }

    /// Children that have not ended, as far as it knows.
    pub fn running(&self) -> impl Iterator<Item = &RunId> {
        self.slots.iter().filter_map(|slot| match &slot.standing {
            Standing::Running { run } => Some(run),
            Standing::Waiting
            | Standing::Skipped
            | Standing::Done { .. }
            | Standing::LetBe
            | Standing::Failed => None,
        })
    }
}
