//! The JSON Schema of a turn, built for each turn so that it names only the actions that are allowed now. It
//! follows the strict-mode rules of structured outputs: every object is closed and requires all of its
//! properties (an optional one may be null instead), nothing is free-form, and nesting stays shallow.
//! `turn::Turn` accepts more than this schema.

pub(crate) mod turn_types;

use crate::turn::agent_tools::{Input, Tool};
use crate::turn::schema::turn_types::{
    AskUser, AskedCall, AskedTurn, AtPoint, Click, Dialog, Drag, DragBetweenPoints, Extract, ExtractFile,
    Fill, Find, Hover, Navigate, NeedUser, Nothing, PageTool, Premove, Press, Recall, Replan, Scroll, Select,
    Stop, Tab, TaskManager, Type, TypeAtPoint, Upload, Wait,
};
use schemars::generate::SchemaSettings;
use schemars::transform::RecursiveTransform;
use schemars::{JsonSchema, Schema};
use serde_json::{Map, Value, json};

/// Returns the schema of a turn whose actions are among `actions`, or calls of `tools`.
pub fn turn_schema(actions: &[&str], tools: &[Tool]) -> Value {
    let mut turn = generate_schema::<AskedTurn>();
    // Sub-actions omit the short forms of the parameters and all but a few actions, since they are calls of agents: some
    // endpoints allow 100 properties in all. Without agents none of them is a task with a `display`.
    const WAITED: [&str; 8] =
        ["navigate", "back", "forward", "reload", "task_manager", "recall", "premove", "replan"];
    let waited: Vec<&str> = actions.iter().copied().filter(|action| WAITED.contains(action)).collect();
    let mut sub_call = call_schema(if waited.is_empty() { actions } else { &waited }, tools, |shapes| {
        shapes.into_iter().next_back().into_iter().collect()
    });
    if tools.is_empty() {
        remove(&mut sub_call, "display");
    }
    let mut call = call_schema(actions, tools, |shapes| shapes);
    let sub_actions =
        json!({ "type": "array", "items": sub_call, "description": "steps that this action waits for" });
    add(&mut call, "sub_actions", sub_actions);
    add(&mut turn, "actions", json!({ "type": "array", "items": call }));
    turn
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

/// Returns the schema of one action. Its sub-actions have none of their own, so the schema is not recursive.
fn call_schema(actions: &[&str], tools: &[Tool], forms: fn(Vec<Value>) -> Vec<Value>) -> Value {
    let mut call = generate_schema::<AskedCall>();
    let names: Vec<&str> =
        actions.iter().copied().chain(tools.iter().map(|tool| tool.name.as_str())).collect();
    add(&mut call, "action", json!({ "type": "string", "enum": names }));
    // Without `task_manager` the agent has no background tasks, so `SYNC` is the only choice.
    if !tools.is_empty() && !actions.contains(&"task_manager") {
        call["properties"]["execution"]["enum"] = json!(["SYNC"]);
    }
    let mut shapes: Vec<Value> = Vec::new();
    let own = actions.iter().filter_map(|action| params_schemas(action)).flat_map(forms);
    for shape in own.chain(tools.iter().map(tool_schema)) {
        match shapes.iter_mut().find(|known| without_descriptions(known) == without_descriptions(&shape)) {
            // Actions with equal parameters share one variant, which then has no description of a single
            // action.
            Some(known) => drop(known.as_object_mut().map(|known| known.remove("description"))),
            None => shapes.push(shape),
        }
    }
    if shapes.is_empty() {
        shapes.push(closed_schema::<Nothing>(make_strict));
    }
    add(&mut call, "params", json!({ "anyOf": shapes, "description": "as the action needs them" }));
    call
}

/// Returns the schema of a tool's parameters. A type without a closed form is requested as JSON in a string.
fn tool_schema(tool: &Tool) -> Value {
    let mut schema = json!({
        "type": "object", "properties": {}, "required": [], "additionalProperties": false,
        "description": format!("for {}", tool.name),
    });
    for input in &tool.inputs {
        add(&mut schema, &input.name, input_schema(input));
    }
    schema
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

fn add(object: &mut Value, name: &str, schema: Value) {
    if let Some(properties) = object.get_mut("properties").and_then(Value::as_object_mut) {
        properties.insert(name.to_owned(), schema);
    }
    if let Some(Value::Array(required)) = object.get_mut("required") {
        required.push(json!(name));
    }
}

fn remove(object: &mut Value, name: &str) {
    if let Some(properties) = object.get_mut("properties").and_then(Value::as_object_mut) {
        properties.remove(name);
    }
    if let Some(Value::Array(required)) = object.get_mut("required") {
        required.retain(|known| known != name);
    }
}

/// Returns the parameter schemas of one action, first without and then with its optional parameters, so that
/// short answers are valid; `None` if the name is no action.
fn params_schemas(action: &str) -> Option<Vec<Value>> {
    Some(match action {
        "navigate" => list_shapes::<Navigate>(),
        "back" | "forward" | "reload" => list_shapes::<Nothing>(),
        "click" => with_shape::<AtPoint>(list_shapes::<Click>()),
        "type" => with_shape::<TypeAtPoint>(list_shapes::<Type>()),
        // Without its values a field says nothing.
        "fill" => vec![closed_schema::<Fill>(make_strict)],
        "find" => list_shapes::<Find>(),
        "select" => list_shapes::<Select>(),
        "press" => list_shapes::<Press>(),
        "hover" => with_shape::<AtPoint>(list_shapes::<Hover>()),
        "drag" => with_shape::<DragBetweenPoints>(list_shapes::<Drag>()),
        "upload" => list_shapes::<Upload>(),
        "dialog" => list_shapes::<Dialog>(),
        // A short form would exceed the 100 properties.
        "tab" => vec![closed_schema::<Tab>(make_strict)],
        "scroll" => list_shapes::<Scroll>(),
        "wait" => list_shapes::<Wait>(),
        "extract" => with_shape::<ExtractFile>(list_shapes::<Extract>()),
        "page_tool" => list_shapes::<PageTool>(),
        "need_user" => list_shapes::<NeedUser>(),
        "ask_user" => list_shapes::<AskUser>(),
        "stop" | "complete" => list_shapes::<Stop>(),
        "task_manager" => list_shapes::<TaskManager>(),
        "recall" => list_shapes::<Recall>(),
        "premove" => list_shapes::<Premove>(),
        "replan" => list_shapes::<Replan>(),
        _ => return None,
    })
}

/// Adds another shape of the same action, such as that at a point. It stands first, because sub-actions take the last
/// one.
fn with_shape<T: JsonSchema>(shapes: Vec<Value>) -> Vec<Value> {
    std::iter::once(closed_schema::<T>(make_strict)).chain(shapes).collect()
}

fn list_shapes<T: JsonSchema>() -> Vec<Value> {
    let (short, full) = (closed_schema::<T>(required_only), closed_schema::<T>(make_strict));
    if without_descriptions(&short) == without_descriptions(&full) { vec![full] } else { vec![short, full] }
}

/// Removes the descriptions from a schema.
fn without_descriptions(schema: &Value) -> Value {
    match schema {
        Value::Object(map) => {
            let kept = map.iter().filter(|(word, value)| *word != "description" || !value.is_string());
            Value::Object(kept.map(|(word, value)| (word.clone(), without_descriptions(value))).collect())
        }
        Value::Array(items) => items.iter().map(without_descriptions).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => schema.clone(),
    }
}

fn generate_schema<T: JsonSchema>() -> Value {
    closed_schema::<T>(make_strict)
}

fn closed_schema<T: JsonSchema>(rule: fn(&mut Schema)) -> Value {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.inline_subschemas = true;
        settings.meta_schema = None;
    });
    let settings = settings.with_transform(RecursiveTransform(rule));
    settings.into_generator().into_root_schema_for::<T>().to_value()
}

/// Closes an object, requires all its properties, and drops keywords that strict mode does not support.
fn make_strict(schema: &mut Schema) {
    for word in ["title", "format", "minimum", "maximum", "default"] {
        schema.remove(word);
    }
    let is_object = schema.get("type").is_some_and(|kind| match kind {
        Value::Array(kinds) => kinds.iter().any(|kind| kind == "object"),
        kind => kind == "object",
    });
    if is_object {
        let properties =
            schema.get("properties").and_then(Value::as_object).cloned().unwrap_or_else(Map::new);
        let names: Vec<&String> = properties.keys().collect();
        let required = json!(names);
        schema.insert(String::from("required"), required);
        schema.insert(String::from("additionalProperties"), json!(false));
        schema.insert(String::from("properties"), Value::Object(properties));
    }
}

/// Keeps only the required properties, and makes the rest strict.
fn required_only(schema: &mut Schema) {
    schema.remove("description");
    let needed: Vec<Value> = schema.get("required").and_then(Value::as_array).cloned().unwrap_or_default();
    if let Some(Value::Object(properties)) = schema.get_mut("properties") {
        properties.retain(|name, _| needed.iter().any(|known| known == name.as_str()));
    }
    make_strict(schema);
}

/// Order of the properties in a schema. Endpoints write them in this order, so the model thinks before it
/// acts.
pub const ORDER: [&str; 31] = [
    "status",
    "context",
    "thoughts",
    "step_ref",
    "expected_outcome",
    "confidence",
    "actions",
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
