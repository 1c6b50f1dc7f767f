//! Checks the lanes of a composite by themselves: ids, conditions, and bindings that the order of the lanes
//! can satisfy.

use crate::agent_spec::check::{sections, templates};
use crate::agent_spec::mcp_tools::is_callable;
use crate::agent_spec::parse::fault::SpecFault;
use crate::agent_spec::types::graph::{Binding, CONTEXT, Graph, Item, OnError, When};
use crate::agent_spec::types::spec::AgentSpec;
use std::collections::{BTreeMap, BTreeSet};

/// Most items that may run in parallel.
const PARALLEL: usize = 64;
/// Most retries of an item.
const RETRIES: u32 = 100;

/// An item with its path and lane.
pub struct PlacedItem<'g> {
    pub path: String,
    pub lane: usize,
    pub item: &'g Item,
}

pub fn check(spec: &AgentSpec, graph: &Graph, found: &mut Vec<SpecFault>) {
    if graph.max_parallel.is_some_and(|items| !(1..=PARALLEL).contains(&items)) {
        found.push(SpecFault::new("graph.max_parallel", format!("must be from 1 to {PARALLEL}")));
    }
    let placed = placed_items(graph);
    if placed.is_empty() {
        found.push(SpecFault::warning("graph.lanes", "have no items, so nothing is done"));
    }
    let mut lanes: BTreeMap<&str, usize> = BTreeMap::new();
    for PlacedItem { path, lane, item } in &placed {
        check_item(spec, path, item, found);
        if lanes.insert(&item.id, *lane).is_some() {
            let message = format!("\"{}\" must be an id of its own; another item has it", item.id);
            let hint = format!("write {}_2, say, in its bindings too", item.id);
            found.push(SpecFault::new(format!("{path}.id"), message).hint(hint));
        }
    }
    for placed_item in &placed {
        check_bindings(placed_item, &lanes, found);
    }
    check_cycles(&placed, found);
}

pub fn placed_items(graph: &Graph) -> Vec<PlacedItem<'_>> {
    let lanes = graph.lanes.iter().enumerate();
    lanes
        .flat_map(|(lane, items)| {
            let named = move |(index, item)| PlacedItem {
                path: format!("graph.lanes[{lane}].items[{index}]"),
                lane,
                item,
            };
            items.items.iter().enumerate().map(named)
        })
        .collect()
}

fn check_item(spec: &AgentSpec, path: &str, item: &Item, found: &mut Vec<SpecFault>) {
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    if item.id.is_empty() || item.id == CONTEXT || item.id.len() > 64 || !item.id.chars().all(plain) {
        let message = format!("\"{}\" must be letters, digits, _ and -, at most 64", item.id);
        found.push(SpecFault::new(format!("{path}.id"), message));
    }
    if !is_callable(&item.agent) {
        found.push(SpecFault::new(
            format!("{path}.agent"),
            format!("\"{}\" is not an agent name", item.agent),
        ));
    }
    if item.agent == spec.name && item.when.is_none() {
        let message = "calls the agent itself whatever the variables say, so it ends only at a limit";
        found.push(SpecFault::warning(format!("{path}.agent"), message).hint("give the item a `when`"));
    }
    sections::check_seconds(format!("{path}.timeout_s"), item.timeout_s, found);
    if let OnError::Retry { max } = item.on_error
        && !(1..=RETRIES).contains(&max)
    {
        let fault =
            SpecFault::new(format!("{path}.on_error.retry.max"), format!("must be from 1 to {RETRIES}"));
        found.push(fault.hint("leave on_error out to try once"));
    }
    if let Some(when) = &item.when {
        check_when(path, when, found);
    }
}

fn check_when(path: &str, when: &When, found: &mut Vec<SpecFault>) {
    let compared =
        [when.equals.is_some(), when.not_equals.is_some(), when.one_of.is_some(), when.exists.is_some()];
    let comparisons = compared.into_iter().filter(|is_set| *is_set).count();
    let fits = match (&when.var, &when.expr) {
        (Some(_), None) => comparisons == 1,
        (None, Some(_)) => comparisons == 0,
        (Some(_), Some(_)) | (None, None) => false,
    };
    if !fits {
        let message = "must be `var` with one of equals, not_equals, in and exists, or `expr` alone";
        found.push(SpecFault::new(format!("{path}.when"), message));
    }
    for (word, value) in [("equals", &when.equals), ("not_equals", &when.not_equals)] {
        if value.as_ref().is_some_and(|value| value.is_array() || value.is_object()) {
            let message = "must be text, true or false, a number or null";
            found.push(SpecFault::new(format!("{path}.when.{word}"), message));
        }
    }
    if let Some(text) = &when.expr {
        // The existing names depend on the other agents.
        templates::check_expression(&format!("{path}.when.expr"), text, None, found);
    }
}

fn check_bindings(placed_item: &PlacedItem<'_>, lanes: &BTreeMap<&str, usize>, found: &mut Vec<SpecFault>) {
    let (path, item) = (&placed_item.path, placed_item.item);
    let mut bound = BTreeSet::new();
    for (index, binding) in item.bindings.iter().enumerate() {
        let path = format!("{path}.bindings[{index}]");
        found.extend(source_fault(&path, binding, placed_item, lanes));
        if binding.to_agent_item_id != item.id {
            let message = format!("must be the item's own id, \"{}\"", item.id);
            found.push(SpecFault::new(format!("{path}.to_agent_item_id"), message));
        }
        if !bound.insert(&binding.to_var) {
            let message = format!("\"{}\" is bound twice; keep one", binding.to_var);
            found.push(SpecFault::new(format!("{path}.to_var"), message));
        }
    }
}

fn source_fault(
    path: &str,
    binding: &Binding,
    placed_item: &PlacedItem<'_>,
    lanes: &BTreeMap<&str, usize>,
) -> Option<SpecFault> {
    let from = binding.from_agent_item_id.as_str();
    let path = format!("{path}.from_agent_item_id");
    if from == CONTEXT {
        return None;
    }
    if from == placed_item.item.id {
        return Some(SpecFault::new(path, "is the item itself; it cannot wait for its own outputs"));
    }
    match lanes.get(from) {
        None => {
            let message = format!("\"{from}\" is neither {CONTEXT} nor the id of an item");
            Some(SpecFault::new(path, message).hint_name(from, lanes.keys().copied()))
        }
        Some(lane) if *lane > placed_item.lane => {
            let message =
                format!("\"{from}\" is in a later lane, {}; lanes run from left to right", lane + 1);
            Some(
                SpecFault::new(path, message)
                    .hint(format!("move it to lane {} or before", placed_item.lane + 1)),
            )
        }
        Some(_) => None,
    }
}

/// Reports items of a lane that wait for each other in a cycle, once for each cycle.
fn check_cycles(placed: &[PlacedItem<'_>], found: &mut Vec<SpecFault>) {
    let mut left = unorderable_items(placed);
    while let Some(start) = placed.iter().find(|start| left.contains_key(start.item.id.as_str())) {
        let cycle = trace_cycle(&left, &start.item.id);
        let first = placed.iter().find(|other| cycle.first() == Some(&other.item.id.as_str()));
        let message = format!("items of one lane wait for each other: {}", cycle.join(" waits for "));
        let fault = SpecFault::new(format!("{}.bindings", first.unwrap_or(start).path), message);
        found.push(fault.hint("put one of them into a lane of its own"));
        // Items that only wait for the cycle are no separate fault.
        drop_reaching(&mut left, &cycle);
    }
}

/// Returns the items that can never start, with the items of their lane that each waits for: those of a
/// cycle, and those that wait for one.
fn unorderable_items<'a>(placed: &[PlacedItem<'a>]) -> BTreeMap<&'a str, BTreeSet<&'a str>> {
    let mut left: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for waiting in placed {
        let in_lane = |id: &str| placed.iter().any(|other| other.lane == waiting.lane && other.item.id == id);
        let sources = waiting.item.bindings.iter().map(|binding| binding.from_agent_item_id.as_str());
        let sources = sources.filter(|id| *id != waiting.item.id && in_lane(id));
        left.entry(&waiting.item.id).or_default().extend(sources);
    }
    loop {
        let can_start = |sources: &BTreeSet<&str>| sources.iter().all(|id| !left.contains_key(id));
        let free: Vec<&str> =
            left.iter().filter(|(_, sources)| can_start(sources)).map(|(id, _)| *id).collect();
        if free.is_empty() {
            return left;
        }
        for id in free {
            left.remove(id);
        }
    }
}

/// Follows the items that wait for each other, from `start` until an item comes again. Returns the cycle, whose
/// first item is also its last.
fn trace_cycle<'a>(left: &BTreeMap<&'a str, BTreeSet<&'a str>>, start: &'a str) -> Vec<&'a str> {
    let mut path = vec![start];
    while let Some(next) = path.last().and_then(|id| left.get(id)?.iter().find(|id| left.contains_key(*id))) {
        if let Some(at) = path.iter().position(|id| id == next) {
            path.drain(..at);
            path.push(next);
            break;
        }
        path.push(next);
    }
    path
}

/// Removes a cycle and everything that waits for it.
fn drop_reaching(left: &mut BTreeMap<&str, BTreeSet<&str>>, circle: &[&str]) {
    let mut gone: BTreeSet<&str> = circle.iter().copied().collect();
    loop {
        let more: Vec<&str> = left
            .iter()
            .filter(|(id, sources)| !gone.contains(*id) && !sources.is_disjoint(&gone))
            .map(|(id, _)| *id)
            .collect();
        if more.is_empty() {
            break;
        }
        gone.extend(more);
    }
    left.retain(|id, _| !gone.contains(id));
}
