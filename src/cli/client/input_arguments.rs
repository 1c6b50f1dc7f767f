//! Inputs of a run from the command line, read as the agent declares them.

use crate::cli::client::error::ClientError;
use crate::cli::client::follow::standard_input::Keyboard;
use crate::cli::client::follow::terminal_output;
use crate::turn::agent_tools::fits;
use serde_json::{Map, Value};
use std::path::Path;

/// The inputs that an agent declares.
#[derive(Debug, Default)]
pub struct DeclaredInputs {
    pub agent: String,
    /// Name and type of each input; `None` means any type.
    pub inputs: Vec<(String, Option<String>)>,
    /// True if the agent takes `text`, declared or not, because a conversation starts with it.
    pub takes_text: bool,
}

/// A parsed `--input`.
#[derive(Debug, PartialEq)]
pub struct InputArgument<'a> {
    pub name: &'a str,
    pub value: InputSource<'a>,
}

#[derive(Debug, PartialEq)]
pub enum InputSource<'a> {
    /// Text, read by the declared type.
    Typed(&'a str),
    /// A file whose text is read by the declared type; `-` is standard input.
    File(&'a str),
    Json(&'a str),
}

impl DeclaredInputs {
    /// Reads the declaration from the agent's JSON.
    pub fn from_agent(agent: &Value) -> Self {
        let word = |value: &Value, name: &str| value[name].as_str().map(str::to_owned);
        let inputs = agent["inputs"].as_array().map_or(&[][..], Vec::as_slice);
        Self {
            agent: word(agent, "name").unwrap_or_default(),
            inputs: inputs
                .iter()
                .filter_map(|input| Some((word(input, "name")?, word(input, "type"))))
                .collect(),
            takes_text: agent["browser"].is_object() && agent["browser"]["script"].is_null(),
        }
    }

    /// Returns the input that receives text without a name.
    pub fn unnamed_input(&self) -> Result<&str, ClientError> {
        let named = |name: &str| self.inputs.iter().any(|(input, _)| input == name);
        match self.inputs.as_slice() {
            _ if self.takes_text || named("text") => Ok("text"),
            [(only, _)] => Ok(only),
            _ => Err(ClientError::Usage(format!(
                "the agent {} has no one input for \"TEXT\"; name it: --input NAME=VALUE ({})",
                self.agent,
                self.list()
            ))),
        }
    }

    /// Parses a typed value as JSON of the declared type.
    pub fn read(&self, name: &str, text: &str) -> Result<Value, ClientError> {
        let kind = self.find_kind(name)?;
        let json = || serde_json::from_str::<Value>(text.trim()).ok();
        let value = match kind {
            "boolean" | "integer" | "number" | "object" | "list" => json().filter(|value| fits(kind, value)),
            _ => Some(Value::from(text)),
        };
        value.ok_or_else(|| {
            let shown = terminal_output::brief(text);
            ClientError::Usage(format!("--input {name}: {}, not \"{shown}\"", expected_value(kind)))
        })
    }

    /// Returns the declared type. The error for an undeclared name lists the declared ones.
    pub fn find_kind(&self, name: &str) -> Result<&str, ClientError> {
        if let Some((_, kind)) = self.inputs.iter().find(|(input, _)| input == name) {
            return Ok(kind.as_deref().unwrap_or("any"));
        }
        // `locale` is the language of the run's messages.
        if name == "locale" || (self.takes_text && name == "text") {
            return Ok("string");
        }
        let words = format!("the agent {} has no input \"{name}\"; it has {}", self.agent, self.list());
        Err(ClientError::Usage(words))
    }

    fn list(&self) -> String {
        let mut names: Vec<String> = self
            .inputs
            .iter()
            .map(|(name, kind)| match kind {
                Some(kind) => format!("{name} ({kind})"),
                None => name.clone(),
            })
            .collect();
        if self.takes_text && !self.inputs.iter().any(|(name, _)| name == "text") {
            names.push(String::from("text (string)"));
        }
        if names.is_empty() { String::from("none") } else { names.join(", ") }
    }
}

fn expected_value(kind: &str) -> &'static str {
    match kind {
        "boolean" => "must be true or false",
        "integer" => "must be a whole number",
        "number" => "must be a number",
        "object" => "must be a JSON object, as {\"a\": 1}",
        _ => "must be a JSON list, as [1, 2]",
    }
}

/// Parses `NAME=VALUE`, `NAME=@FILE` or `NAME:=JSON`.
pub fn split_argument(argument: &str) -> Result<InputArgument<'_>, ClientError> {
    let Some((name, value)) =
        argument.split_once('=').filter(|(name, _)| !name.trim_matches([':', ' ']).is_empty())
    else {
        return Err(ClientError::Usage(format!("--input takes NAME=VALUE, not \"{argument}\"")));
    };
    if let Some(name) = name.strip_suffix(':') {
        return Ok(InputArgument { name: name.trim(), value: InputSource::Json(value) });
    }
    let value = match value.strip_prefix('@') {
        Some(rest) if rest.starts_with('@') => InputSource::Typed(rest),
        Some("") => {
            return Err(ClientError::Usage(format!(
                "--input {name}: the name of a file is missing behind @"
            )));
        }
        Some(path) => InputSource::File(path),
        None => InputSource::Typed(value),
    };
    Ok(InputArgument { name: name.trim(), value })
}

/// Parses the object of `--input-json`.
pub fn object(text: &str, source: &str) -> Result<Map<String, Value>, ClientError> {
    match serde_json::from_str(text) {
        Ok(Value::Object(members)) => Ok(members),
        Ok(_) => Err(ClientError::Usage(format!("{source} must be one JSON object of inputs"))),
        Err(fault) => Err(ClientError::Usage(format!("{source} is not JSON: {fault}"))),
    }
}

/// Parses the JSON behind `:=`.
pub fn json(name: &str, text: &str) -> Result<Value, ClientError> {
    serde_json::from_str(text)
        .map_err(|fault| ClientError::Usage(format!("--input {name}: is not JSON: {fault}")))
}

/// Standard input, which can be read once, and not at all if it holds answers.
pub struct StdinOnce {
    pub free: bool,
}

impl StdinOnce {
    pub async fn read(&mut self, path: &str) -> Result<String, ClientError> {
        if path != "-" {
            let read = std::fs::read_to_string(Path::new(path));
            return read.map_err(|fault| ClientError::Usage(format!("{path} cannot be read: {fault}")));
        }
        if !std::mem::take(&mut self.free) {
            let words = "standard input can be read for one input only, and not together with --ask";
            return Err(ClientError::Usage(String::from(words)));
        }
        let read = Keyboard::default().rest().await;
        read.map_err(|fault| ClientError::Usage(format!("standard input cannot be read: {fault}")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn agent() -> DeclaredInputs {
        DeclaredInputs::from_agent(&json!({"name": "a", "inputs": [
            {"name": "words", "type": "string"}, {"name": "free"}, {"name": "flag", "type": "boolean"},
            {"name": "count", "type": "integer"}, {"name": "price", "type": "number"},
            {"name": "box", "type": "object"}, {"name": "rows", "type": "list"},
        ]}))
    }

    #[test]
    fn values_are_read_as_they_are_declared() {
        let agent = agent();
        for (name, typed, read) in [
            ("words", "5", json!("5")),
            ("words", " true ", json!(" true ")),
            ("free", "[1]", json!("[1]")),
            ("flag", "true", json!(true)),
            ("count", "-3", json!(-3)),
            ("price", "2.50", json!(2.5)),
            ("price", "2", json!(2)),
            ("box", "{\"a\": null}", json!({"a": null})),
            ("rows", "[1, \"b\"]", json!([1, "b"])),
            ("locale", "uk", json!("uk")),
        ] {
            assert_eq!(agent.read(name, typed).unwrap(), read, "{name}={typed}");
        }
        for (name, typed, words) in [
            ("flag", "yes", "--input flag: must be true or false, not \"yes\""),
            ("count", "2.5", "must be a whole number"),
            ("price", "dear", "must be a number"),
            ("box", "[]", "must be a JSON object"),
            ("rows", "1, 2", "must be a JSON list"),
            ("wrods", "x", "the agent a has no input \"wrods\"; it has words (string), free, flag (boolean)"),
        ] {
            let fault = agent.read(name, typed).unwrap_err();
            assert!(fault.to_string().contains(words), "{fault}");
            assert_eq!(fault.exit(), crate::cli::client::error::Exit::Usage);
        }
    }

    #[test]
    fn an_input_is_taken_apart() {
        let apart = |text| split_argument(text).map(|argument| (argument.name.to_owned(), argument.value));
        assert!(matches!(apart("a=b=c").unwrap(), (name, InputSource::Typed("b=c")) if name == "a"));
        assert!(matches!(apart("a=").unwrap(), (_, InputSource::Typed(""))));
        assert!(matches!(apart("a=@b.txt").unwrap(), (_, InputSource::File("b.txt"))));
        assert!(matches!(apart("a=@-").unwrap(), (_, InputSource::File("-"))));
        assert!(matches!(apart("a=@@olena").unwrap(), (_, InputSource::Typed("@olena"))));
        assert!(matches!(apart("a:=[1]").unwrap(), (name, InputSource::Json("[1]")) if name == "a"));
        for odd in ["", "a", "=b", ":=1", "a=@"] {
            assert!(apart(odd).is_err(), "{odd}");
        }
    }

    #[test]
    fn unnamed_text_goes_to_the_only_matching_input() {
        let named = |agent: Value| DeclaredInputs::from_agent(&agent).unnamed_input().map(str::to_owned).ok();
        assert_eq!(named(json!({"browser": {}, "inputs": [{"name": "x"}]})).as_deref(), Some("text"));
        assert_eq!(named(json!({"inputs": [{"name": "x"}, {"name": "text"}]})).as_deref(), Some("text"));
        assert_eq!(named(json!({"inputs": [{"name": "task"}]})).as_deref(), Some("task"));
        assert_eq!(named(json!({"inputs": [{"name": "x"}, {"name": "y"}]})), None);
        assert_eq!(named(json!({"inputs": []})), None);
    }

    #[test]
    fn an_object_of_inputs_is_one() {
        assert_eq!(object("{\"a\": 1}", "f").unwrap(), *json!({"a": 1}).as_object().unwrap());
        assert!(object("[1]", "f").unwrap_err().to_string().starts_with("f must be one JSON object"));
        assert!(object("{", "f").unwrap_err().to_string().starts_with("f is not JSON"));
    }
}
