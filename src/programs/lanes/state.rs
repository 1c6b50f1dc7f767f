//! The state of a composite run, and the changes that its steps make to it.

use crate::ids::RunId;
use crate::programs::lanes::graph::LanesNode;
use crate::protocol::{Locale, Status};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::BTreeSet;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LanesState {
    pub locale: Locale,
    pub node: LanesNode,
    /// Inputs, locals and the outputs of all lanes so far, each as `var` and as `<item_id>.<var>` (C13).
    pub context: Map<String, Value>,
    /// Index of the current lane, or of the lane to enter next.
    pub lane: usize,
    /// The states of the lane's items, in the order of the plan; empty before the lane is entered.
    pub slots: Vec<ItemState>,
    /// Ids of items that failed without failing the run, or that did only part of their work.
    pub tolerated: Vec<String>,
    pub failure: Option<LaneFailure>,
    /// The agents that work in the browser, among those that it calls, as determined when the run began.
    #[serde(default)]
    pub browsing: BTreeSet<String>,
}

/// The state of an item of the current lane.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ItemState {
    #[serde(rename = "standing")]
    pub status: ItemProgress,
    /// The number of times that the item was started.
    pub tries: u32,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(tag = "is", rename_all = "snake_case")]
pub enum ItemProgress {
    #[default]
    Waiting,
    Running {
        run: RunId,
    },
    Skipped,
    Done {
        vars: Map<String, Value>,
    },
    /// The item failed for good, and the lanes go on without it.
    LetBe,
    /// The item failed for good, and fails the run.
    Failed,
}

impl ItemProgress {
    /// Reports whether nothing more is done for the item.
    pub fn is_over(&self) -> bool {
        match self {
            Self::Waiting | Self::Running { .. } => false,
            Self::Skipped | Self::Done { .. } | Self::LetBe | Self::Failed => true,
        }
    }
}

/// The failure that ends the run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LaneFailure {
    pub item: String,
    pub agent: String,
    pub outcome: Status,
    pub why: String,
}

/// A change of the state. `item` is an index into the lane.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "change", rename_all = "snake_case")]
pub enum LanesChange {
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
    /// The item did only part of its work.
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
        failure: LaneFailure,
    },
    /// The lane is over. Its outputs are added to the context.
    Leave {
        outputs: Map<String, Value>,
    },
}

/// The changes of one step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LanesChanges {
    pub to: LanesNode,
    pub changes: Vec<LanesChange>,
}

impl LanesState {
    /// Returns the initial state. `context` holds the inputs and locals.
    pub fn begin(locale: Locale, context: Map<String, Value>) -> Self {
        Self {
            locale,
            node: LanesNode::EnterLane,
            context,
            lane: 0,
            slots: Vec::new(),
            tolerated: Vec::new(),
            failure: None,
            browsing: BTreeSet::new(),
        }
    }

    pub fn apply(&mut self, LanesChanges { to, changes }: LanesChanges) {
        for change in changes {
            self.change(change);
        }
        self.node = to;
    }

    pub fn change(&mut self, change: LanesChange) {
        match change {
            LanesChange::Enter { items, skipped } => {
                self.slots = vec![ItemState::default(); items];
                for item in skipped {
                    self.set_progress(item, ItemProgress::Skipped);
                }
            }
            LanesChange::Start { item, run } => {
                self.set_progress(item, ItemProgress::Running { run });
                if let Some(slot) = self.slots.get_mut(item) {
                    slot.tries += 1;
                }
            }
            LanesChange::Done { item, vars } => self.set_progress(item, ItemProgress::Done { vars }),
            LanesChange::Partly { id } => self.tolerated.push(id),
            LanesChange::Again { item } => self.set_progress(item, ItemProgress::Waiting),
            LanesChange::LetBe { item, id } => {
                self.set_progress(item, ItemProgress::LetBe);
                self.tolerated.push(id);
            }
            LanesChange::Failed { item } => self.set_progress(item, ItemProgress::Failed),
            LanesChange::Fail { failure } => self.failure = Some(failure),
            LanesChange::Leave { outputs } => {
                self.context.extend(outputs);
                self.slots.clear();
                self.lane += 1;
            }
        }
    }

    fn set_progress(&mut self, item: usize, progress: ItemProgress) {
        if let Some(slot) = self.slots.get_mut(item) {
            slot.status = progress;
        }
    }

    /// Returns the child runs that have not ended, as far as the state shows.
    pub fn running_children(&self) -> impl Iterator<Item = &RunId> {
        self.slots.iter().filter_map(|slot| match &slot.status {
            ItemProgress::Running { run } => Some(run),
            ItemProgress::Waiting
            | ItemProgress::Skipped
            | ItemProgress::Done { .. }
            | ItemProgress::LetBe
            | ItemProgress::Failed => None,
        })
    }
}
