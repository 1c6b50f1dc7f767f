//! Checks references to other agents: that they exist, that required inputs are bound, and that the types
//! match.

use crate::agent_spec::agent_lookup::{AgentLookup, is_agent_name};
use crate::agent_spec::check::lanes::{PlacedItem, placed_items};
use crate::agent_spec::check::templates::OF_CONVERSATIONS;
use crate::agent_spec::check::variable_types::{article, fits, type_of_value, type_of_variable};
use crate::agent_spec::check::{secrets, templates};
use crate::agent_spec::parse::fault::SpecFault;
use crate::agent_spec::types::graph::{Binding, CONTEXT, When};
use crate::agent_spec::types::spec::AgentSpec;
use crate::agent_spec::types::tool_ref::ToolRef;
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The variables available at one place, with their possible types.
#[derive(Clone, Debug, Default)]
struct Scope {
    variables: BTreeMap<String, Vec<String>>,
    /// True if unknown agents may add further variables.
    open: bool,
}

struct ReferenceCheck<'f> {
    own: &'f AgentSpec,
    /// Called agents by name; `None` for an agent that does not exist.
    agents: BTreeMap<&'f str, Option<Arc<AgentSpec>>>,
    items: Vec<PlacedItem<'f>>,
}

pub fn check(spec: &AgentSpec, others: &dyn AgentLookup, found: &mut Vec<SpecFault>) {
    check_uses(spec, others, found);
    let Some(graph) = &spec.graph else { return };
    let items = placed_items(graph);
    let known = |name: &str| {
        if name == spec.name { Some(Arc::new(spec.clone())) } else { others.agent(name) }
    };
    let agents = items.iter().map(|placed| (placed.item.agent.as_str(), known(&placed.item.agent))).collect();
    let flow = ReferenceCheck { own: spec, agents, items };
    let names = others.names();
    for placed in &flow.items {
        if let Some(tool) = ToolRef::read(&placed.item.agent) {
            found.extend(missing_tool(format!("{}.agent", placed.path), &tool, others));
        }
        flow.check_item(placed, &names, found);
    }
    flow.check_outputs(found);
}

fn check_uses(spec: &AgentSpec, others: &dyn AgentLookup, found: &mut Vec<SpecFault>) {
    let llm = spec.llm.iter().map(|llm| ("llm.uses", &llm.uses));
    let browser = spec.browser.iter().map(|browser| ("browser.uses", &browser.uses));
    for (path, uses) in llm.chain(browser) {
        for (index, name) in uses.iter().enumerate() {
            if let Some(tool) = ToolRef::read(name) {
                found.extend(missing_tool(format!("{path}[{index}]"), &tool, others));
            } else if is_agent_name(name) && *name != spec.name && others.agent(name).is_none() {
                found.push(unknown_agent(format!("{path}[{index}]"), name, &others.names()));
            }
        }
    }
}

fn missing_tool(path: String, tool: &ToolRef, others: &dyn AgentLookup) -> Option<SpecFault> {
    let missing = others.missing_tool(tool)?;
    let names = missing.names.iter().map(String::as_str);
    Some(SpecFault::new(path, missing.message.clone()).hint_name(&missing.named, names))
}

fn unknown_agent(path: String, name: &str, names: &[String]) -> SpecFault {
    if names.iter().any(|known| known == name) {
        return SpecFault::new(path, format!("the agent \"{name}\" has errors of its own"))
            .hint("fix it first");
    }
    SpecFault::new(path, format!("there is no agent \"{name}\""))
        .hint_name(name, names.iter().map(String::as_str))
}

impl ReferenceCheck<'_> {
    fn agent(&self, placed: &PlacedItem<'_>) -> Option<&AgentSpec> {
        self.agents.get(placed.item.agent.as_str())?.as_deref()
    }

    fn check_item(&self, placed: &PlacedItem<'_>, names: &[String], found: &mut Vec<SpecFault>) {
        let context = self.context(placed.lane);
        if let Some(when) = &placed.item.when {
            check_when(&placed.path, when, &context, found);
        }
        let Some(agent) = self.agent(placed) else {
            if is_agent_name(&placed.item.agent) {
                found.push(unknown_agent(format!("{}.agent", placed.path), &placed.item.agent, names));
            }
            return;
        };
        for (index, binding) in placed.item.bindings.iter().enumerate() {
            let path = format!("{}.bindings[{index}]", placed.path);
            let target = check_target(&path, binding, agent, found);
            self.check_source(&path, binding, &context, target, found);
            secrets::check_handed(&path, binding, self.own, agent, found);
        }
        for input in agent.inputs.iter().filter(|input| input.is_required()) {
            if !placed.item.bindings.iter().any(|binding| binding.to_var == input.name) {
                let message =
                    format!("leaves the input \"{}\" of {} without a value", input.name, agent.name);
                let fault = SpecFault::new(placed.path.clone(), message);
                found.push(fault.hint(binding_for(&input.name, &placed.item.id, &context)));
            }
        }
    }

    /// Returns the variables that `__CTX__` and `when` see in a lane: the context when the lane starts.
    fn context(&self, lane: usize) -> Scope {
        let mut scope = Scope::default();
        for input in &self.own.inputs {
            scope.add(&input.name, type_of_variable(input));
        }
        for local in &self.own.locals {
            scope.add(&local.name, type_of_value(&local.value));
        }
        for placed in self.items.iter().filter(|placed| placed.lane < lane) {
            match self.agent(placed) {
                None => scope.open = true,
                Some(agent) => {
                    for output in &agent.outputs {
                        scope.add(&output.name, type_of_variable(output));
                        scope.add(&format!("{}.{}", placed.item.id, output.name), type_of_variable(output));
                    }
                }
            }
        }
        scope
    }

    fn check_source(
        &self,
        path: &str,
        binding: &Binding,
        context: &Scope,
        target: Option<&str>,
        found: &mut Vec<SpecFault>,
    ) {
        let from = binding.from_agent_item_id.as_str();
        let (scope, whose) = if from == CONTEXT {
            (context.clone(), String::from("the context here"))
        } else {
            let Some(source) = self.items.iter().find(|placed| placed.item.id == from) else { return };
            let Some(agent) = self.agent(source) else { return };
            let mut scope = Scope::default();
            agent.outputs.iter().for_each(|output| scope.add(&output.name, type_of_variable(output)));
            (scope, format!("the outputs of {}", agent.name))
        };
        let name = &binding.from_var;
        let Some(kinds) = scope.variables.get(name) else {
            if !scope.open {
                let fault =
                    SpecFault::new(format!("{path}.from_var"), format!("\"{name}\" is not among {whose}"));
                found.push(fault.hint_name(name, scope.variables.keys().map(String::as_str)));
            }
            return;
        };
        let Some(target) = target else { return };
        if !kinds.iter().any(|kind| fits(kind, target)) {
            let actual = kinds.first().map_or("any", String::as_str);
            let message =
                format!("gives {}, and {} takes {}", article(actual), binding.to_var, article(target));
            let hint = format!("bind {}, or change one of the types", article(target));
            found.push(SpecFault::new(path, message).hint(hint));
        }
    }

    /// Checks that some item produces each output.
    fn check_outputs(&self, found: &mut Vec<SpecFault>) {
        let scope = self.context(usize::MAX);
        for (index, output) in self.own.outputs.iter().enumerate() {
            let path = format!("outputs[{index}].name");
            match scope.variables.get(&output.name) {
                None if !scope.open => {
                    let message = format!("\"{}\" is made by no item", output.name);
                    let names = scope.variables.keys().map(String::as_str).filter(|name| !name.contains('.'));
                    found.push(SpecFault::new(path, message).hint_name(&output.name, names));
                }
                Some(kinds) if !kinds.iter().any(|kind| fits(kind, type_of_variable(output))) => {
                    let actual = kinds.first().map_or("any", String::as_str);
                    let message = format!(
                        "is {}, and its items make {}",
                        article(type_of_variable(output)),
                        article(actual)
                    );
                    found.push(SpecFault::new(format!("outputs[{index}].type"), message));
                }
                Some(_) | None => {}
            }
        }
    }
}

impl Scope {
    fn add(&mut self, name: &str, kind: &str) {
        self.variables.entry(name.to_owned()).or_default().push(kind.to_owned());
    }
}

/// Checks that the target of a binding is an input, and returns the input's type.
fn check_target<'a>(
    path: &str,
    binding: &Binding,
    agent: &'a AgentSpec,
    found: &mut Vec<SpecFault>,
) -> Option<&'a str> {
    let name = binding.to_var.as_str();
    if let Some(input) = agent.inputs.iter().find(|input| input.name == name) {
        return Some(type_of_variable(input));
    }
    if agent.browser.is_some() && OF_CONVERSATIONS.contains(&name) {
        return Some("string");
    }
    let message = format!("\"{name}\" is not an input of {}", agent.name);
    let names = agent.inputs.iter().map(|input| input.name.as_str());
    found.push(SpecFault::new(format!("{path}.to_var"), message).hint_name(name, names));
    None
}

/// Renders the missing binding as a hint.
fn binding_for(input: &str, id: &str, context: &Scope) -> String {
    let from = if context.variables.contains_key(input) { input } else { "…" };
    format!(
        "add to its bindings {{from_agent_item_id: {CONTEXT}, from_var: {from}, to_agent_item_id: {id}, to_var: {input}}}"
    )
}

fn check_when(path: &str, when: &When, context: &Scope, found: &mut Vec<SpecFault>) {
    if let Some(text) = &when.expr {
        let names = context.variables.keys().map(String::as_str).filter(|name| !name.contains('.')).collect();
        let mut faults = Vec::new();
        templates::check_expression(
            &format!("{path}.when.expr"),
            text,
            (!context.open).then_some(&names),
            &mut faults,
        );
        // `lanes` has already reported syntax errors.
        faults.retain(|fault| fault.message.starts_with("asks for"));
        for fault in &mut faults {
            fault.message = fault
                .message
                .replace("not an input or local value of the agent", "in no lane before this one");
        }
        found.extend(faults);
    }
    let Some(name) = &when.var else { return };
    let Some(kinds) = context.variables.get(name) else {
        if !context.open {
            let message = format!("\"{name}\" is made by nothing before this lane, so it is null here");
            let names = context.variables.keys().map(String::as_str);
            found.push(SpecFault::warning(format!("{path}.when.var"), message).hint_name(name, names));
        }
        return;
    };
    let compared = [("equals", when.equals.iter()), ("not_equals", when.not_equals.iter())];
    let allowed = ("in", when.one_of.as_deref().unwrap_or_default().iter());
    for (word, value) in
        compared.into_iter().flat_map(|(word, values)| values.map(move |value| (word, value)))
    {
        check_compared(&format!("{path}.when.{word}"), name, value, kinds, found);
    }
    for (index, value) in allowed.1.enumerate() {
        check_compared(&format!("{path}.when.{}[{index}]", allowed.0), name, value, kinds, found);
    }
}

fn check_compared(path: &str, name: &str, value: &Value, kinds: &[String], found: &mut Vec<SpecFault>) {
    let actual = type_of_value(value);
    // 3.0 equals the integer 3.
    let alike = |kind: &String| fits(actual, kind) || fits(kind, actual);
    if kinds.iter().any(alike) {
        return;
    }
    let kind = kinds.first().map_or("any", String::as_str);
    let message = format!("is {}, and {name} is {}, so they are never equal", article(actual), article(kind));
    let fault = SpecFault::new(path, message);
    let quoted =
        value.as_str().is_some_and(|text| ["true", "false"].contains(&text) || text.parse::<f64>().is_ok());
    found.push(if quoted { fault.hint("write it without quotes") } else { fault });
}
