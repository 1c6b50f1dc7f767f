//! The JSON Schema of a turn, built for each turn so that it names only what the agent can use now: actions with their
//! parameters, and fields about background work, plans and notes only for agents that have them. It follows the
//! strict-mode rules of structured outputs: every object is closed and requires all of its properties (an optional one
//! may be null instead), nothing is free-form, and nesting stays shallow. `turn::Turn` accepts more than this schema.

pub(crate) mod action_params;

use crate::turn::action::{NAMES, WITHOUT_PAGE};
use crate::turn::agent_tools::{Input, Tool};
use crate::turn::schema::action_params::{Needs, ParamRow, ROWS, closed_object, params_schema, word_of};
use serde_json::{Map, Value, json};

/// Parts of a turn that are asked for.
#[derive(Clone, Copy, Debug, Default)]
pub struct TurnForm<'a> {
    /// Names of the actions that are allowed now.
    pub actions: &'a [&'a str],
    /// Agents that may be called.
    pub tools: &'a [Tool],
    /// True while a plan is shown.
    pub plan: bool,
    /// True if values are kept as variables of the conversation.
    pub variables: bool,
    /// True if the run has files.
    pub files: bool,
    /// True if a picture of the page is in the request.
    pub picture: bool,
    /// True if the page has opened a dialog.
    pub dialog: bool,
    /// True if a picture of the page can be asked for.
    pub look: bool,
}

impl<'a> TurnForm<'a> {
    /// Returns the form of an agent with every part, for documentation.
    pub fn full(actions: &'a [&'a str], tools: &'a [Tool]) -> Self {
        Self {
            actions,
            tools,
            plan: true,
            variables: true,
            files: true,
            picture: true,
            dialog: true,
            look: true,
        }
    }

    /// Returns true if the agent calls others in the background.
    fn has_tasks(&self) -> bool {
        !self.tools.is_empty() && self.actions.contains(&"task_manager")
    }

    fn has_page(&self) -> bool {
        self.actions.iter().any(|name| NAMES.contains(name) && !WITHOUT_PAGE.contains(name))
    }

    fn meets(&self, needs: Needs) -> bool {
        match needs {
            Needs::Nothing => true,
            Needs::Page => self.has_page() && !self.look,
            Needs::File => self.files,
            Needs::Picture => self.picture,
            Needs::Dialog => self.dialog,
            Needs::Look => self.has_page() && self.look,
        }
    }
}

/// Most actions of a turn that a model is asked for: a small one may repeat them until its answer is cut off. More are done
/// all the same.
const MOST_ACTIONS: usize = 20;

/// Returns the schema of a turn.
pub fn turn_schema(form: &TurnForm<'_>) -> Value {
    let mut fields = vec![
        ("thoughts", maybe("string")),
        ("memory", maybe("string")),
        (
            "actions",
            json!({ "type": "array", "items": any_of(action_schemas(form)), "maxItems": MOST_ACTIONS }),
        ),
        ("status", word_of(statuses(form))),
        ("stop", json!({ "type": "boolean" })),
        ("response", maybe("string")),
    ];
    fields.extend(context_schema(form).map(|context| ("context", context)));
    if form.plan {
        fields.push(("step_ref", maybe("integer")));
        fields.push(("expected_outcome", maybe("string")));
    }
    closed_object(fields.into_iter().map(|(name, schema)| (name.to_owned(), schema)))
}

fn statuses(form: &TurnForm<'_>) -> &'static [&'static str] {
    match form.has_tasks() {
        true => &["EXECUTING", "SUCCESS", "ERROR", "TASK_STARTED"],
        false => &["EXECUTING", "SUCCESS", "ERROR"],
    }
}

fn maybe(type_name: &str) -> Value {
    json!({ "type": [type_name, "null"] })
}

fn any_of(mut variants: Vec<Value>) -> Value {
    match variants.len() {
        1 => variants.remove(0),
        _ => json!({ "anyOf": variants }),
    }
}

/// Returns the schema of what is kept beside the turn, if the agent has variables or notes.
fn context_schema(form: &TurnForm<'_>) -> Option<Value> {
    let mut parts = Vec::new();
    if form.variables {
        let text = || json!({ "type": "string" });
        let variable = closed_object([(String::from("name"), text()), (String::from("value"), text())]);
        parts.push((String::from("variables"), json!({ "type": "array", "items": variable })));
    }
    if form.actions.contains(&"recall") {
        let names = json!({ "type": "array", "items": { "type": "string" } });
        parts.push((String::from("knowledge_relics"), names));
    }
    (!parts.is_empty()).then(|| closed_object(parts))
}

/// Returns the schemas of the actions, each with its parameters.
fn action_schemas(form: &TurnForm<'_>) -> Vec<Value> {
    let is_agent = |name: &str| form.tools.iter().any(|tool| tool.name == name);
    let own = ROWS.iter().filter(|row| form.meets(row.needs)).filter_map(|row| {
        let allowed = |name: &&&str| form.actions.contains(*name) && !is_agent(name);
        let names: Vec<&str> = row.actions.iter().filter(allowed).copied().collect();
        (!names.is_empty()).then(|| own_action(row, &names))
    });
    let mut all: Vec<Value> = own.chain(call_schemas(form)).collect();
    if all.is_empty() {
        // A turn can always end the work.
        all.push(closed_object([(String::from("action"), word_of(&["stop"]))]));
    }
    all
}

fn own_action(row: &ParamRow, names: &[&str]) -> Value {
    let name = (String::from("action"), word_of(names));
    let params = (!row.params.is_empty()).then(|| (String::from("params"), params_schema(row)));
    closed_object([name].into_iter().chain(params))
}

/// Most agents whose calls may be grouped in the schema; what is read may group any number.
const MOST_GROUPED: usize = 20;

/// Returns the schemas of calls of agents, and of a group of calls that ends when all of them have ended. Groups are
/// not nested, so the schema is not recursive.
fn call_schemas(form: &TurnForm<'_>) -> Vec<Value> {
    let display = form.has_tasks().then(|| (String::from("display"), display_schema()));
    let call = |tool| closed_object(call_parts(form, tool).into_iter().chain(display.clone()));
    let mut calls: Vec<Value> = form.tools.iter().map(call).collect();
    if (1..=MOST_GROUPED).contains(&calls.len()) {
        let parts = any_of(form.tools.iter().map(|tool| closed_object(call_parts(form, tool))).collect());
        calls.push(closed_object([
            (String::from("action_id"), maybe("string")),
            (String::from("action"), word_of(&["group"])),
            (String::from("sub_actions"), json!({ "type": "array", "items": parts })),
        ]));
    }
    calls
}

fn call_parts(form: &TurnForm<'_>, tool: &Tool) -> Vec<(String, Value)> {
    let mut parts = vec![
        (String::from("action_id"), maybe("string")),
        (String::from("action"), word_of(&[&tool.name])),
        (String::from("params"), tool_schema(tool)),
        (String::from("depends_on"), maybe("string")),
    ];
    if form.has_tasks() {
        parts.push((String::from("execution"), word_of(&["SYNC", "ASYNC"])));
    }
    parts
}

fn display_schema() -> Value {
    let shown = closed_object([
        (String::from("type"), word_of(&["progress_bar", "status_message"])),
        (String::from("label"), json!({ "type": "string" })),
        (String::from("estimated_duration_seconds"), maybe("number")),
    ]);
    json!({ "anyOf": [shown, { "type": "null" }] })
}

/// Most properties of all objects together, and `LEVELS` of nesting, that OpenAI accepts in strict mode. The
/// actions on a page stay below the 100 properties that some other endpoints accept; agents that may be
/// called add their inputs. Endpoints that refuse the schema are asked for plain JSON (`model::structured_output`).
pub const PROPERTIES: usize = 5_000;
/// Most levels of nesting in a strict schema.
pub const LEVELS: usize = 10;

/// True if a schema is within the limits of strict mode.
pub fn may_be_strict(schema: &Value) -> bool {
    let (properties, levels) = size(schema);
    properties <= PROPERTIES && levels <= LEVELS
}

/// Counts the properties of all objects, and the levels of nesting.
fn size(schema: &Value) -> (usize, usize) {
    let own = schema.get("properties").and_then(Value::as_object);
    let below = own.into_iter().flat_map(Map::values);
    let variants = schema.get("anyOf").and_then(Value::as_array).into_iter().flatten();
    let all = below.chain(schema.get("items")).chain(variants).map(size);
    let (count, deepest) = all.fold((0, 0), |sum, one| (sum.0 + one.0, one.1.max(sum.1)));
    (count + own.map_or(0, Map::len), deepest + usize::from(own.is_some()))
}

/// Returns the schema of a tool's parameters. A type without a closed form is requested as JSON in a string.
fn tool_schema(tool: &Tool) -> Value {
    closed_object(tool.inputs.iter().map(|input| (input.name.clone(), input_schema(input))))
}

fn input_schema(input: &Input) -> Value {
    let type_name = if input.is_plain() { input.type_name.as_str() } else { "string" };
    let json_type = if input.required { json!(type_name) } else { json!([type_name, "null"]) };
    let type_description = match input.type_name.as_str() {
        "object" => "JSON of an object",
        "list" => "JSON of a list",
        "any" => "text, or JSON",
        _ => "",
    };
    let words: Vec<&str> =
        [input.description.trim(), type_description].into_iter().filter(|words| !words.is_empty()).collect();
    match words.is_empty() {
        true => json!({ "type": json_type }),
        false => json!({ "type": json_type, "description": words.join("; ") }),
    }
}

/// Order of the properties in a schema. Endpoints write them in this order, so the model thinks before it
/// acts.
pub const ORDER: [&str; 31] = [
    "thoughts",
    "memory",
    "context",
    "step_ref",
    "expected_outcome",
    "actions",
    "status",
    "stop",
    "response",
    "knowledge_relics",
    "variables",
    "name",
    "content",
    "action_id",
    "action",
    "type",
    "params",
    "execution",
    "depends_on",
    "display",
    "sub_actions",
    "value",
    "items",
    "open_questions",
    "notes",
    "description",
    "acceptance_criteria",
    "predicates",
    "dependencies",
    "why",
    "met",
];

#[cfg(test)]
mod tests;
