//! Represents an MCP tool as an agent, with the inputs that its schema describes. Texts of a server are
//! shortened for planners and not trusted: a tool that claims to be read-only is not assumed to be.

use crate::agent_spec::types::spec::{AgentSpec, Kind, Variable};
use crate::agent_spec::types::tool_ref::ToolRef;
use crate::text::truncate::{one_line, truncate};
use rmcp::model::Tool;
use serde_json::Value;

/// Maximum number of inputs of a tool.
const INPUTS: usize = 64;
/// Maximum length of the description of a tool, and of an input, in characters.
const WORDS: usize = 600;
const INPUT_WORDS: usize = 200;

/// Names of the outputs of a tool: all texts, and structured content if there is any.
pub const TEXT: &str = "text";
/// Output with the JSON of a result.
pub const RESULT: &str = "result";

/// Returns the agent of a tool whose server is unavailable. All its inputs are passed on.
pub(crate) fn unknown(tool: &ToolRef) -> AgentSpec {
    let output = |name: &str, of: &str| Variable {
        name: name.to_owned(),
        of: Some(of.to_owned()),
        required: Some(false),
        ..Variable::default()
    };
    AgentSpec {
        name: tool.to_string(),
        title_en: Some(format!("{} ({})", tool.tool, tool.server)),
        title_ua: format!("{} ({})", tool.tool, tool.server),
        outputs: vec![output(TEXT, "string"), output(RESULT, "any")],
        mcp: Some(tool.clone()),
        ..AgentSpec::blank(Kind::Atomic)
    }
}

/// Returns the agent of a tool, with the inputs that its server declares.
pub fn tool_agent(tool: &ToolRef, known: &Tool) -> AgentSpec {
    let words = known.description.as_deref().or(known.title.as_deref());
    let schema = &known.input_schema;
    let required = |name: &str| {
        let names = schema.get("required").and_then(Value::as_array);
        names.is_some_and(|names| names.iter().any(|one| one == name))
    };
    let properties = schema.get("properties").and_then(Value::as_object);
    let inputs = properties.into_iter().flatten().filter(|(name, _)| is_name(name)).take(INPUTS);
    AgentSpec {
        description_en: words.map(|words| plain(words, WORDS)),
        inputs: inputs.map(|(name, property)| input(name, property, required(name))).collect(),
        ..unknown(tool)
    }
}

/// Reports whether a name can be used in prompts and schemas.
fn is_name(name: &str) -> bool {
    let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '$');
    (1..=64).contains(&name.len()) && name.chars().all(fits)
}

fn input(name: &str, property: &Value, required: bool) -> Variable {
    let of = match property.get("type").and_then(Value::as_str) {
        Some("array") => "list",
        Some(kind @ ("string" | "boolean" | "integer" | "number" | "object")) => kind,
        Some(_) | None => "any",
    };
    let mut words =
        property.get("description").and_then(Value::as_str).map(|words| plain(words, INPUT_WORDS));
    if let Some(choices) = property.get("enum").and_then(Value::as_array) {
        let choices = plain(&Value::Array(choices.clone()).to_string(), INPUT_WORDS);
        words = Some(format!("{} one of {choices}", words.unwrap_or_default()).trim().to_owned());
    }
    Variable {
        name: name.to_owned(),
        of: Some(of.to_owned()),
        description: words,
        required: Some(required),
        ..Variable::default()
    }
}

/// Joins the words to one line of at most `most` characters.
fn plain(words: &str, most: usize) -> String {
    let line: String = one_line(words).chars().filter(|c| !c.is_control()).collect();
    truncate(&line, most)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn tool(schema: Value) -> AgentSpec {
        let known = json!({"name": "find", "description": format!("Finds\nit. {}", "x".repeat(5000)),
            "inputSchema": schema, "annotations": {"readOnlyHint": true, "idempotentHint": true}});
        let reference = ToolRef::read("mcp:shop/find").unwrap();
        tool_agent(&reference, &serde_json::from_value(known).unwrap())
    }

    #[test]
    fn readable_parts_of_a_tool_schema_become_inputs() {
        let spec = tool(json!({"type": "object", "required": ["city"], "properties": {
            "city": {"type": "string", "description": "Where", "enum": ["Kyiv", "Lviv"]},
            "days": {"type": "integer"}, "tags": {"type": "array"}, "either": {"anyOf": []},
            "a name\nwith </page>": {"type": "string"}}}));
        let inputs: Vec<_> =
            spec.inputs.iter().map(|i| (&*i.name, i.of.as_deref().unwrap(), i.is_required())).collect();
        let expected = [
            ("city", "string", true),
            ("days", "integer", false),
            ("tags", "list", false),
            ("either", "any", false),
        ];
        assert_eq!(inputs, expected);
        assert_eq!(spec.inputs[0].description.as_deref(), Some("Where one of [\"Kyiv\",\"Lviv\"]"));
        let words = spec.description_en.unwrap();
        assert!(words.starts_with("Finds it. xxx") && words.chars().count() <= WORDS + 1);
        assert!(!spec.idempotent, "its own word for it counts for nothing");
    }

    #[test]
    fn a_hostile_tool_schema_is_limited_and_breaks_nothing() {
        let many: serde_json::Map<String, Value> =
            (0..10_000).map(|n| (format!("p{n}"), json!({"type": ["string", 3]}))).collect();
        assert_eq!(tool(json!({"properties": many})).inputs.len(), INPUTS);
        for odd in
            [json!({}), json!({"properties": []}), json!({"properties": {"a": 3}, "required": {"a": 1}})]
        {
            assert!(tool(odd.clone()).inputs.len() <= 1, "{odd}");
        }
    }
}
