//! Checks the input of a run against the agent's declarations and fills in defaults.

use crate::agent_spec::template;
use crate::agent_spec::types::spec::{AgentSpec, Kind, TitleLanguage, Variable};
use crate::turn::agent_tools::{Input, Tool};
use crate::turn::agent_tools::{fits, name_type};
use serde_json::{Map, Value};

impl Variable {
    /// True if a run needs a value for it.
    pub fn is_required(&self) -> bool {
        self.required.unwrap_or(self.default.is_none())
    }
}

/// Returns the input with defaults filled in, or an error text. Undeclared names are kept.
pub fn complete(spec: &AgentSpec, input: &Map<String, Value>) -> Result<Map<String, Value>, String> {
    let mut whole = input.clone();
    let mut missing = Vec::new();
    for variable in &spec.inputs {
        match whole.get(&variable.name) {
            Some(value) => check(variable, value)?,
            None if variable.is_required() => missing.push(format!("`{}`", variable.name)),
            None => {
                let default = variable.default.clone().unwrap_or_default();
                whole.insert(variable.name.clone(), default);
            }
        }
    }
    match missing.as_slice() {
        [] => Ok(whole),
        [one] => Err(format!("{one} is missing")),
        many => Err(format!("{} are missing", many.join(", "))),
    }
}

/// True if a conversation of this agent starts with a person's message. A script, or a prompt without the
/// variable `text`, needs none.
pub fn wants_text(spec: &AgentSpec) -> bool {
    let plays = spec.browser.as_ref().is_some_and(|browser| browser.script.is_some());
    let asks = |prompt: &str| template::names(prompt).iter().any(|name| name == "text");
    let prompted = spec.llm.as_ref().is_some_and(|llm| !asks(&llm.prompt));
    !plays && !prompted
}

/// Describes an agent as a tool for a planner (S2.20). `browses` covers only the agent's own browser: for a
/// composite it depends on the agents that it calls.
pub fn tool(spec: &AgentSpec, tongue: TitleLanguage) -> Tool {
    let title = spec.title(tongue);
    let (own, other) = match tongue {
        TitleLanguage::Uk => (&spec.description_ua, &spec.description_en),
        TitleLanguage::En => (&spec.description_en, &spec.description_ua),
    };
    let description =
        own.as_deref().or(other.as_deref()).filter(|description| !description.trim().is_empty());
    let input = |variable: &Variable| {
        let own = variable.description_ua.as_ref().filter(|_| tongue == TitleLanguage::Uk);
        Input {
            name: variable.name.clone(),
            type_name: variable.of.clone().unwrap_or_else(|| String::from("any")),
            description: own.or(variable.description.as_ref()).cloned().unwrap_or_default(),
            required: variable.is_required(),
            default: variable.default.clone(),
            verbatim: false,
        }
    };
    Tool {
        name: spec.name.clone(),
        description: description.unwrap_or(title).trim().to_owned(),
        inputs: spec.inputs.iter().map(input).collect(),
        composite: spec.kind == Kind::Composite,
        browses: spec.browser.is_some(),
    }
}

/// Merges the agent's inputs and locals into its context; inputs take precedence.
pub fn context(spec: &AgentSpec, input: Map<String, Value>) -> Map<String, Value> {
    let locals = spec.locals.iter().map(|local| (local.name.clone(), local.value.clone()));
    let mut context: Map<String, Value> = locals.collect();
    context.extend(input);
    context
}

fn check(variable: &Variable, value: &Value) -> Result<(), String> {
    let Some(of) = variable.of.as_deref() else { return Ok(()) };
    let absent = value.is_null() && !variable.is_required();
    if absent || fits(of, value) {
        return Ok(());
    }
    Err(format!("`{}` must be of type {of}, not {}", variable.name, name_type(value)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agent_spec::check;
    use serde_json::json;

    fn spec() -> AgentSpec {
        let text = "
name: a
kind: atomic
inputs: [{name: task}, {name: n, type: integer, default: 3}, {name: note, type: string, required: false}]
outputs: [{name: text}]
python: {code: 'text = task'}
";
        check::read(text, "a").unwrap()
    }

    fn complete_input(input: Value) -> Result<Value, String> {
        let input = input.as_object().cloned().unwrap_or_default();
        complete(&spec(), &input).map(Value::Object)
    }

    // A missing required input is an error (S0.3, S0.7, C8).
    #[test]
    fn defaults_are_filled_in_and_types_held() {
        assert_eq!(complete_input(json!({"task": "x"})), Ok(json!({"task": "x", "n": 3, "note": null})));
        let input = json!({"task": [1], "n": 5, "note": null, "more": true});
        assert_eq!(complete_input(input.clone()), Ok(input));
        for (input, words) in [
            (json!({}), "`task` is missing"),
            (json!({"task": "x", "n": "5"}), "`n` must be of type integer, not string"),
            (json!({"task": "x", "n": 1.5}), "`n` must be of type integer, not number"),
            (json!({"task": "x", "note": {}}), "`note` must be of type string, not object"),
        ] {
            assert_eq!(complete_input(input), Err(words.to_owned()));
        }
    }

    #[test]
    fn an_agent_is_a_tool_with_its_inputs() {
        let tool = tool(&spec(), TitleLanguage::En);
        let inputs: Vec<_> = tool
            .inputs
            .iter()
            .map(|input| (input.name.as_str(), input.type_name.as_str(), input.required))
            .collect();
        assert_eq!(inputs, [("task", "any", true), ("n", "integer", false), ("note", "string", false)]);
        assert_eq!((tool.name.as_str(), tool.composite, tool.browses), ("a", false, false));
        let input = tool.complete(&Map::from_iter([(String::from("task"), json!("x"))]));
        assert_eq!(input.map(Value::Object), complete_input(json!({"task": "x"})));
    }
}
