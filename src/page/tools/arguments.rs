//! Checks the arguments of a page's tool against its schema. The schema comes from the page, and so its depth and the
//! work for it are bounded; keywords that are not read here are left to the page.

use crate::page::json_schema::SchemaNode;
use crate::page::text::quoted;
use serde_json::{Map, Value};

/// Deepest level that is checked.
const DEPTH: usize = 8;
/// Most faults that are told at once.
const MOST_FAULTS: usize = 5;
/// Most values and alternatives that are checked.
const MOST_CHECKS: usize = 2_000;
/// Longest list of choices that is written out.
const MOST_CHOICES: usize = 20;

/// Returns the arguments with texts converted to the numbers and truth values that the schema wants. The error names
/// each field that does not fit.
pub fn check_arguments(schema: &Value, arguments: &Map<String, Value>) -> Result<Map<String, Value>, String> {
    let mut checked = Value::Object(arguments.clone());
    let mut check = Check { faults: Vec::new(), remaining: MOST_CHECKS };
    check.check_value(SchemaNode::of_document(schema), &mut checked, "", 0);
    match checked {
        Value::Object(checked) if check.faults.is_empty() => Ok(checked),
        _ => Err(check.faults.join("; ")),
    }
}

/// A check under way.
struct Check {
    faults: Vec<String>,
    remaining: usize,
}

impl Check {
    fn add_fault(&mut self, path: &str, what: &str) {
        if self.faults.len() < MOST_FAULTS {
            let name = if path.is_empty() { String::from("the arguments") } else { quoted(path) };
            self.faults.push(format!("{name} {what}"));
        }
    }

    fn check_value(&mut self, schema: SchemaNode<'_>, value: &mut Value, path: &str, depth: usize) {
        let Some(remaining) = self.remaining.checked_sub(1) else { return };
        self.remaining = remaining;
        if depth > DEPTH {
            return;
        }
        if schema.forbids_all() {
            return self.add_fault(path, "is not allowed");
        }
        let schema = schema.resolve();
        convert_text(schema, value);
        if !has_type(schema, value) {
            let wanted = schema.type_names().join(" or ");
            return self.add_fault(path, &format!("must be of type {wanted}, not {}", type_of(value)));
        }
        if !self.check_choices(schema, value, path) {
            return;
        }
        self.check_bounds(schema, value, path);
        match value {
            Value::Object(map) => self.check_object(schema, map, path, depth),
            Value::Array(list) => self.check_list(schema, list, path, depth),
            _ => {}
        }
        self.check_alternatives(schema, value, path, depth);
    }

    /// Returns false if the value is none of those that the schema lists.
    fn check_choices(&mut self, schema: SchemaNode<'_>, value: &Value, path: &str) -> bool {
        let Some(choices) = schema.choices() else { return true };
        if choices.iter().any(|choice| is_equal(choice, value)) {
            return true;
        }
        let mut names: Vec<String> = choices.iter().take(MOST_CHOICES).map(display).collect();
        if choices.len() > MOST_CHOICES {
            names.push(format!("… {} more", choices.len() - MOST_CHOICES));
        }
        self.add_fault(path, &format!("must be one of {}, not {}", names.join(", "), display(value)));
        false
    }

    fn check_bounds(&mut self, schema: SchemaNode<'_>, value: &Value, path: &str) {
        let limit = |word: &str| schema.keyword(word).and_then(Value::as_f64);
        let (measured, [least, most], what) = match value {
            Value::Number(number) => {
                (number.as_f64().unwrap_or_default(), ["minimum", "maximum"].map(limit), "")
            }
            Value::String(text) => {
                (text.chars().count() as f64, ["minLength", "maxLength"].map(limit), " characters")
            }
            Value::Array(list) => (list.len() as f64, ["minItems", "maxItems"].map(limit), " items"),
            _ => return,
        };
        if let Some(least) = least.filter(|least| measured < *least) {
            self.add_fault(path, &format!("must be at least {least}{what}, not {measured}"));
        }
        if let Some(most) = most.filter(|most| measured > *most) {
            self.add_fault(path, &format!("must be at most {most}{what}, not {measured}"));
        }
        let (above, below) = (limit("exclusiveMinimum"), limit("exclusiveMaximum"));
        if value.is_number() && above.is_some_and(|above| measured <= above) {
            self.add_fault(path, &format!("must be more than {}", above.unwrap_or_default()));
        }
        if value.is_number() && below.is_some_and(|below| measured >= below) {
            self.add_fault(path, &format!("must be less than {}", below.unwrap_or_default()));
        }
    }

    fn check_object(
        &mut self,
        schema: SchemaNode<'_>,
        map: &mut Map<String, Value>,
        path: &str,
        depth: usize,
    ) {
        for name in schema.required_names() {
            if map.get(name).is_none_or(Value::is_null) && !takes_null(schema, name) {
                let kind = schema.property(name).map(|schema| known_types(schema.resolve()).join(" or "));
                let kind = kind.filter(|kind| !kind.is_empty()).map(|kind| format!(" ({kind})"));
                self.add_fault(&join(path, name), &format!("is missing{}", kind.unwrap_or_default()));
            }
        }
        // Models write null for what they leave out.
        map.retain(|name, value| !value.is_null() || takes_null(schema, name));
        let open = schema.additional_properties();
        for (name, value) in map.iter_mut() {
            match (schema.property(name), open) {
                (Some(inner), _) => self.check_value(inner, value, &join(path, name), depth + 1),
                (None, Some(inner)) if inner.forbids_all() => {
                    let known = known_names(schema);
                    self.add_fault(&join(path, name), &format!("is unknown; the tool takes {known}"));
                }
                (None, Some(inner)) => self.check_value(inner, value, &join(path, name), depth + 1),
                (None, None) => {}
            }
        }
    }

    fn check_list(&mut self, schema: SchemaNode<'_>, list: &mut [Value], path: &str, depth: usize) {
        let Some(items) = schema.items() else { return };
        for (at, value) in list.iter_mut().enumerate() {
            self.check_value(items, value, &format!("{path}[{at}]"), depth + 1);
        }
    }

    fn check_alternatives(&mut self, schema: SchemaNode<'_>, value: &mut Value, path: &str, depth: usize) {
        for inner in schema.alternatives("allOf") {
            self.check_value(inner, value, path, depth + 1);
        }
        for word in ["anyOf", "oneOf"] {
            let mut first = None;
            let fits = schema.alternatives(word).any(|inner| {
                let mut tried = Check { faults: Vec::new(), remaining: self.remaining };
                let mut copy = value.clone();
                tried.check_value(inner, &mut copy, path, depth + 1);
                self.remaining = tried.remaining;
                let fits = tried.faults.is_empty();
                if fits {
                    *value = copy;
                }
                first = first.take().or(tried.faults.into_iter().next());
                fits
            });
            if let (false, Some(fault)) = (fits, first)
                && self.faults.len() < MOST_FAULTS
            {
                self.faults.push(format!("{fault} (or another alternative of the schema)"));
            }
        }
    }
}

fn takes_null(schema: SchemaNode<'_>, name: &str) -> bool {
    schema.property(name).is_some_and(|schema| schema.resolve().type_names().contains(&"null"))
}

/// Lists the properties of a schema.
fn known_names(schema: SchemaNode<'_>) -> String {
    let properties = schema.properties().into_iter().flatten();
    let names: Vec<String> = properties.take(MOST_CHOICES).map(|(name, _)| quoted(name)).collect();
    if names.is_empty() { String::from("nothing") } else { names.join(", ") }
}

/// Returns those of the types that JSON has; others are words of the page.
fn known_types(schema: SchemaNode<'_>) -> Vec<&str> {
    schema.type_names().into_iter().filter(|name| is_type(name)).collect()
}

fn has_type(schema: SchemaNode<'_>, value: &Value) -> bool {
    let names = schema.type_names();
    names.is_empty()
        || names.iter().any(|name| match *name {
            "integer" => value.as_f64().is_some_and(|number| number.fract() == 0.0),
            name => name == type_of(value) || !is_type(name),
        })
}

/// Converts a text to the number or truth value that the schema wants instead, as weak models write them.
fn convert_text(schema: SchemaNode<'_>, value: &mut Value) {
    let Value::String(text) = value else { return };
    let names = schema.type_names();
    if names.is_empty() || names.contains(&"string") {
        return;
    }
    let read: Option<Value> = serde_json::from_str(text.trim()).ok();
    if let Some(read) = read.filter(|read| !read.is_string() && has_type(schema, read)) {
        *value = read;
    }
}

fn is_type(name: &str) -> bool {
    matches!(name, "string" | "number" | "integer" | "boolean" | "object" | "array" | "null")
}

fn type_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

fn is_equal(one: &Value, other: &Value) -> bool {
    one == other || one.as_f64().zip(other.as_f64()).is_some_and(|(one, other)| one == other)
}

fn display(value: &Value) -> String {
    match value {
        Value::String(text) => quoted(text),
        other => other.to_string(),
    }
}

fn join(path: &str, name: &str) -> String {
    if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn check(arguments: Value) -> Result<Value, String> {
        let schema = json!({
            "type": "object",
            "properties": {
                "size": {"type": "string", "enum": ["small", "large"]},
                "count": {"type": "integer", "minimum": 1, "maximum": 5},
                "gift": {"type": "boolean"},
                "note": {"type": ["string", "null"], "maxLength": 5},
                "toppings": {"type": "array", "items": {"$ref": "#/$defs/topping"}, "maxItems": 2},
                "when": {"oneOf": [{"const": "now"}, {"type": "object", "required": ["hour"]}]},
            },
            "$defs": {"topping": {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}},
            "required": ["size", "count"],
            "additionalProperties": false,
        });
        check_arguments(&schema, arguments.as_object().expect("a map")).map(Value::Object)
    }

    #[test]
    fn arguments_that_fit_are_taken_and_texts_converted() {
        let whole = json!({"size": "small", "count": 2, "gift": true, "toppings": [{"name": "basil"}]});
        assert_eq!(check(whole.clone()), Ok(whole.clone()));
        let texts = json!({
            "size": "small", "count": "2", "gift": "true", "toppings": "[{\"name\": \"basil\"}]", "when": null,
        });
        assert_eq!(check(texts), Ok(whole));
        let with_null = json!({"size": "large", "count": 1, "note": null, "when": {"hour": 3}});
        assert_eq!(check(with_null.clone()), Ok(with_null));
    }

    #[test]
    fn each_field_that_does_not_fit_is_named() {
        for (arguments, words) in [
            (json!({}), "\"size\" is missing (string); \"count\" is missing (integer)"),
            (
                json!({"size": "huge", "count": 1}),
                "\"size\" must be one of \"small\", \"large\", not \"huge\"",
            ),
            (json!({"size": "small", "count": 9}), "\"count\" must be at most 5, not 9"),
            (json!({"size": "small", "count": 1.5}), "\"count\" must be of type integer, not number"),
            (
                json!({"size": "small", "count": 1, "note": "too long"}),
                "\"note\" must be at most 5 characters, not 8",
            ),
            (
                json!({"size": "small", "count": 1, "toppings": [{"name": "a"}, {"name": 3}]}),
                "\"toppings[1].name\" must be of type string, not number",
            ),
            (
                json!({"size": "small", "count": 1, "colour": "red"}),
                r#""colour" is unknown; the tool takes "size", "count", "gift", "note", "toppings", "when""#,
            ),
            (
                json!({"size": "small", "count": 1, "when": {}}),
                "\"when\" must be one of \"now\", not {} (or another alternative of the schema)",
            ),
        ] {
            assert_eq!(check(arguments), Err(words.to_owned()));
        }
    }

    // A page may declare a schema that refers to itself.
    #[test]
    fn a_schema_without_end_is_checked_to_its_bounds() {
        let schema = json!({
            "anyOf": [{"$ref": "#"}, {"$ref": "#"}, {"$ref": "#"}], "properties": {"a": {"$ref": "#"}},
        });
        let mut deep = json!({});
        for _ in 0..40 {
            deep = json!({"a": deep});
        }
        assert!(check_arguments(&schema, deep.as_object().expect("a map")).is_ok());
    }
}
