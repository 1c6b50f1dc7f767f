//! Agents as MCP tools: their inputs as a JSON Schema, their descriptions for the model that calls them.

use crate::agent_spec::files::library::Library;
use crate::agent_spec::types::spec::{AgentSpec, TitleLanguage, Variable};
use crate::agent_spec::{input_check, secret_inputs};
use rmcp::model::{JsonObject, Tool};
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;

/// Returns the tools for all agents of the library.
pub fn tools(library: &Library) -> Vec<Tool> {
    library
        .list()
        .iter()
        .map(|agent| tool(&agent.spec, &secret_inputs::inputs(&agent.spec, library)))
        .collect()
}

fn tool(spec: &AgentSpec, secrets: &BTreeSet<String>) -> Tool {
    let tool = input_check::tool(spec, TitleLanguage::En);
    Tool::new(spec.name.clone(), tool.description, schema(spec, secrets))
        .with_title(spec.title(TitleLanguage::En))
}

fn schema(spec: &AgentSpec, secrets: &BTreeSet<String>) -> JsonObject {
    let mut properties = Map::new();
    let mut required = Vec::new();
    for variable in &spec.inputs {
        properties.insert(variable.name.clone(), property(variable, secrets.contains(&variable.name)));
        if variable.is_required() {
            required.push(variable.name.clone());
        }
    }
    if spec.converses() {
        let words = json!({"type": "string", "description": "What it is to do, in words."});
        properties.entry("text").or_insert(words);
        if input_check::wants_text(spec) && !required.iter().any(|name| name == "text") {
            required.push(String::from("text"));
        }
    }
    let locale = json!({
        "type": "string",
        "enum": ["uk", "en"],
        "description": "The language of what it says and asks; Ukrainian where nothing is said.",
    });
    properties.entry("locale").or_insert(locale);
    let mut schema = Map::new();
    schema.insert("type".into(), json!("object"));
    schema.insert("properties".into(), Value::Object(properties));
    schema.insert("required".into(), json!(required));
    schema
}

fn property(variable: &Variable, is_secret: bool) -> Value {
    let kind = match variable.of.as_deref() {
        Some("list") => Some("array"),
        Some(kind @ ("string" | "number" | "integer" | "boolean" | "object")) => Some(kind),
        Some(_) | None => None,
    };
    let mut property = Map::new();
    if let Some(kind) = kind {
        // An optional input may also be null.
        let kinds = if variable.is_required() { json!(kind) } else { json!([kind, "null"]) };
        property.insert("type".into(), kinds);
    }
    if let Some(words) = &variable.description {
        property.insert("description".into(), json!(words));
    }
    if let Some(default) = &variable.default {
        property.insert("default".into(), default.clone());
    }
    if is_secret {
        property.insert("format".into(), json!("password"));
        property.insert("writeOnly".into(), json!(true));
    }
    Value::Object(property)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agent_spec::check;

    fn schema_json(text: &str) -> Value {
        let spec = check::parse(text).unwrap();
        let secrets = secret_inputs::declared_secrets(&spec).map(str::to_owned).collect();
        json!(schema(&spec, &secrets))
    }

    // The inputs of an agent are the schema of its tool (S2.20).
    #[test]
    fn inputs_of_an_agent_are_the_schema_of_its_tool() {
        let schema = schema_json(
            "{name: a, kind: atomic, python: {code: 'x = 1'}, inputs: [{name: city, type: string, description: Where},
            {name: days, type: integer, default: 3}, {name: tags, type: list}, {name: pin, secret: true}, {name: any}]}",
        );
        assert_eq!(schema["required"], json!(["city", "tags", "pin", "any"]));
        let property = |name: &str| schema["properties"][name].clone();
        assert_eq!(property("city"), json!({"type": "string", "description": "Where"}));
        assert_eq!(property("days"), json!({"type": ["integer", "null"], "default": 3}));
        assert_eq!(property("tags"), json!({"type": "array"}));
        assert_eq!(property("pin"), json!({"format": "password", "writeOnly": true}));
        assert_eq!(property("any"), json!({}));
        assert_eq!(property("locale")["enum"], json!(["uk", "en"]));
    }

    #[test]
    fn agents_that_take_a_task_in_words_require_text() {
        let required = |text: &str| schema_json(text)["required"].clone();
        assert_eq!(required("{name: a, kind: atomic, browser: {}}"), json!(["text"]));
        let prompted = "{name: a, kind: atomic, llm: {prompt: 'Do {{ x }}', uses: [b]}, inputs: [{name: x}]}";
        assert_eq!(required(prompted), json!(["x"]));
        let agent = "{name: a, kind: atomic, llm: {prompt: '{{ text }}', uses: [b]}}";
        assert_eq!(required(agent), json!(["text"]));
        assert_eq!(required("{name: a, kind: atomic, llm: {prompt: 'Hello'}}"), json!([]));
    }
}
