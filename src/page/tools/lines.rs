//! Lines of the observation that tell the tools of a page (`docs/page_text.md`, "Tools of the page").

use crate::page::json_schema::SchemaNode;
use crate::page::observation::{Attributes, Line};
use crate::page::page_tool::{PageTool, TOOL};
use crate::page::quote::fold;
use serde_json::Value;

/// Most arguments of a tool that are told, those within others included.
const MOST_ARGUMENTS: usize = 24;
/// Deepest level of arguments that is told.
const DEPTH: u32 = 3;
/// Characters of all tools together, from which on the arguments of further tools are left out.
const BUDGET: usize = 8_000;
const HINT: usize = 160;
const NAME: usize = 64;
/// Most options of an argument, and their longest label.
const MOST_OPTIONS: usize = 24;
const OPTION: usize = 80;

/// Returns the lines that tell the tools, and how many the page declares that are not offered.
pub fn tool_lines(tools: &[PageTool], left_out: usize) -> Vec<Line> {
    let mut lines = Vec::new();
    let mut spent = 0;
    for tool in tools {
        lines.push(line(0, TOOL, &tool.name, Attributes::default()));
        let about = [&tool.title, &tool.description].map(String::as_str);
        let about: Vec<&str> = about.into_iter().filter(|text| !text.is_empty()).collect();
        if !about.is_empty() {
            lines.push(line(1, "text", &about.join(": "), Attributes::default()));
        }
        lines.extend(tool.form.map(|form| note(1, form_note(form.submits))));
        let mut arguments = Vec::new();
        push_arguments(SchemaNode::of_document(&tool.schema).resolve(), 1, &mut arguments);
        spent += about.iter().map(|text| text.len()).sum::<usize>();
        let length: usize = arguments.iter().map(length_of).sum();
        if arguments.is_empty() || spent + length <= BUDGET {
            spent += length;
            lines.extend(arguments);
        } else {
            lines.push(note(1, "its arguments are left out here; call it to be told what it takes"));
        }
    }
    if left_out > 0 {
        let text = format!(
            "{left_out} more tools of the page are not offered: too many, too long, or of another site"
        );
        lines.push(note(0, &text));
    }
    lines
}

fn form_note(submits: bool) -> &'static str {
    if submits {
        "fills in a form of the page and sends it"
    } else {
        "fills in a form of the page; press its button afterwards to send it"
    }
}

/// Adds a line for each argument of a schema, and for those within it.
fn push_arguments(schema: SchemaNode<'_>, depth: u32, lines: &mut Vec<Line>) {
    let Some(properties) = schema.properties() else { return };
    let count = properties.len();
    for (name, inner) in properties {
        if lines.len() >= MOST_ARGUMENTS {
            return lines.push(note(depth, &format!("some of these {count} arguments are left out")));
        }
        let inner = inner.resolve();
        lines.push(argument_line(name, inner, schema.requires(name), depth));
        if depth < DEPTH {
            push_arguments(inner.items().map_or(inner, SchemaNode::resolve), depth + 1, lines);
        }
    }
}

fn argument_line(name: &str, schema: SchemaNode<'_>, required: bool, depth: u32) -> Line {
    let item = schema.items().map(SchemaNode::resolve);
    let options = choices(schema).or_else(|| choices(item?)).unwrap_or_default();
    let attributes = Attributes {
        options,
        required,
        hint: Some(argument_hint(schema)).filter(|hint| !hint.is_empty()),
        ..Attributes::default()
    };
    line(depth, "argument", &fold(name, NAME), attributes)
}

/// Lists the values that an argument may have.
fn choices(schema: SchemaNode<'_>) -> Option<Vec<String>> {
    let listed = schema.keyword("enum").and_then(Value::as_array).map(|values| values.iter().collect());
    let named = || {
        let keyword = if schema.keyword("oneOf").is_some() { "oneOf" } else { "anyOf" };
        schema.alternatives(keyword).map(|variant| variant.keyword("const")).collect::<Option<Vec<_>>>()
    };
    let values = listed.or_else(named).filter(|values| !values.is_empty())?;
    let mut options: Vec<String> =
        values.iter().take(MOST_OPTIONS).map(|value| fold(&plain(value), OPTION)).collect();
    if values.len() > MOST_OPTIONS {
        options.push(format!("… {} more", values.len() - MOST_OPTIONS));
    }
    Some(options)
}

/// Returns type, bounds, format, default and description of an argument.
fn argument_hint(schema: SchemaNode<'_>) -> String {
    let mut kind = schema.type_names().join(" or ");
    if let Some(items) = schema.items().map(|items| items.resolve().type_names().join(" or "))
        && !items.is_empty()
    {
        kind = format!("{kind} of {items}");
    }
    let of = |word: &str| schema.keyword(word).filter(|value| !value.is_null()).map(plain);
    let bounds = match (of("minimum"), of("maximum")) {
        (Some(least), Some(most)) => Some(format!("from {least} to {most}")),
        (Some(least), None) => Some(format!("at least {least}")),
        (None, Some(most)) => Some(format!("at most {most}")),
        (None, None) => None,
    };
    let parts = [
        Some(kind).filter(|kind| !kind.is_empty()),
        bounds,
        of("format"),
        of("pattern").map(|pattern| format!("pattern {pattern}")),
        of("default").map(|default| format!("default {default}")),
        of("description").or_else(|| of("title")),
    ];
    fold(&parts.into_iter().flatten().collect::<Vec<_>>().join(", "), HINT)
}

fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

fn length_of(line: &Line) -> usize {
    let attributes = &line.attributes;
    line.name.len()
        + attributes.hint.as_ref().map_or(0, String::len)
        + attributes.options.iter().map(String::len).sum::<usize>()
        + 20
}

fn line(depth: u32, role: &str, name: &str, attributes: Attributes) -> Line {
    Line { depth, role: String::from(role), name: name.to_owned(), attributes, ..Line::default() }
}

fn note(depth: u32, text: &str) -> Line {
    line(depth, "note", text, Attributes::default())
}
