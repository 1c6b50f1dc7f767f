//! What of a plan is kept in memory only: what its steps give to inputs that are secrets, whether it stands
//! in the plan itself or in a binding that a step's template names.

use crate::script::rendered;
use crate::spec::check::Others;
use crate::spec::secret;
use crate::template;
use crate::vault::{Vault, is_value};
use serde_json::{Map, Value};
use std::collections::BTreeSet;

/// The inputs of an orchestration, with marks in place of such values.
pub fn concealed(vault: &Vault, others: &dyn Others, mut input: Map<String, Value>) -> Map<String, Value> {
    let mut named = BTreeSet::new();
    opened(&mut input, "plan");
    opened(&mut input, "bindings");
    let steps = input.get_mut("plan").and_then(|plan| plan.get_mut("steps"));
    for step in steps.and_then(Value::as_array_mut).into_iter().flatten() {
        hide(vault, others, step, &mut named);
        let children = step.get_mut("children").and_then(Value::as_array_mut);
        children.into_iter().flatten().for_each(|child| hide(vault, others, child, &mut named));
    }
    let bindings = input.get_mut("bindings").and_then(Value::as_object_mut);
    for (_, value) in bindings.into_iter().flatten().filter(|(name, _)| named.contains(*name)) {
        keep(vault, value);
    }
    input
}

/// Models with a strict schema give maps as texts.
fn opened(input: &mut Map<String, Value>, name: &str) {
    if let Some(value) = input.get_mut(name)
        && let Some(Ok(whole)) = value.as_str().map(serde_json::from_str::<Value>)
    {
        *value = whole;
    }
}

/// What one step gives to secret inputs of its agent; `named` gathers the bindings that it takes for them.
fn hide(vault: &Vault, others: &dyn Others, step: &mut Value, named: &mut BTreeSet<String>) {
    let agent = step.get("agent_id").and_then(Value::as_str).and_then(|name| others.agent(name));
    let secrets = agent.map(|agent| secret::inputs(&agent, others)).unwrap_or_default();
    let mut given = |value: &mut Value| match value.as_str().filter(|text| rendered::is_template(text)) {
        Some(text) => named.extend(template::names(text)),
        None => keep(vault, value),
    };
    match step.get_mut("with") {
        Some(Value::Object(with)) => {
            with.iter_mut().filter(|(name, _)| secrets.contains(*name)).for_each(|(_, value)| given(value));
        }
        Some(Value::Array(with)) => {
            let is_secret =
                |entry: &&mut Value| entry["name"].as_str().is_some_and(|name| secrets.contains(name));
            with.iter_mut().filter(is_secret).filter_map(|entry| entry.get_mut("value")).for_each(given);
        }
        Some(_) | None => {}
    }
}

/// A secret is a text; one that is not is no less one.
fn keep(vault: &Vault, value: &mut Value) {
    let text = match &*value {
        Value::Null => return,
        Value::String(text) if !is_value(text) => return,
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    *value = Value::String(vault.keep(&text));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::{AgentSpec, check};
    use serde_json::json;
    use std::sync::Arc;

    struct Known(Arc<AgentSpec>);

    impl Others for Known {
        fn agent(&self, name: &str) -> Option<Arc<AgentSpec>> {
            (name == self.0.name).then(|| Arc::clone(&self.0))
        }

        fn names(&self) -> Vec<String> {
            vec![self.0.name.clone()]
        }
    }

    // S3.35: in the plan, in a binding, in a block, as a map, as a list and as a text.
    #[test]
    fn what_secret_inputs_are_given_does_not_stand_in_the_plan() {
        let agent =
            "{name: a, kind: atomic, inputs: [{name: p, secret: true}, {name: q}], python: {code: 'x = 1'}}";
        let known = Known(Arc::new(check::parse(agent).unwrap()));
        let step = |with: Value| json!({"id": "s", "type": "agent", "agent_id": "a", "with": with});
        let block =
            json!({"id": "b", "type": "parallel", "children": [step(json!({"p": "hunter3", "q": "open"}))]});
        let list = step(json!([{"name": "p", "value": "hunter4"}]));
        let steps =
            json!({"steps": [step(json!({"p": "hunter2"})), step(json!({"p": "{{ k }}"})), block, list]});
        for plan in [steps.clone(), json!(steps.to_string())] {
            let bindings = json!({"k": "hunter5", "other": "open"});
            let input = Map::from_iter([("plan".into(), plan), ("bindings".into(), bindings)]);
            let vault = Vault::default();
            let hidden = Value::Object(concealed(&vault, &known, input)).to_string();
            assert!(!hidden.contains("hunter") && hidden.matches("open").count() == 2, "{hidden}");
            assert_eq!(hidden.matches("<typed:").count(), 4, "{hidden}");
        }
    }
}
