//! The JSON Schema of agent files for editors: the schema of the types, with as many rules of `check` as a
//! schema can express, so that an editor marks faults while the file is edited.

use crate::agent_spec::parse::schema_check::SCHEMA;
use crate::turn::action::NAMES;
use crate::turn::agent_tools::TYPES;
use serde_json::{Value, json};

/// Sections of atomic agents.
const SECTIONS: [&str; 4] = ["llm", "python", "shell", "browser"];

/// Keywords to add to the schema, each with a JSON Pointer (RFC 6901) to its place.
fn extra_keywords() -> [(&'static str, Value); 18] {
    let name = json!({"pattern": "^[a-z][a-z0-9_]{0,63}$"});
    let seconds = json!({"minimum": 1});
    [
        ("/properties/name", name.clone()),
        ("/properties/kind", json!({"description": "One section says how, or lanes call other agents."})),
        ("/properties/title_ua", json!({"description": "In Ukrainian; the name where it is empty."})),
        ("/properties/title_en", json!({"description": "In English."})),
        ("/properties/inputs", json!({"description": "What a run is given."})),
        ("/properties/locals", json!({"description": "Constants."})),
        ("/properties/build", json!({"description": "Made once before it runs: packages, or an image."})),
        ("/properties/outputs", json!({"description": "What leaves the run, and nothing else."})),
        (
            "/$defs/Variable/properties/type",
            json!({"enum": with_null(&TYPES), "description": "any, if absent"}),
        ),
        (
            "/$defs/Variable/properties/required",
            json!({"description": "true, if absent and without a default"}),
        ),
        ("/$defs/Item/properties/id", json!({"pattern": "^[A-Za-z0-9_-]{1,64}$"})),
        ("/$defs/Item/properties/agent", name),
        ("/$defs/Item/properties/timeout_s", seconds.clone()),
        ("/$defs/Python/properties/timeout_s", seconds.clone()),
        ("/$defs/Shell/properties/timeout_s", seconds),
        ("/$defs/Graph/properties/max_parallel", json!({"minimum": 1, "maximum": 64})),
        ("/$defs/Llm/properties/temperature", json!({"minimum": 0, "maximum": 2})),
        ("/$defs/Step/properties/action", json!({"examples": NAMES})),
    ]
}

/// Returns the schema for editors.
pub fn editor_schema() -> Value {
    let mut schema = SCHEMA.clone();
    schema["description"] = Value::from("A file of the agents' folder, named as the agent.");
    for (pointer, words) in extra_keywords() {
        if let (Some(Value::Object(there)), Value::Object(words)) = (schema.pointer_mut(pointer), words) {
            there.extend(words);
        }
    }
    // Older files write `executor`; the section already determines it.
    schema["properties"]["executor"] =
        json!({"enum": SECTIONS, "description": "May be left out: the section says it."});
    let absent = |names: &[&str]| json!({"not": {"anyOf": names.iter().map(|name| require_names(&[name])).collect::<Vec<_>>()}});
    let sections = absent(&["llm", "python", "shell", "browser", "executor"]);
    schema["if"] = json!({"properties": {"kind": {"const": "composite"}}});
    schema["then"] = json!({"required": ["graph"], "allOf": [sections]});
    schema["else"] =
        json!({"oneOf": SECTIONS.map(|name| require_names(&[name])), "allOf": [absent(&["graph"])]});
    let compared = ["equals", "not_equals", "in", "exists"].map(|word| require_names(&["var", word]));
    let mut conditions = compared.to_vec();
    conditions.push(json!({"required": ["expr"], "allOf": [absent(&["var"])]}));
    schema["$defs"]["When"]["oneOf"] = Value::from(conditions);
    schema
}

fn require_names(names: &[&str]) -> Value {
    json!({"required": names})
}

fn with_null(words: &[&str]) -> Vec<Value> {
    words.iter().map(|word| Value::from(*word)).chain([Value::Null]).collect()
}
