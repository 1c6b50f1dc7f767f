//! The execution plan of a graph: the items of each lane in order, with their dependencies.

use crate::agent_spec::types::graph::{CONTEXT, Graph, Item, Lane, MAX_PARALLEL};
use crate::agent_spec::types::spec::AgentSpec;
use crate::programs::lanes::state::LanesState;

/// The lanes of one agent.
#[derive(Clone, Debug)]
pub struct LanePlan {
    pub lanes: Vec<Vec<PlannedItem>>,
    /// Names of the agent's outputs.
    pub outputs: Vec<String>,
    pub max_parallel: usize,
}

#[derive(Clone, Debug)]
pub struct PlannedItem {
    pub item: Item,
    /// Positions in the same lane of the items that this one takes values from (C6).
    pub depends_on: Vec<usize>,
    /// True if the item works in the browser of the run tree, which only one item at a time may drive.
    pub browses: bool,
}

impl LanePlan {
    /// Builds the plan of a composite agent. `browses` reports whether an agent, or one that it calls, drives
    /// the browser.
    pub fn from_spec(spec: &AgentSpec, browses: impl Fn(&str) -> bool) -> Self {
        let none = Graph { max_parallel: None, lanes: Vec::new() };
        let graph = spec.graph.as_ref().unwrap_or(&none);
        Self {
            lanes: graph.lanes.iter().map(|lane| plan_lane(lane, &browses)).collect(),
            outputs: spec.outputs.iter().map(|output| output.name.clone()).collect(),
            max_parallel: graph.max_parallel.unwrap_or(MAX_PARALLEL).max(1),
        }
    }

    /// Returns the share of items that are over, from 0 to 1; `None` if there are no items.
    #[allow(clippy::cast_precision_loss, reason = "lanes have few items")]
    pub fn progress(&self, state: &LanesState) -> Option<f64> {
        let all: usize = self.lanes.iter().map(Vec::len).sum();
        let before: usize = self.lanes.iter().take(state.lane).map(Vec::len).sum();
        let finished = before + state.slots.iter().filter(|slot| slot.status.is_over()).count();
        (all > 0).then(|| finished as f64 / all as f64)
    }
}

/// Plans a lane: items in `ui.order` if every item has one, otherwise in the order of the file (S0.18).
fn plan_lane(lane: &Lane, browses: &impl Fn(&str) -> bool) -> Vec<PlannedItem> {
    let mut items: Vec<Item> = lane.items.clone();
    if items.iter().all(|item| item.ui.is_some()) {
        items.sort_by_key(|item| item.ui.as_ref().map(|ui| ui.order));
    }
    let index_of = |id: &str| items.iter().position(|item| item.id == id);
    let after = |item: &Item| {
        let sources = item.bindings.iter().filter(|binding| binding.from_agent_item_id != CONTEXT);
        let mut after: Vec<usize> =
            sources.filter_map(|binding| index_of(&binding.from_agent_item_id)).collect();
        after.sort_unstable();
        after.dedup();
        after
    };
    let waits: Vec<Vec<usize>> = items.iter().map(after).collect();
    let planned = |(item, after): (Item, Vec<usize>)| PlannedItem {
        browses: browses(&item.agent),
        item,
        depends_on: after,
    };
    items.into_iter().zip(waits).map(planned).collect()
}
