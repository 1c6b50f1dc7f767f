//! Template rendering for scripts: every string of a step is a template over the inputs and the named results
//! of earlier steps. A text that consists of one expression keeps its JSON type.

use crate::agent_spec::template;
use crate::agent_spec::types::script::{Check, Target};
use serde_json::{Map, Value};

/// Prefix of a literal.
const LITERAL: &str = "{{ ";

/// Renders a text to a value. The error names the text.
pub fn render_value(text: &str, known: &Map<String, Value>) -> Result<Value, String> {
    if !is_template(text) {
        return Ok(Value::String(text.to_owned()));
    }
    template::evaluate(text, known).map_err(|fault| format!("`{text}`: {fault}"))
}

/// Renders a text to a string; an absent value becomes empty.
pub fn render_text(text: &str, known: &Map<String, Value>) -> Result<String, String> {
    Ok(match render_value(text, known)? {
        Value::String(text) => text,
        Value::Null => String::new(),
        other => other.to_string(),
    })
}

/// Renders all strings in parameters.
pub fn render_params(
    params: &Map<String, Value>,
    known: &Map<String, Value>,
) -> Result<Map<String, Value>, String> {
    params.iter().map(|(name, param)| Ok((name.clone(), render_param(param, known)?))).collect()
}

fn render_param(param: &Value, known: &Map<String, Value>) -> Result<Value, String> {
    match param {
        Value::String(text) => render_value(text, known),
        Value::Array(items) => items.iter().map(|item| render_param(item, known)).collect(),
        Value::Object(map) => render_params(map, known).map(Value::Object),
        Value::Null | Value::Bool(_) | Value::Number(_) => Ok(param.clone()),
    }
}

/// Fills in the templates of a target.
pub fn render_target(target: &Target, known: &Map<String, Value>) -> Result<Target, String> {
    let maybe = |text: &Option<String>| text.as_deref().map(|text| render_text(text, known)).transpose();
    Ok(Target {
        role: render_text(&target.role, known)?,
        name: render_text(&target.name, known)?,
        near: maybe(&target.near)?,
        frame: maybe(&target.frame)?,
    })
}

/// Fills in the templates of a check.
pub fn render_check(check: &Check, known: &Map<String, Value>) -> Result<Check, String> {
    let maybe = |text: &Option<String>| text.as_deref().map(|text| render_text(text, known)).transpose();
    Ok(Check {
        text: maybe(&check.text)?,
        url: maybe(&check.url)?,
        title: maybe(&check.title)?,
        within_s: check.within_s,
    })
}

/// Returns a template that renders to exactly this text, whatever it contains.
pub fn literal(text: &str) -> String {
    if !is_template(text) {
        return text.to_owned();
    }
    let mut quoted = Value::String(text.to_owned()).to_string();
    for (opener, code) in [("{{", "{\\u007b"), ("{%", "{\\u0025"), ("{#", "{\\u0023")] {
        quoted = quoted.replace(opener, code);
    }
    format!("{LITERAL}{quoted} }}}}")
}

/// True if the text was made by [`literal`].
pub fn is_literal(text: &str) -> bool {
    text.strip_prefix(LITERAL).is_some_and(|rest| rest.starts_with('"'))
}

/// True if the template names this input.
pub fn names_input(text: &str, name: &str) -> bool {
    is_template(text) && template::names(text).iter().any(|found| found == name)
}

/// Returns the full address; a path is relative to this service.
pub fn complete_address(url: &str, own_origin: &str) -> String {
    let own = url.starts_with('/') && !url.starts_with("//");
    if own { format!("{own_origin}{url}") } else { url.to_owned() }
}

/// True if the text contains an expression, a statement or a comment of a template.
pub fn is_template(text: &str) -> bool {
    text.contains("{{") || text.contains("{%") || text.contains("{#")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    // Text of a page is never a template.
    #[test]
    fn a_literal_means_itself() {
        let known = json!({"secret": "x"}).as_object().unwrap().clone();
        for text in [
            "plain",
            "{{ secret }}",
            "a {% if x %} \"b\" \\ {# c #} ${{ secret }} {{{{",
            "{{{%{#",
            "line\nline {{ '}}' }}",
        ] {
            let made = literal(text);
            assert_eq!(render_text(&made, &known).as_deref(), Ok(text), "{made}");
            assert_eq!(is_literal(&made), text != "plain");
        }
        assert!(!is_literal("{{ secret }}"));
    }
}
