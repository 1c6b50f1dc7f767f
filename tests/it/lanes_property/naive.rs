//! Lanes by the words of docs/agents.md and of the decisions, as one recursive function over the files:
//! no step, no store, nothing of `src/programs/lanes`. What depends on who is quicker is told as a set of
//! possibilities (`Told::outcomes`, `Ran::surely`), or as `Naive::open`.

use super::atoms;
use super::cases::{DEPTH, TOTAL};
use askfirst::agent_spec::types::graph::{Item, OnError};
use askfirst::agent_spec::types::spec::{AgentSpec, Kind};
use askfirst::protocol::Status;
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};

type Vars = Map<String, Value>;
/// Outputs of an item and whether they are complete, or the ways in which it may have failed.
type Worked = Result<(Vars, bool), BTreeSet<&'static str>>;

/// A run as it must have gone.
#[derive(Clone, Debug)]
pub struct ExpectedRun {
    pub agent: String,
    /// Possible outcomes; more than one only where items failed side by side.
    pub outcomes: BTreeSet<&'static str>,
    pub vars: Vars,
    /// The items of the lanes that were reached.
    pub items: Vec<Ran>,
}

#[derive(Clone, Debug)]
pub struct Ran {
    pub id: String,
    pub skipped: bool,
    /// Runs of the item, one a try.
    pub tries: Vec<ExpectedRun>,
    /// True if it ran to its end in any order of events; otherwise it may have been stopped, or not begun.
    pub surely: bool,
}

pub struct Naive<'s> {
    specs: BTreeMap<&'s str, &'s AgentSpec>,
    /// The composites under way, from the root: how many runs each has below itself.
    above: Vec<Above>,
    /// True if the order of events decides the result: then only bounds can be checked.
    pub open: bool,
    /// Runs below the root.
    pub runs: u64,
}

struct Above {
    below: u64,
    steps: u64,
    depth: usize,
    side_by_side: bool,
    /// Items below were stopped, nobody knows how many had begun.
    vague: bool,
}

/// Status of an item of a lane.
enum Stand {
    Waits,
    Done(Vars),
    Without,
}

impl<'s> Naive<'s> {
    pub fn new(specs: &'s [AgentSpec]) -> Self {
        let specs = specs.iter().map(|spec| (spec.name.as_str(), spec)).collect();
        Self { specs, above: Vec::new(), open: false, runs: 0 }
    }

    /// The run of an agent with this input, called for the given time at its place.
    pub fn run(&mut self, agent: &str, input: &Vars, tried: usize) -> ExpectedRun {
        let root = self.above.is_empty();
        if !root && self.is_one_too_many() {
            return ended(agent, Status::Exhausted, Vars::new());
        }
        let Some(spec) = self.specs.get(agent).copied() else {
            return ended(agent, Status::Failed, Vars::new());
        };
        let Some(context) = completed(spec, input) else {
            return ended(agent, Status::Blocked, Vars::new());
        };
        if spec.kind == Kind::Atomic {
            let (outcome, vars) = atoms::made(agent, &context["p"], &context["q"], tried);
            return ended(agent, outcome, vars);
        }
        let here = self.above.len();
        if self.above.iter().any(|above| here > above.depth) {
            return ended(agent, Status::Exhausted, Vars::new());
        }
        let (limits, graph) = (spec.limits.as_ref(), spec.graph.as_ref().unwrap());
        let own = limits.and_then(|limits| limits.depth).map_or(DEPTH, |own| own.min(DEPTH)) as usize;
        self.above.push(Above {
            below: 0,
            steps: limits.and_then(|limits| limits.total_steps).unwrap_or(TOTAL).min(TOTAL),
            depth: here + own,
            side_by_side: graph.max_parallel != Some(1),
            vague: false,
        });
        let expected = self.lanes(spec, context);
        self.above.pop();
        expected
    }

    /// Counts a call at all who stand above it. Whom a limit meets is certain only where all that has the
    /// limit goes one by one.
    fn is_one_too_many(&mut self) -> bool {
        self.runs += 1;
        let mut beyond = false;
        for position in 0..self.above.len() {
            self.above[position].below += 1;
            if self.above[position].below > self.above[position].steps {
                beyond = true;
                let within = &self.above[position..];
                self.open |= self.above[position].vague || within.iter().any(|one| one.side_by_side);
            }
        }
        beyond
    }

    fn lanes(&mut self, spec: &AgentSpec, mut context: Vars) -> ExpectedRun {
        let graph = spec.graph.as_ref().unwrap();
        let mut items = Vec::new();
        let mut partial = false;
        for lane in &graph.lanes {
            let mut order: Vec<&Item> = lane.items.iter().collect();
            if order.iter().all(|item| item.ui.is_some()) {
                order.sort_by_key(|item| item.ui.as_ref().unwrap().order);
            }
            let lane = self.lane(&order, &context, graph.max_parallel == Some(1));
            items.extend(lane.items);
            if !lane.failures.is_empty() {
                return ExpectedRun { outcomes: lane.failures, ..whole(spec, &context, items) };
            }
            partial |= lane.partial;
            context.extend(lane.outputs);
        }
        let outcome = if partial { Status::Partial } else { Status::Succeeded };
        ExpectedRun { outcomes: BTreeSet::from([outcome.word()]), ..whole(spec, &context, items) }
    }

    fn lane(&mut self, order: &[&Item], context: &Vars, one_by_one: bool) -> Lane {
        let mut lane = Lane::default();
        let mut stands: Vec<Stand> = Vec::new();
        for item in order {
            let mut ran = Ran { id: item.id.clone(), skipped: false, tries: Vec::new(), surely: true };
            let stand = match holds(item, context) {
                Some(true) => Stand::Waits,
                Some(false) => {
                    ran.skipped = true;
                    Stand::Without
                }
                None => {
                    lane.unsuccessful(item, Status::Failed.word());
                    Stand::Without
                }
            };
            stands.push(stand);
            lane.items.push(ran);
        }
        if !lane.failures.is_empty() {
            return lane;
        }
        // Items that a failure ends with the lane, in the order in which they would begin.
        let mut fatal = BTreeSet::new();
        loop {
            let ready = |position: &usize| {
                matches!(stands[*position], Stand::Waits)
                    && !fatal.contains(position)
                    && self
                        .waits_for(order, *position)
                        .iter()
                        .all(|other| !matches!(stands[*other], Stand::Waits))
            };
            let Some(position) = (0..order.len()).find(ready) else {
                let stuck = (0..order.len()).find(|position| matches!(stands[*position], Stand::Waits));
                match stuck.filter(|_| fatal.is_empty()) {
                    Some(stuck) => {
                        lane.unsuccessful(order[stuck], Status::Failed.word());
                        if !lane.failures.is_empty() {
                            break;
                        }
                        stands[stuck] = Stand::Without;
                        continue;
                    }
                    None => break,
                }
            };
            let item = order[position];
            let input = inputs(item, order, &stands, context);
            let (tries, last) = self.tries(item, &input);
            lane.items[position].tries = tries;
            match last {
                Ok((vars, partial)) => {
                    lane.partial |= partial;
                    stands[position] = Stand::Done(vars);
                }
                Err(outcomes) => {
                    outcomes.iter().for_each(|outcome| lane.unsuccessful(item, outcome));
                    match item.on_error {
                        OnError::Continue => stands[position] = Stand::Without,
                        OnError::Fail | OnError::Retry { .. } if one_by_one => return lane,
                        OnError::Fail | OnError::Retry { .. } => drop(fatal.insert(position)),
                    }
                }
            }
        }
        if lane.failures.is_empty() {
            lane.outputs = merged(order, stands);
        } else {
            // The first failure stops all other items of the tree.
            lane.items.iter_mut().for_each(|ran| ran.surely = ran.skipped);
            self.above.iter_mut().for_each(|above| above.vague = true);
        }
        lane
    }

    /// Runs an item until it works or may not be tried again.
    fn tries(&mut self, item: &Item, input: &Vars) -> (Vec<ExpectedRun>, Worked) {
        let mut tries = Vec::new();
        loop {
            let expected = self.run(&item.agent, input, tries.len() + 1);
            tries.push(expected.clone());
            let worked = |word: &str| word == "succeeded" || word == "partial";
            if expected.outcomes.iter().any(|word| worked(word)) {
                let partial = expected.outcomes.contains("partial");
                return (tries, Ok((expected.vars, partial)));
            }
            let most = match item.on_error {
                OnError::Retry { max } => max as usize + 1,
                OnError::Fail | OnError::Continue => 1,
            };
            // These outcomes come from a person, a limit or the input.
            let for_good = |word: &&&str| matches!(**word, "cancelled" | "denied" | "exhausted" | "blocked");
            let for_good = expected.outcomes.iter().filter(for_good).count();
            if most > 1 && for_good > 0 && for_good < expected.outcomes.len() {
                self.open = true;
            }
            if tries.len() >= most || for_good > 0 {
                return (tries, Err(expected.outcomes));
            }
        }
    }

    /// Places in its lane of those that it takes from.
    fn waits_for(&self, order: &[&Item], position: usize) -> Vec<usize> {
        let sources = order[position].bindings.iter().map(|binding| binding.from_agent_item_id.as_str());
        sources.filter_map(|id| order.iter().position(|other| other.id == id)).collect()
    }
}

#[derive(Default)]
struct Lane {
    items: Vec<Ran>,
    outputs: Vars,
    partial: bool,
    failures: BTreeSet<&'static str>,
}

impl Lane {
    /// Records a final failure: its tries are over.
    fn unsuccessful(&mut self, item: &Item, outcome: &'static str) {
        if item.on_error == OnError::Continue {
            self.partial = true;
        } else {
            self.failures.insert(outcome);
        }
    }
}

fn ended(agent: &str, outcome: Status, vars: Vars) -> ExpectedRun {
    ExpectedRun {
        agent: agent.to_owned(),
        outcomes: BTreeSet::from([outcome.word()]),
        vars,
        items: Vec::new(),
    }
}

/// Outputs of a composite: the values of its declared outputs in its context.
fn whole(spec: &AgentSpec, context: &Vars, items: Vec<Ran>) -> ExpectedRun {
    let found = |name: &String| context.get(name).map(|value| (name.clone(), value.clone()));
    let vars = spec.outputs.iter().filter_map(|output| found(&output.name)).collect();
    ExpectedRun { agent: spec.name.clone(), outcomes: BTreeSet::new(), vars, items }
}

/// Inputs with defaults, over the locals; none if something is missing or of the wrong type.
fn completed(spec: &AgentSpec, input: &Vars) -> Option<Vars> {
    let mut context: Vars =
        spec.locals.iter().map(|local| (local.name.clone(), local.value.clone())).collect();
    context.extend(input.clone());
    for variable in &spec.inputs {
        match input.get(&variable.name) {
            // The only type that these files name, of a variable that may be null.
            Some(value) if variable.of.is_some() && !integer(value) => return None,
            Some(_) => {}
            None if variable.required == Some(true) => return None,
            None => {
                context.insert(variable.name.clone(), variable.default.clone().unwrap_or(Value::Null));
            }
        }
    }
    Some(context)
}

fn integer(value: &Value) -> bool {
    value.is_null() || value.is_i64() || *value == json!(1.0)
}

fn inputs(item: &Item, order: &[&Item], stands: &[Stand], context: &Vars) -> Vars {
    let mut input = Vars::new();
    for binding in &item.bindings {
        let from = &binding.from_agent_item_id;
        let near = order.iter().position(|other| other.id == *from);
        let found = match near.map(|position| &stands[position]) {
            Some(Stand::Done(vars)) => vars.get(&binding.from_var),
            Some(Stand::Waits | Stand::Without) => None,
            None if from == "__CTX__" => context.get(&binding.from_var),
            None => context.get(&format!("{from}.{}", binding.from_var)),
        };
        if let Some(value) = found {
            input.insert(binding.to_var.clone(), value.clone());
        }
    }
    if let Some(locale) = context.get("locale") {
        input.insert(String::from("locale"), locale.clone());
    }
    input
}

/// In item order, so that the later of the same name wins; and by the item, too.
fn merged(order: &[&Item], stands: Vec<Stand>) -> Vars {
    let mut outputs = Vars::new();
    for (item, stand) in order.iter().zip(stands) {
        let Stand::Done(vars) = stand else { continue };
        for (name, value) in vars {
            outputs.insert(format!("{}.{name}", item.id), value.clone());
            outputs.insert(name, value);
        }
    }
    outputs
}

/// True if an item runs; `None` where that cannot be known.
fn holds(item: &Item, context: &Vars) -> Option<bool> {
    let Some(when) = &item.when else { return Some(true) };
    if let Some(expression) = &when.expr {
        return true_of(expression, context);
    }
    let value = context.get(when.var.as_ref().unwrap()).unwrap_or(&Value::Null);
    if let Some(exists) = when.exists {
        return Some(exists != value.is_null());
    }
    if let Some(others) = &when.one_of {
        return Some(others.iter().any(|other| alike(value, other)));
    }
    if let Some(other) = &when.equals {
        return Some(alike(value, other));
    }
    Some(!alike(value, when.not_equals.as_ref().unwrap()))
}

fn alike(one: &Value, other: &Value) -> bool {
    one == other || (one.is_number() && other.is_number() && one.as_f64() == other.as_f64())
}

/// The expressions of `cases::expression`; an unknown name, or what is neither true nor false, is none.
fn true_of(text: &str, context: &Vars) -> Option<bool> {
    if let Some((left, right)) = text.split_once(" or ") {
        return if true_of(left, context)? { Some(true) } else { true_of(right, context) };
    }
    if let Some((left, right)) = text.split_once(" and ") {
        return if true_of(left, context)? { true_of(right, context) } else { Some(false) };
    }
    if let Some(rest) = text.strip_prefix("not ") {
        return true_of(rest, context).map(|holds| !holds);
    }
    if let Some(name) = text.strip_suffix(" is defined") {
        return Some(context.contains_key(name));
    }
    for (sign, wanted) in [(" == ", true), (" != ", false)] {
        if let Some((name, literal)) = text.split_once(sign) {
            let literal: Value = serde_json::from_str(&literal.replace('\'', "\"")).unwrap();
            return Some((alike(context.get(name)?, &literal)) == wanted);
        }
    }
    context.get(text)?.as_bool()
}
