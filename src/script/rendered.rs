//! Fills in what a script says: every string of a step is a template over the inputs and over what the
//! steps before it gave a name to. A text that is one whole expression keeps its JSON type.

use crate::spec::script::{Check, Target};
use crate::template;
use serde_json::{Map, Value};

/// A text, filled in; the fault says which text it was.
pub fn value(text: &str, known: &Map<String, Value>) -> Result<Value, String> {
    if !is_template(text) {
        return Ok(Value::String(text.to_owned()));
    }
    template::value(text, known).map_err(|fault| format!("`{text}`: {fault}"))
}

/// The same as words; what is absent is empty.
pub fn words(text: &str, known: &Map<String, Value>) -> Result<String, String> {
    Ok(match value(text, known)? {
        Value::String(text) => text,
        Value::Null => String::new(),
        other => other.to_string(),
    })
}

/// All strings of some parameters, filled in.
pub fn params(params: &Map<String, Value>, known: &Map<String, Value>) -> Result<Map<String, Value>, String> {
    params.iter().map(|(name, param)| Ok((name.clone(), filled(param, known)?))).collect()
}

fn filled(param: &Value, known: &Map<String, Value>) -> Result<Value, String> {
    match param {
        Value::String(text) => value(text, known),
        Value::Array(items) => items.iter().map(|item| filled(item, known)).collect(),
        Value::Object(map) => params(map, known).map(Value::Object),
        Value::Null | Value::Bool(_) | Value::Number(_) => Ok(param.clone()),
    }
}

pub fn target(target: &Target, known: &Map<String, Value>) -> Result<Target, String> {
    let maybe = |text: &Option<String>| text.as_deref().map(|text| words(text, known)).transpose();
    Ok(Target {
        role: words(&target.role, known)?,
        name: words(&target.name, known)?,
        near: maybe(&target.near)?,
        frame: maybe(&target.frame)?,
    })
}

pub fn check(check: &Check, known: &Map<String, Value>) -> Result<Check, String> {
    let maybe = |text: &Option<String>| text.as_deref().map(|text| words(text, known)).transpose();
    Ok(Check {
        text: maybe(&check.text)?,
        url: maybe(&check.url)?,
        title: maybe(&check.title)?,
        within_s: check.within_s,
    })
}

/// Whether a template names this input.
pub fn names(text: &str, name: &str) -> bool {
    is_template(text) && template::names(text).iter().any(|asked| asked == name)
}

/// An address; a path alone is this service's own.
pub fn address(url: &str, own_origin: &str) -> String {
    let own = url.starts_with('/') && !url.starts_with("//");
    if own { format!("{own_origin}{url}") } else { url.to_owned() }
}

pub fn is_template(text: &str) -> bool {
    text.contains("{{") || text.contains("{%") || text.contains("{#")
}
