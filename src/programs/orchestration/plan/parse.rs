//! Parsing of a plan from JSON (S3.12); every fault has its path in the plan. A null counts as absent, since
//! models with strict schemas write all members.

use crate::agent_name::canonical;
use crate::programs::orchestration::plan::{AgentStep, MergeStrategy, ParallelStep, PlanStep};
use crate::text::invisible_chars;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// A fault of a plan and its path.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlanFault {
    pub path: String,
    pub message: String,
}

const AGENT_MEMBERS: [&str; 9] =
    ["id", "type", "agent_id", "action_id", "prompt", "with", "result_key", "timeout_ms", "retry"];
const PARALLEL_MEMBERS: [&str; 7] =
    ["id", "type", "children", "max_concurrency", "merge_strategy", "quorum", "result_key"];
/// Longest id or key, in characters.
const MAX_ID_CHARS: usize = 64;
/// Most further attempts of one step.
const MAX_RETRIES: u64 = 10;

/// Returns the steps of a plan, or all faults of its structure.
pub fn steps(plan: &Value) -> Result<Vec<PlanStep>, Vec<PlanFault>> {
    let mut reading = PlanParser::default();
    let steps = reading.read_plan(plan);
    if reading.faults.is_empty() { Ok(steps) } else { Err(reading.faults) }
}

#[derive(Default)]
struct PlanParser {
    faults: Vec<PlanFault>,
}

impl PlanParser {
    fn add_fault(&mut self, path: impl Into<String>, message: impl Into<String>) {
        self.faults.push(PlanFault { path: path.into(), message: message.into() });
    }

    fn read_plan(&mut self, plan: &Value) -> Vec<PlanStep> {
        let Some(members) = self.read_members("plan", plan, &["steps"]) else { return Vec::new() };
        match members.get("steps") {
            Some(Value::Array(steps)) if !steps.is_empty() => {
                let each = steps.iter().enumerate();
                each.filter_map(|(n, step)| self.read_step(&format!("plan.steps[{n}]"), n, step)).collect()
            }
            Some(Value::Array(_)) => self.fail_with_none("plan.steps", "there is no step in it"),
            _ => self.fail_with_none("plan.steps", "a list of steps is missing"),
        }
    }

    fn fail_with_none<T>(&mut self, path: &str, message: &str) -> Vec<T> {
        self.add_fault(path, message);
        Vec::new()
    }

    fn read_step(&mut self, path: &str, n: usize, step: &Value) -> Option<PlanStep> {
        let id = format!("step_{}", n + 1);
        let word = step.get("type").filter(|word| !word.is_null());
        let parallel = match word.map(|word| word.as_str().unwrap_or_default()) {
            Some("agent") => false,
            Some("parallel") => true,
            None if step.is_object() => step.get("children").is_some_and(|children| !children.is_null()),
            None => false,
            Some(_) => {
                self.add_fault(format!("{path}.type"), "must be \"agent\" or \"parallel\"");
                return None;
            }
        };
        if parallel {
            self.read_block(path, &id, step).map(PlanStep::Parallel)
        } else {
            self.read_agent_step(path, &id, step).map(PlanStep::Agent)
        }
    }

    fn read_block(&mut self, path: &str, id: &str, step: &Value) -> Option<ParallelStep> {
        let members = self.read_members(path, step, &PARALLEL_MEMBERS)?;
        let id = self.read_id(path, &members, "id").unwrap_or_else(|| id.to_owned());
        let children_path = format!("{path}.children");
        let children: Vec<AgentStep> = match members.get("children") {
            Some(Value::Array(children)) if !children.is_empty() => {
                let each = children.iter().enumerate();
                each.filter_map(|(n, child)| {
                    self.read_agent_step(&format!("{children_path}[{n}]"), &format!("{id}_{}", n + 1), child)
                })
                .collect()
            }
            _ => self.fail_with_none(&children_path, "a list of agent steps is missing"),
        };
        let merge = self.read_merge_strategy(path, &members, children.len());
        let max = self.read_integer(path, &members, "max_concurrency", 1, u64::MAX);
        let result_key = self.read_id(path, &members, "result_key").unwrap_or_else(|| id.clone());
        let max_concurrency = max.map(|max| usize::try_from(max).unwrap_or(usize::MAX));
        Some(ParallelStep { id, children, max_concurrency, merge, result_key })
    }

    fn read_merge_strategy(
        &mut self,
        path: &str,
        members: &Map<String, Value>,
        children: usize,
    ) -> MergeStrategy {
        let most = u64::try_from(children.max(1)).unwrap_or(u64::MAX);
        let quorum = self.read_integer(path, members, "quorum", 1, most);
        let merge = match members.get("merge_strategy").map(|word| word.as_str().unwrap_or_default()) {
            None | Some("collect") => MergeStrategy::Collect,
            Some("first_success") => MergeStrategy::FirstSuccess,
            Some("race") => MergeStrategy::Race,
            Some("best_effort") => MergeStrategy::BestEffort,
            Some("quorum") => {
                if !members.contains_key("quorum") {
                    self.add_fault(format!("{path}.quorum"), "how many have to succeed is missing");
                }
                return MergeStrategy::Quorum(usize::try_from(quorum.unwrap_or(1)).unwrap_or(usize::MAX));
            }
            Some(_) => {
                let message = format!("must be one of {}", MergeStrategy::WORDS.join(", "));
                self.add_fault(format!("{path}.merge_strategy"), message);
                MergeStrategy::Collect
            }
        };
        if members.contains_key("quorum") {
            self.add_fault(format!("{path}.quorum"), "belongs to `merge_strategy`: \"quorum\"");
        }
        merge
    }

    fn read_agent_step(&mut self, path: &str, id: &str, step: &Value) -> Option<AgentStep> {
        if step.get("type").is_some_and(|word| word == "parallel") {
            self.add_fault(
                format!("{path}.type"),
                "stands side by side with others itself: only agent steps do",
            );
            return None;
        }
        let members = self.read_members(path, step, &AGENT_MEMBERS)?;
        let id = self.read_id(path, &members, "id").unwrap_or_else(|| id.to_owned());
        let agent_id = self.read_text(path, &members, "agent_id").unwrap_or_default();
        if agent_id.is_empty() {
            self.add_fault(format!("{path}.agent_id"), "the agent's name is missing");
        }
        Some(AgentStep {
            agent_id: canonical(&agent_id).to_owned(),
            action_id: self.read_text(path, &members, "action_id"),
            prompt: self.read_text(path, &members, "prompt"),
            with: self.read_inputs(path, &members),
            result_key: self.read_id(path, &members, "result_key").unwrap_or_else(|| id.clone()),
            timeout_ms: self.read_integer(path, &members, "timeout_ms", 1, u64::MAX),
            retry: self.read_retry(path, &members),
            id,
        })
    }

    /// Reads the inputs: a map, or a list of `{name, value}`.
    fn read_inputs(&mut self, path: &str, members: &Map<String, Value>) -> Map<String, Value> {
        let with_path = format!("{path}.with");
        let pairs = match members.get("with") {
            None => return Map::new(),
            Some(Value::Object(map)) => return map.clone(),
            Some(Value::Array(pairs)) => pairs,
            Some(_) => {
                self.add_fault(with_path, "must be a map, or a list of {name, value}");
                return Map::new();
            }
        };
        let mut with = Map::new();
        for (n, pair) in pairs.iter().enumerate() {
            let name = pair.get("name").and_then(Value::as_str).filter(|name| !name.trim().is_empty());
            match (name, pair.get("value")) {
                (Some(name), Some(value)) if !with.contains_key(name) => {
                    drop(with.insert(name.to_owned(), value.clone()));
                }
                (Some(name), Some(_)) => {
                    self.add_fault(format!("{with_path}[{n}]"), format!("`{name}` is given twice"))
                }
                _ => self.add_fault(format!("{with_path}[{n}]"), "must be {name, value}"),
            }
        }
        with
    }

    fn read_retry(&mut self, path: &str, members: &Map<String, Value>) -> u32 {
        let Some(retry) = members.get("retry") else { return 0 };
        let Some(members) = self.read_members(&format!("{path}.retry"), retry, &["max"]) else { return 0 };
        let max = self.read_integer(&format!("{path}.retry"), &members, "max", 0, MAX_RETRIES);
        max.and_then(|max| u32::try_from(max).ok()).unwrap_or(0)
    }

    /// Returns the members that are not null. Unknown members are faults.
    fn read_members(&mut self, path: &str, value: &Value, allowed: &[&str]) -> Option<Map<String, Value>> {
        let Value::Object(map) = value else {
            self.add_fault(path, "must be an object");
            return None;
        };
        let mut present = map.clone();
        present.retain(|_, value| !value.is_null());
        for name in present.keys().filter(|name| !allowed.contains(&name.as_str())) {
            self.add_fault(
                format!("{path}.{name}"),
                format!("is not allowed here; allowed are: {}", allowed.join(", ")),
            );
        }
        Some(present)
    }

    fn read_text(&mut self, path: &str, members: &Map<String, Value>, name: &str) -> Option<String> {
        match members.get(name)? {
            Value::String(text) => Some(text.clone()),
            _ => {
                self.add_fault(format!("{path}.{name}"), "must be a text");
                None
            }
        }
    }

    fn read_id(&mut self, path: &str, members: &Map<String, Value>, name: &str) -> Option<String> {
        let text = self.read_text(path, members, name)?;
        if text.chars().count() > MAX_ID_CHARS || !invisible_chars::is_safe_name(&text) {
            self.add_fault(
                format!("{path}.{name}"),
                format!("must have 1 to {MAX_ID_CHARS} visible characters"),
            );
        }
        Some(text)
    }

    fn read_integer(
        &mut self,
        path: &str,
        members: &Map<String, Value>,
        name: &str,
        low: u64,
        high: u64,
    ) -> Option<u64> {
        let value = members.get(name)?;
        let found = value.as_u64().filter(|number| (low..=high).contains(number));
        if found.is_none() {
            let range = match high {
                u64::MAX => format!("of at least {low}"),
                _ => format!("from {low} to {high}"),
            };
            self.add_fault(format!("{path}.{name}"), format!("must be a whole number {range}"));
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    // Models with strict schemas write all members, including those of the other kind of step (S3.12).
    #[test]
    fn null_counts_as_absent() {
        let child = json!({"agent_id": "x"});
        for (written, meant) in [
            (json!({"agent_id": "x", "prompt": null, "retry": null}), json!({"agent_id": "x"})),
            (json!({"agent_id": "x", "children": null, "quorum": null}), json!({"agent_id": "x"})),
            (
                json!({"agent_id": "x", "retry": {"max": 1, "after": null}}),
                json!({"agent_id": "x", "retry": {"max": 1}}),
            ),
            (json!({"children": [child], "agent_id": null, "with": null}), json!({"children": [child]})),
        ] {
            let read = |step: &Value| steps(&json!({"steps": [step], "title": null}));
            assert!(read(&meant).is_ok(), "{meant}");
            assert_eq!(read(&written), read(&meant), "{written}");
        }
        let other = json!({"steps": [{"type": "agent", "agent_id": "x", "children": []}]});
        let faults = steps(&other).expect_err("a fault");
        assert_eq!(faults[0].path, "plan.steps[0].children");
    }
}
