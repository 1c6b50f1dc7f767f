//! Conceals secrets in the inputs of an orchestration: values for secret inputs of its steps, and texts for
//! models that look like secrets. Both may stand in the plan itself or in a binding that a step's template
//! names. The prompt is searched as well.

use crate::agent_name;
use crate::agent_spec::agent_lookup::AgentLookup;
use crate::agent_spec::parse::yaml;
use crate::agent_spec::types::spec::AgentSpec;
use crate::agent_spec::{secret_inputs, template};
use crate::catalog::conversation::HISTORY;
use crate::script::rendering;
use crate::secrets::vault::{Vault, is_value};
use crate::turn::typed_secret;
use serde_json::{Map, Value};
use std::collections::BTreeSet;

/// Returns the inputs with placeholders in place of secrets.
pub fn conceal_orchestration_inputs(
    vault: &Vault,
    others: &dyn AgentLookup,
    mut input: Map<String, Value>,
) -> Map<String, Value> {
    let mut binding_names = BindingNames::default();
    if let Some(Value::String(prompt)) = input.get_mut("prompt") {
        *prompt = vault.conceal(prompt);
    }
    parse_map_input(&mut input, "plan");
    parse_map_input(&mut input, "bindings");
    let steps = input.get_mut("plan").and_then(|plan| plan.get_mut("steps"));
    for step in steps.and_then(Value::as_array_mut).into_iter().flatten() {
        conceal_step(vault, others, step, &mut binding_names);
        let children = step.get_mut("children").and_then(Value::as_array_mut);
        children
            .into_iter()
            .flatten()
            .for_each(|child| conceal_step(vault, others, child, &mut binding_names));
    }
    let bindings = input.get_mut("bindings").and_then(Value::as_object_mut);
    for (name, value) in bindings.into_iter().flatten() {
        if binding_names.secrets.contains(name) {
            conceal_value(vault, value);
        } else if binding_names.words.contains(name) {
            conceal_texts(vault, value);
        }
    }
    input
}

/// Bindings that steps use for secret inputs, and for texts to a model.
#[derive(Default)]
struct BindingNames {
    secrets: BTreeSet<String>,
    words: BTreeSet<String>,
}

/// Parses an input that is a text into a map. Models with a strict schema write maps as texts, and people
/// write plans in YAML: the plan alone, or the whole file that `askfirst orchestrate` reads.
fn parse_map_input(input: &mut Map<String, Value>, name: &str) {
    let Some(mut members) = input.get(name).and_then(Value::as_str).and_then(yaml::map) else { return };
    if name == "plan" && !members.contains_key("steps") && members.get(name).is_some_and(Value::is_object) {
        for (other, value) in std::mem::take(&mut members) {
            if other == name {
                input.insert(other, value);
            } else {
                input.entry(other).or_insert(value);
            }
        }
    } else {
        input.insert(name.to_owned(), Value::Object(members));
    }
}

/// Conceals the inputs that one step passes to its agent, and collects the bindings that they name.
fn conceal_step(vault: &Vault, others: &dyn AgentLookup, step: &mut Value, binding_names: &mut BindingNames) {
    let agent = step.get("agent_id").and_then(Value::as_str).and_then(|name| others.agent(name));
    let Some(agent) = agent else { return };
    let (secrets, words) = (secret_inputs::inputs(&agent, others), model_reads_inputs(&agent));
    let mut conceal_input = |name: &str, value: &mut Value| {
        let text = value.as_str().filter(|text| rendering::is_template(text));
        let names = text.map(template::names).into_iter().flatten();
        match (secrets.contains(name), text) {
            (true, Some(_)) => binding_names.secrets.extend(names),
            (true, None) => conceal_value(vault, value),
            (false, _) if words => {
                binding_names.words.extend(names);
                conceal_texts(vault, value);
            }
            (false, _) => {}
        }
    };
    match step.get_mut("with") {
        Some(Value::Object(with)) => with.iter_mut().for_each(|(name, value)| conceal_input(name, value)),
        Some(Value::Array(with)) => {
            for entry in with {
                let name = entry["name"].as_str().unwrap_or_default().to_owned();
                entry.get_mut("value").into_iter().for_each(|value| conceal_input(&name, value));
            }
        }
        Some(_) | None => {}
    }
}

/// Conceals secrets in a text for a model, but not in template expressions. Their values are inserted and
/// searched when the step starts.
fn conceal_texts(vault: &Vault, value: &mut Value) {
    let Value::String(text) = value else { return };
    let (mut out, mut rest) = (String::new(), text.as_str());
    while let Some((words, code, after)) = split_first_expression(rest) {
        out.extend([&vault.conceal(words), code]);
        rest = after;
    }
    out.push_str(&vault.conceal(rest));
    *text = out;
}

/// Splits the text into the part before the first template expression, the expression, and the rest.
fn split_first_expression(text: &str) -> Option<(&str, &str, &str)> {
    let opens = [("{{", "}}"), ("{%", "%}"), ("{#", "#}")];
    let first = opens.into_iter().filter_map(|(open, close)| Some((text.find(open)?, close)));
    let (from, close) = first.min_by_key(|(at, _)| *at)?;
    let end = text[from..].find(close).map_or(text.len(), |length| from + length + close.len());
    Some((&text[..from], &text[from..end], &text[end..]))
}

/// Replaces a secret with a placeholder. Values other than strings are secrets too.
fn conceal_value(vault: &Vault, value: &mut Value) {
    let text = match &*value {
        Value::Null => return,
        Value::String(text) if !is_value(text) => return,
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    *value = Value::String(vault.store(&text));
}

/// Returns the inputs with placeholders in place of secrets. The vault holds their values.
pub fn conceal_inputs(
    vault: &Vault,
    spec: &AgentSpec,
    others: &dyn AgentLookup,
    input: Map<String, Value>,
) -> Map<String, Value> {
    if agent_name::is_service_agent(&spec.name) {
        return conceal_orchestration_inputs(vault, others, input);
    }
    let secrets = secret_inputs::inputs(spec, others);
    let (browses, read_by_model) = (spec.browser.is_some(), model_reads_inputs(spec));
    let conceal_one = |name: &str, value: Value| match value {
        Value::Null => Value::Null,
        Value::String(text) if secrets.contains(name) => Value::String(store_secret(vault, text, browses)),
        // Values other than strings are secrets too.
        other if secrets.contains(name) => Value::String(vault.store(&other.to_string())),
        Value::String(text) if read_by_model => Value::String(vault.conceal(&text)),
        // Earlier messages are masked, because nobody types these values any more.
        Value::Array(messages) if read_by_model && name == HISTORY => {
            messages.into_iter().map(|one| mask_message(vault, one)).collect()
        }
        other => other,
    };
    input.into_iter().map(|(name, value)| (name.clone(), conceal_one(&name, value))).collect()
}

/// Reports whether a model reads the agent's inputs, as a prompt or in a conversation.
pub fn model_reads_inputs(spec: &AgentSpec) -> bool {
    spec.browser.is_some() || spec.llm.is_some()
}

/// Masks the secrets in one message of an earlier chat.
fn mask_message(vault: &Vault, mut message: Value) -> Value {
    if let Some(Value::String(text)) = message.get_mut("content") {
        *text = typed_secret::mask_placeholders(&vault.conceal(text));
    }
    message
}

/// Trims a secret for a page field, which takes no surrounding spaces. For code, spaces may be part of the
/// value.
fn store_secret(vault: &Vault, text: String, browses: bool) -> String {
    match is_value(&text) {
        true => vault.store(if browses { text.trim() } else { &text }),
        false => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agent_spec::check;
    use crate::agent_spec::types::spec::AgentSpec;
    use serde_json::json;
    use std::sync::Arc;

    struct OneAgent(Arc<AgentSpec>);

    impl AgentLookup for OneAgent {
        fn agent(&self, name: &str) -> Option<Arc<AgentSpec>> {
            (name == self.0.name).then(|| Arc::clone(&self.0))
        }

        fn names(&self) -> Vec<String> {
            vec![self.0.name.clone()]
        }
    }

    // Secrets are concealed in a step, a binding and a block, and in plans given as a map, a list or a text
    // (S3.35).
    #[test]
    fn values_of_secret_inputs_are_concealed_in_the_plan() {
        let agent =
            "{name: a, kind: atomic, inputs: [{name: p, secret: true}, {name: q}], python: {code: 'x = 1'}}";
        let agents = OneAgent(Arc::new(check::parse(agent).unwrap()));
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
            let hidden = Value::Object(conceal_orchestration_inputs(&vault, &agents, input)).to_string();
            assert!(!hidden.contains("hunter") && hidden.matches("open").count() == 2, "{hidden}");
            assert_eq!(hidden.matches("<typed:").count(), 4, "{hidden}");
        }
    }

    // Texts for models are searched as in the first message of a conversation (S3.35).
    #[test]
    fn secrets_in_texts_for_models_are_concealed_in_plans() {
        let agent = "{name: a, kind: atomic, inputs: [{name: q}], llm: {prompt: '{{ q }}'}}";
        let agents = OneAgent(Arc::new(check::parse(agent).unwrap()));
        let vault = Vault::default();
        let step = |q: &str| json!({"id": "s", "type": "agent", "agent_id": "a", "with": {"q": q}});
        let steps = json!({"steps": [step("password: hunter2"), step("{{ k }}, password: hunter3")]});
        let bindings = json!({"k": "password: hunter4", "other": "password: open"});
        let mut template = json!("{% if x %}password: {{ result.a.x }} {{ b }} password: hunter6");
        conceal_texts(&vault, &mut template);
        let template = template.as_str().unwrap();
        assert!(
            template.starts_with("{% if x %}password: {{ result.a.x }} {{ b }} password: <typed:"),
            "{template}"
        );
        for input in
            [json!({"prompt": "use password: hunter5"}), json!({"plan": steps, "bindings": bindings})]
        {
            let hidden = Value::Object(conceal_orchestration_inputs(
                &vault,
                &agents,
                input.as_object().unwrap().clone(),
            ));
            let hidden = hidden.to_string();
            assert!(!hidden.contains("hunter") && hidden.contains("<typed:"), "{hidden}");
            assert_eq!(hidden.contains("password: open"), hidden.contains("bindings"), "{hidden}");
        }
    }
}
