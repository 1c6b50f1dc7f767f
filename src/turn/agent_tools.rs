//! Agents as tools: their description for a planner, and the parsing and checking of their parameters.
//! Parsing is lenient, as weak models write numbers as text; checking is strict (S2.21, S2.24).

use serde_json::{Map, Value};

/// Names of the types of an input.
pub const TYPES: [&str; 7] = ["string", "boolean", "integer", "number", "object", "list", "any"];

/// Opening of a template, whose value is known only when the action starts (S4.18).
const LATER: &str = "${{";

/// An agent that can be called by its name.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tool {
    pub name: String,
    /// Description for models.
    pub description: String,
    pub inputs: Vec<Input>,
    /// True if it calls agents itself; such a call has the type `monument`.
    pub composite: bool,
    /// True if it works in a browser.
    pub browses: bool,
}

/// A parameter of a tool.
#[derive(Clone, Debug, PartialEq)]
pub struct Input {
    pub name: String,
    /// Type name from `TYPES`.
    pub type_name: String,
    pub description: String,
    pub required: bool,
    /// Value if the input is absent; null for an optional input without one.
    pub default: Option<Value>,
    /// True if templates in the value are evaluated by the called agent, not by the caller.
    pub verbatim: bool,
}

impl Default for Input {
    fn default() -> Self {
        let (name, description) = (String::new(), String::new());
        Self {
            name,
            type_name: String::from("any"),
            description,
            required: false,
            default: None,
            verbatim: false,
        }
    }
}

impl Input {
    /// True if a strict schema can express the type; values of other types are requested as JSON in a string.
    pub fn is_plain(&self) -> bool {
        !matches!(self.type_name.as_str(), "object" | "list" | "any")
    }

    /// Converts a string to the type of the input where it contains such a value as JSON; otherwise returns
    /// it as it is.
    fn read(&self, value: &Value) -> Value {
        let Value::String(text) = value else { return self.as_text(value) };
        if (text.contains(LATER) && !self.verbatim) || self.type_name == "string" {
            return value.clone();
        }
        match serde_json::from_str::<Value>(text.trim()) {
            Ok(read) if fits(&self.type_name, &read) => read,
            Ok(_) | Err(_) => value.clone(),
        }
    }

    /// Converts a number to a string where a string is expected.
    fn as_text(&self, value: &Value) -> Value {
        match value {
            Value::Number(number) if self.type_name == "string" => Value::String(number.to_string()),
            value => value.clone(),
        }
    }
}

impl Tool {
    /// Converts the parameters to the types of the inputs. `null` for an optional input counts as absent;
    /// values that cannot be converted stay, and `complete` reports them.
    pub fn read(&self, params: &Map<String, Value>) -> Map<String, Value> {
        let meant = |(name, value): (&String, &Value)| {
            let input = self.inputs.iter().find(|input| input.name == *name);
            match input {
                Some(input) if value.is_null() && !input.required => None,
                Some(input) => Some((name.clone(), input.read(value))),
                None => Some((name.clone(), value.clone())),
            }
        };
        params.iter().filter_map(meant).collect()
    }

    /// Returns the input of the call with defaults filled in, or all faults in one text (S2.21).
    pub fn complete(&self, params: &Map<String, Value>) -> Result<Map<String, Value>, String> {
        let mut whole = self.read(params);
        let mut faults = Vec::new();
        for input in &self.inputs {
            match whole.get(&input.name) {
                Some(value) if fits(&input.type_name, value) => {}
                Some(value) => faults.push(format!(
                    "`{}` must be of type {}, not {}",
                    input.name,
                    input.type_name,
                    name_type(value)
                )),
                None if input.required => {
                    faults.push(format!("`{}` ({}) is missing", input.name, input.type_name))
                }
                None => drop(whole.insert(input.name.clone(), input.default.clone().unwrap_or_default())),
            }
        }
        let known = |name: &String| self.inputs.iter().any(|input| input.name == *name);
        for name in params.keys().filter(|name| !known(name)) {
            faults.push(format!("there is no `{name}`; {}", self.takes()));
        }
        if faults.is_empty() { Ok(whole) } else { Err(faults.join("; ")) }
    }

    /// Splits the parameters into verbatim ones and those whose templates the caller evaluates.
    pub fn split_verbatim(&self, params: &Map<String, Value>) -> (Map<String, Value>, Map<String, Value>) {
        let verbatim = |name: &String| self.inputs.iter().any(|input| input.verbatim && input.name == *name);
        params.clone().into_iter().partition(|(name, _)| verbatim(name))
    }

    fn takes(&self) -> String {
        match self.inputs.is_empty() {
            true => format!("`{}` takes nothing", self.name),
            false => {
                let names: Vec<String> =
                    self.inputs.iter().map(|input| format!("`{}`", input.name)).collect();
                format!("`{}` takes {}", self.name, names.join(", "))
            }
        }
    }
}

/// True if a value has the type `type_name`; an integer is a number too.
pub fn fits(type_name: &str, value: &Value) -> bool {
    match (type_name, value) {
        ("any", _) => true,
        ("number", Value::Number(_)) => true,
        // 3.0 counts as an integer.
        ("integer", Value::Number(number)) => {
            number.is_i64() || number.is_u64() || number.as_f64().is_some_and(|number| number.fract() == 0.0)
        }
        (type_name, value) => type_name == name_type(value),
    }
}

/// Returns the name of a value's type.
pub fn name_type(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_f64() => "number",
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Array(_) => "list",
        Value::Object(_) => "object",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn tool() -> Tool {
        let input = |name: &str, type_name: &str, required: bool, default: Option<Value>| Input {
            name: name.to_owned(),
            type_name: type_name.to_owned(),
            required,
            default,
            ..Input::default()
        };
        Tool {
            name: String::from("build_tool"),
            inputs: vec![
                input("target", "string", true, None),
                input("jobs", "integer", false, Some(json!(2))),
                input("flags", "list", false, None),
                input("fast", "boolean", false, None),
            ],
            ..Tool::default()
        }
    }

    fn complete(params: Value) -> Result<Value, String> {
        tool().complete(params.as_object().expect("a map")).map(Value::Object)
    }

    #[test]
    fn parameters_are_read_as_they_were_meant() {
        let whole = json!({"target": "//main:app", "jobs": 2, "flags": null, "fast": null});
        assert_eq!(complete(json!({"target": "//main:app"})), Ok(whole.clone()));
        let nulls = json!({"target": "//main:app", "jobs": null, "flags": null, "fast": null});
        assert_eq!(complete(nulls), Ok(whole));
        let texts = json!({"target": 7, "jobs": "4", "flags": "[\"-c\", 1]", "fast": "true"});
        let read = json!({"target": "7", "jobs": 4, "flags": ["-c", 1], "fast": true});
        assert_eq!(complete(texts), Ok(read));
    }

    // All faults are reported at once, before anything runs (S2.21).
    #[test]
    fn all_wrong_parameters_are_named() {
        for (params, words) in [
            (json!({}), "`target` (string) is missing"),
            (json!({"target": null}), "`target` must be of type string, not null"),
            (json!({"target": "a", "jobs": "many"}), "`jobs` must be of type integer, not string"),
            (
                json!({"target": {}, "jobs": 1.5, "goal": 1}),
                "`target` must be of type string, not object; `jobs` must be of type integer, not number; \
                 there is no `goal`; `build_tool` takes `target`, `jobs`, `flags`, `fast`",
            ),
        ] {
            assert_eq!(complete(params), Err(words.to_owned()));
        }
        let none = Tool { name: String::from("clock"), ..Tool::default() };
        let params = json!({"zone": "Kyiv"});
        let completed = none.complete(params.as_object().expect("a map"));
        assert_eq!(completed, Err(String::from("there is no `zone`; `clock` takes nothing")));
    }

    // A template is checked once it is evaluated (S4.18).
    #[test]
    fn a_template_value_is_converted_later() {
        let params = json!({"target": "a", "jobs": "${{ variables.jobs }}"});
        let read = tool().read(params.as_object().expect("a map"));
        assert_eq!(Value::Object(read), params);
    }
}
