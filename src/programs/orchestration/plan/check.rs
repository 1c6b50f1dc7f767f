//! Checks of a plan before anything starts (S3.12, S3.14): existing agents, unique ids and result keys,
//! templates that name available results, and limits.

use crate::agent_name::ORCHESTRATE;
use crate::agent_spec::template;
use crate::programs::orchestration::plan::parse::PlanFault;
use crate::programs::orchestration::plan::{AgentProperties, AgentStep, OrchestrationPlan, PlanStep};
use crate::programs::orchestration::plan::{RESULT, is_verbatim};
use crate::script::rendering;
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};

/// An agent that a plan names.
#[derive(Clone, Debug, PartialEq)]
pub enum AgentLookupResult {
    Agent(AgentProperties),
    /// The agent's file has errors.
    Faulty,
    Missing,
}

/// Context of the checks.
#[derive(Clone, Copy, Debug)]
pub struct CheckContext<'a> {
    pub bindings: &'a Map<String, Value>,
    pub agents: &'a BTreeMap<String, AgentLookupResult>,
    /// Most agent steps of the whole plan.
    pub most: u32,
    /// True if a planner wrote the plan. Such a plan must not call the orchestrator again (S3.29).
    pub by_planner: bool,
}

/// Returns the names of the agents that the steps call.
pub fn agent_names(steps: &[PlanStep]) -> BTreeSet<String> {
    steps.iter().flat_map(PlanStep::agents).map(|step| step.agent_id.clone()).collect()
}

/// Returns the checked plan, or all faults.
pub fn check_plan(
    steps: Vec<PlanStep>,
    context: CheckContext<'_>,
) -> Result<OrchestrationPlan, Vec<PlanFault>> {
    let mut checking = Checking { context, faults: Vec::new() };
    checking.check_limits(&steps);
    checking.check_unique(&steps, "id", PlanStep::id, |step| &step.id);
    checking.check_unique(&steps, "result_key", PlanStep::result_key, |step| &step.result_key);
    checking.check_steps(&steps);
    if !checking.faults.is_empty() {
        return Err(checking.faults);
    }
    let found = context.agents.iter().filter_map(|(name, found_agent)| match found_agent {
        AgentLookupResult::Agent(facts) => Some((name.clone(), facts.clone())),
        AgentLookupResult::Faulty | AgentLookupResult::Missing => None,
    });
    Ok(OrchestrationPlan { steps, agents: found.collect() })
}

/// Returns a fault if there are too many agent steps (S3.27). Blocks do not count.
pub fn check_step_count(steps: &[PlanStep], most: u32) -> Option<PlanFault> {
    let count: usize = steps.iter().map(|step| step.agents().len()).sum();
    (count > usize::try_from(most).unwrap_or(usize::MAX)).then(|| PlanFault {
        path: String::from("plan.steps"),
        message: format!("has {count} agent steps; `limits.orchestration_steps` allows {most}"),
    })
}

struct Checking<'a> {
    context: CheckContext<'a>,
    faults: Vec<PlanFault>,
}

impl Checking<'_> {
    fn add_fault(&mut self, path: impl Into<String>, message: impl Into<String>) {
        self.faults.push(PlanFault { path: path.into(), message: message.into() });
    }

    fn check_limits(&mut self, steps: &[PlanStep]) {
        self.faults.extend(check_step_count(steps, self.context.most));
        if self.context.bindings.contains_key(RESULT) {
            self.add_fault(
                format!("bindings.{RESULT}"),
                "is reserved for the results of steps; choose another name",
            );
        }
    }

    /// Checks that ids and result keys are unique in the whole plan.
    fn check_unique(
        &mut self,
        steps: &[PlanStep],
        member: &str,
        of_step: fn(&PlanStep) -> &str,
        of_agent: fn(&AgentStep) -> &str,
    ) {
        let mut used_words = BTreeSet::new();
        let mut duplicates = Vec::new();
        for (n, step) in steps.iter().enumerate() {
            let own = [(format!("plan.steps[{n}]"), of_step(step).to_owned())];
            let children = step.block().into_iter().flat_map(|block| block.children.iter().enumerate());
            let children = children
                .map(|(k, child)| (format!("plan.steps[{n}].children[{k}]"), of_agent(child).to_owned()));
            let repeated =
                own.into_iter().chain(children).filter(|(_, word)| !used_words.insert(word.clone()));
            duplicates.extend(repeated.collect::<Vec<_>>());
        }
        for (path, word) in duplicates {
            self.add_fault(format!("{path}.{member}"), format!("`{word}` is used twice"));
        }
    }

    fn check_steps(&mut self, steps: &[PlanStep]) {
        let all: BTreeSet<&str> = steps.iter().flat_map(keys).collect();
        let mut earlier_keys: BTreeSet<&str> = BTreeSet::new();
        for (n, step) in steps.iter().enumerate() {
            let path = format!("plan.steps[{n}]");
            match step {
                PlanStep::Agent(agent) => self.check_agent(&path, agent, &earlier_keys, &all),
                PlanStep::Parallel(block) => {
                    for (k, child) in block.children.iter().enumerate() {
                        self.check_agent(&format!("{path}.children[{k}]"), child, &earlier_keys, &all);
                    }
                }
            }
            earlier_keys.extend(keys(step));
        }
    }

    fn check_agent(
        &mut self,
        path: &str,
        step: &AgentStep,
        earlier_keys: &BTreeSet<&str>,
        all: &BTreeSet<&str>,
    ) {
        let name = &step.agent_id;
        let agent_path = format!("{path}.agent_id");
        match self.context.agents.get(name) {
            _ if self.context.by_planner && name == ORCHESTRATE => {
                self.add_fault(
                    agent_path,
                    "a plan that was made of a prompt may not call the orchestrator again",
                );
            }
            Some(AgentLookupResult::Agent(facts)) if step.retry > 0 && !facts.repeatable => {
                let why =
                    "may do twice what must be done once; leave `retry` out, or say `idempotent: true` in";
                self.add_fault(format!("{path}.retry"), format!("`{name}` {why} its file"));
            }
            Some(AgentLookupResult::Agent(_)) => {}
            Some(AgentLookupResult::Faulty) => {
                self.add_fault(agent_path, format!("the file of agent `{name}` has errors; fix it"))
            }
            Some(AgentLookupResult::Missing) | None => {
                self.add_fault(agent_path, format!("there is no agent `{name}`"));
            }
        }
        if let Some(prompt) = &step.prompt {
            self.check_template(&format!("{path}.prompt"), prompt, earlier_keys, all);
        }
        for (name, value) in step.with.iter().filter(|(name, _)| !is_verbatim(step, name)) {
            self.check_templates(&format!("{path}.with.{name}"), value, earlier_keys, all);
        }
    }

    fn check_templates(
        &mut self,
        path: &str,
        value: &Value,
        earlier_keys: &BTreeSet<&str>,
        all: &BTreeSet<&str>,
    ) {
        match value {
            Value::String(text) => self.check_template(path, text, earlier_keys, all),
            Value::Array(items) => {
                for (n, item) in items.iter().enumerate() {
                    self.check_templates(&format!("{path}[{n}]"), item, earlier_keys, all);
                }
            }
            Value::Object(map) => {
                for (name, value) in map {
                    self.check_templates(&format!("{path}.{name}"), value, earlier_keys, all);
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    /// Checks that a template can be parsed and names no result that is not available yet.
    fn check_template(
        &mut self,
        path: &str,
        text: &str,
        earlier_keys: &BTreeSet<&str>,
        all: &BTreeSet<&str>,
    ) {
        if !rendering::is_template(text) {
            return;
        }
        if let Err(fault) = template::check(text) {
            return self.add_fault(path, format!("is a template that cannot be read: {fault}"));
        }
        for reference in template::paths(text) {
            let Some(key) = reference.strip_prefix("result.").and_then(|rest| rest.split('.').next()) else {
                continue;
            };
            if earlier_keys.contains(key) {
                continue;
            }
            let message = if all.contains(key) {
                format!(
                    "names `result.{key}`, which no earlier step returns: it comes later, or beside this one"
                )
            } else {
                format!("names `result.{key}`, which no step returns")
            };
            self.add_fault(path, message);
        }
    }
}

/// Returns the result keys of a step.
fn keys(step: &PlanStep) -> Vec<&str> {
    let children = step.block().into_iter().flat_map(|block| &block.children);
    let children = children.map(|child| child.result_key.as_str());
    [step.result_key()].into_iter().chain(children).collect()
}
