//! Reading of the JSON Schema that a planner gives for rows. Planners write any dialect of it: what cannot be a row is
//! refused, keywords that say nothing about the shape are ignored, and the rest becomes a schema of strict mode.

use crate::page::json_schema::SchemaNode;
use crate::page::json_schema::length::write_bounded;
use serde_json::{Map, Value, json};

/// Longest schema that is read, as JSON in bytes.
const MAX_BYTES: usize = 100_000;
/// Most values of a schema: fields, items, and kinds of unions.
const MAX_VALUES: usize = 200;
/// Most levels of objects, lists, references and wrappers.
const MAX_LEVELS: usize = 10;
const MAX_NAME_CHARS: usize = 100;
const MAX_DESCRIPTION_CHARS: usize = 300;
const MAX_CHOICES: usize = 200;
/// Column of a list whose items are no objects.
const ONLY_COLUMN: &str = "value";

/// Fields of a row.
#[derive(Clone, Debug, PartialEq)]
pub struct RowSchema {
    pub fields: Vec<RowField>,
    /// Names beside the list of rows, which are not read.
    pub unread_names: Vec<String>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct RowField {
    pub name: String,
    /// True if every row must have a value.
    pub required: bool,
    pub description: Option<String>,
    pub kind: ValueKind,
}

/// Type of a value. Every value may be null where the page does not tell it.
#[derive(Clone, Debug, PartialEq)]
pub enum ValueKind {
    Text,
    /// Text of the form 2026-05-04.
    Date,
    Number,
    Integer,
    Boolean,
    /// Choice of these texts, numbers or booleans.
    Choice(Vec<Value>),
    Object(Vec<RowField>),
    List(Box<ValueKind>),
}

impl RowSchema {
    /// Parses a JSON Schema. The error says what is wrong, for a planner.
    pub fn parse(schema: &Map<String, Value>) -> Result<Self, String> {
        let document = Value::Object(schema.clone());
        if write_bounded(&document, MAX_BYTES).is_none() {
            return Err(format!("the schema has more than {MAX_BYTES} bytes; give only what a row needs"));
        }
        let (row, unread_names) = find_row(SchemaNode::of_document(&document), 0)?;
        let fields = match SchemaReader::default().kind(row, 0)? {
            ValueKind::Object(fields) => fields,
            kind => vec![RowField { name: ONLY_COLUMN.to_owned(), required: false, description: None, kind }],
        };
        if fields.is_empty() {
            return Err(String::from("the schema names no `properties` of a row"));
        }
        Ok(Self { fields, unread_names })
    }

    pub fn columns(&self) -> Vec<String> {
        self.fields.iter().map(|field| field.name.clone()).collect()
    }

    /// Returns the schema of strict mode for a list of such rows.
    pub fn strict_list(&self) -> Value {
        json!({"type": "array", "items": strict_object(&self.fields, false)})
    }

    /// Returns the schema that the page script reads: the fields without inner structure.
    pub fn flat(&self) -> Value {
        let flat = self.fields.iter().filter(|field| !field.kind.is_nested());
        let properties: Map<String, Value> = flat
            .map(|field| {
                let description = field.description.as_deref().unwrap_or_default();
                (field.name.clone(), json!({"type": field.kind.json_type(), "description": description}))
            })
            .collect();
        json!({"type": "object", "properties": properties})
    }
}

impl ValueKind {
    /// True for a value that has values within it.
    pub fn is_nested(&self) -> bool {
        matches!(self, Self::Object(_) | Self::List(_))
    }

    /// Returns the name of the type in JSON Schema.
    fn json_type(&self) -> &'static str {
        match self {
            Self::Text | Self::Date => "string",
            Self::Number => "number",
            Self::Integer => "integer",
            Self::Boolean => "boolean",
            Self::Choice(choices) if choices.iter().all(Value::is_number) => "number",
            Self::Choice(choices) if choices.iter().all(Value::is_boolean) => "boolean",
            Self::Choice(_) => "string",
            Self::Object(_) => "object",
            Self::List(_) => "array",
        }
    }

    fn strict(&self, description: Option<&str>) -> Value {
        let mut schema = match self {
            Self::Object(fields) => strict_object(fields, true),
            Self::List(items) => json!({"type": "array", "items": items.strict(None)}),
            Self::Choice(choices) => {
                let all: Vec<Value> = choices.iter().cloned().chain([Value::Null]).collect();
                json!({"type": [self.json_type(), "null"], "enum": all})
            }
            other => json!({"type": [other.json_type(), "null"]}),
        };
        let form = matches!(self, Self::Date).then_some("as 2026-05-04");
        let words = Vec::from_iter(description.into_iter().chain(form)).join("; ");
        if !words.is_empty() {
            schema["description"] = json!(words);
        }
        schema
    }
}

/// Returns a closed object that requires all of its members.
fn strict_object(fields: &[RowField], nullable: bool) -> Value {
    let names: Vec<&str> = fields.iter().map(|field| field.name.as_str()).collect();
    let properties: Map<String, Value> = fields
        .iter()
        .map(|field| (field.name.clone(), field.kind.strict(field.description.as_deref())))
        .collect();
    let kind = if nullable { json!(["object", "null"]) } else { json!("object") };
    json!({"type": kind, "properties": properties, "required": names, "additionalProperties": false})
}

/// Finds the schema of one row: the items of a list, also of one that an object holds, with at most two other
/// members. Returns the names of those.
fn find_row(schema: SchemaNode<'_>, level: usize) -> Result<(SchemaNode<'_>, Vec<String>), String> {
    let schema = resolve(schema, level)?;
    if is_list(schema) {
        let items = schema.items().ok_or("a list of the schema has no `items`")?;
        return Ok((resolve(items, level + 1)?, Vec::new()));
    }
    let Some(members) = schema.properties().filter(|members| members.len() <= 3) else {
        return Ok((schema, Vec::new()));
    };
    let members: Vec<(&str, SchemaNode<'_>)> = members.collect();
    let mut lists = members.iter().filter(|(_, one)| is_list_of_objects(*one, level));
    match (lists.next(), lists.next()) {
        (Some((list, inner)), None) => {
            let (row, _) = find_row(*inner, level + 1)?;
            let others = members.iter().filter(|(name, _)| name != list);
            Ok((row, others.map(|(name, _)| (*name).to_owned()).collect()))
        }
        _ => Ok((schema, Vec::new())),
    }
}

fn is_list_of_objects(schema: SchemaNode<'_>, level: usize) -> bool {
    let items = resolve(schema, level).ok().filter(|list| is_list(*list)).and_then(SchemaNode::items);
    items.and_then(|items| resolve(items, level).ok()).is_some_and(|items| items.properties().is_some())
}

/// Follows references and removes wrappers: unions with null, and lists of one schema.
fn resolve(schema: SchemaNode<'_>, level: usize) -> Result<SchemaNode<'_>, String> {
    let mut at = schema;
    for _ in level..MAX_LEVELS {
        if let Some(reference) = at.reference() {
            at = reference
                .map_err(|name| format!("`$ref` \"{}\" names nothing in the schema", clip(name, 60)))?;
            continue;
        }
        let is_wrapper = |keyword: &&str| at.keyword(keyword).is_some_and(Value::is_array);
        let wrapper = ["anyOf", "oneOf", "allOf"].into_iter().find(is_wrapper);
        let Some(wrapper) = wrapper.filter(|_| at.keyword("properties").is_none()) else { return Ok(at) };
        let mut kinds = at.alternatives(wrapper).filter(|one| !is_null_type(*one));
        match (kinds.next(), kinds.next()) {
            (Some(only), None) => at = only,
            // The kinds of a union are told apart in `kind`.
            _ => return Ok(at),
        }
    }
    Err(too_deep())
}

fn is_null_type(schema: SchemaNode<'_>) -> bool {
    schema.keyword("type").and_then(Value::as_str) == Some("null")
}

fn too_deep() -> String {
    format!("the schema has more than {MAX_LEVELS} levels, or refers to itself")
}

/// Reading under way.
#[derive(Default)]
struct SchemaReader {
    /// Number of values read so far.
    values: usize,
}

impl SchemaReader {
    fn kind(&mut self, schema: SchemaNode<'_>, level: usize) -> Result<ValueKind, String> {
        self.values += 1;
        if self.values > MAX_VALUES {
            return Err(format!("the schema has more than {MAX_VALUES} values"));
        }
        if level > MAX_LEVELS {
            return Err(too_deep());
        }
        let schema = resolve(schema, level)?;
        if let Some(choices) = choices_of(schema)? {
            return Ok(ValueKind::Choice(choices));
        }
        let is_union = |keyword: &&str| schema.keyword(keyword).is_some_and(Value::is_array);
        if let Some(keyword) = ["anyOf", "oneOf"].into_iter().find(is_union) {
            return self.union(schema.alternatives(keyword), level);
        }
        Ok(match type_of(schema)? {
            "object" => ValueKind::Object(self.fields_of(schema, level)?),
            "array" => {
                let items = schema.items().map(|items| self.kind(items, level + 1)).transpose()?;
                ValueKind::List(Box::new(items.unwrap_or(ValueKind::Text)))
            }
            "number" => ValueKind::Number,
            "integer" => ValueKind::Integer,
            "boolean" => ValueKind::Boolean,
            _ => match schema.keyword("format").and_then(Value::as_str) {
                Some("date") => ValueKind::Date,
                _ => ValueKind::Text,
            },
        })
    }

    /// Reads a union: equal kinds are one, different plain ones become a text.
    fn union<'a>(
        &mut self,
        kinds: impl Iterator<Item = SchemaNode<'a>>,
        level: usize,
    ) -> Result<ValueKind, String> {
        let mut read = Vec::new();
        for kind in kinds.take(20).filter(|one| !is_null_type(*one)) {
            read.push(self.kind(kind, level + 1)?);
        }
        match read.split_first() {
            Some((first, rest)) if rest.iter().all(|other| other == first) => Ok(first.clone()),
            Some(_) if read.iter().all(|kind| !kind.is_nested()) => Ok(ValueKind::Text),
            _ => Err(String::from("the schema has a value of several kinds (`anyOf`); give it one type")),
        }
    }

    fn fields_of(&mut self, schema: SchemaNode<'_>, level: usize) -> Result<Vec<RowField>, String> {
        let Some(properties) = schema.properties() else {
            return Err(String::from("an object of the schema has no `properties`"));
        };
        let mut fields = Vec::new();
        for (name, of) in properties {
            if name.trim().is_empty() || name.chars().count() > MAX_NAME_CHARS {
                return Err(format!(
                    "a name of the schema is empty or has more than {MAX_NAME_CHARS} characters"
                ));
            }
            fields.push(RowField {
                name: name.to_owned(),
                required: schema.requires(name),
                description: description_of(of),
                kind: self.kind(of, level + 1)?,
            });
        }
        Ok(fields)
    }
}

fn is_list(schema: SchemaNode<'_>) -> bool {
    schema.items().is_some() || type_of(schema) == Ok("array")
}

/// Returns the type of a schema, without null; what it does not tell follows from its other keywords.
fn type_of(schema: SchemaNode<'_>) -> Result<&str, String> {
    let mut names = schema.type_names();
    names.retain(|name| *name != "null");
    let named = match names.as_slice() {
        [] => None,
        [one] => Some(*one),
        several if several.iter().all(|name| !matches!(*name, "object" | "array")) => Some("string"),
        _ => return Err(String::from("the schema has a value of several types; give it one")),
    };
    match named {
        Some(name @ ("object" | "array" | "string" | "number" | "integer" | "boolean")) => Ok(name),
        None if schema.keyword("properties").is_some() => Ok("object"),
        None if schema.items().is_some() => Ok("array"),
        None => Ok("string"),
        Some(other) => Err(format!("the schema has an unknown type \"{}\"", clip(other, 40))),
    }
}

/// Returns the values of `enum` or `const`.
fn choices_of(schema: SchemaNode<'_>) -> Result<Option<Vec<Value>>, String> {
    let Some(listed) = schema.choices() else {
        return match schema.keyword("enum") {
            Some(_) => Err(String::from("`enum` of the schema is no list")),
            None => Ok(None),
        };
    };
    let choices: Vec<Value> = listed.iter().filter(|choice| !choice.is_null()).cloned().collect();
    if choices.len() > MAX_CHOICES || choices.iter().any(|choice| choice.is_object() || choice.is_array()) {
        return Err(format!(
            "an `enum` of the schema has more than {MAX_CHOICES} values, or one that is no plain value"
        ));
    }
    let is_one_type = choices.windows(2).all(|pair| match pair {
        [a, b] => std::mem::discriminant(a) == std::mem::discriminant(b),
        _ => true,
    });
    match (choices.is_empty(), is_one_type) {
        (true, _) => Ok(None),
        (false, true) => Ok(Some(choices)),
        (false, false) => Err(String::from("an `enum` of the schema has values of several types")),
    }
}

fn description_of(schema: SchemaNode<'_>) -> Option<String> {
    let words = ["title", "description"].iter().filter_map(|name| schema.keyword(name)?.as_str());
    let words = Vec::from_iter(words).join(": ");
    let words = crate::text::truncate::one_line(&words);
    (!words.is_empty()).then(|| clip(&words, MAX_DESCRIPTION_CHARS))
}

fn clip(text: &str, most: usize) -> String {
    text.chars().take(most).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(schema: Value) -> Result<RowSchema, String> {
        RowSchema::parse(schema.as_object().expect("an object"))
    }

    fn kinds(schema: Value) -> Vec<(String, ValueKind)> {
        let parsed = parse(schema).expect("a schema of rows");
        parsed.fields.into_iter().map(|field| (field.name, field.kind)).collect()
    }

    #[test]
    fn rows_are_found_wherever_the_list_stands() {
        let row = json!({"type": "object", "properties": {"name": {"type": "string"}, "price": {"type": "number"}}});
        let of_rows =
            vec![(String::from("name"), ValueKind::Text), (String::from("price"), ValueKind::Number)];
        for schema in [
            row.clone(),
            json!({"type": "array", "items": row}),
            json!({"items": row}),
            json!({"type": "object", "properties": {"products": {"type": "array", "items": row}}}),
            json!({"type": "object", "properties": {"total": {"type": "integer"}, "rows": {"type": ["array", "null"], "items": row}}}),
            json!({"$defs": {"Row": row}, "type": "array", "items": {"$ref": "#/$defs/Row"}}),
            json!({"$ref": "#/definitions/Row", "definitions": {"Row": row}}),
            json!({"type": "array", "items": {"anyOf": [row, {"type": "null"}]}}),
        ] {
            assert_eq!(kinds(schema.clone()), of_rows, "{schema}");
        }
        assert_eq!(
            kinds(json!({"type": "array", "items": {"type": "string"}})),
            [(String::from("value"), ValueKind::Text)]
        );
    }

    #[test]
    fn kinds_of_values_are_read_in_every_dialect() {
        for (schema, kind) in [
            (json!({"type": ["number", "null"], "minimum": 0, "multipleOf": 0.01}), ValueKind::Number),
            (json!({"type": "integer", "nullable": true}), ValueKind::Integer),
            (json!({"anyOf": [{"type": "string"}, {"type": "null"}]}), ValueKind::Text),
            (json!({"anyOf": [{"type": "string"}, {"type": "number"}]}), ValueKind::Text),
            (json!({"type": ["string", "number"]}), ValueKind::Text),
            (json!({"type": "string", "format": "date"}), ValueKind::Date),
            (json!({"enum": ["new", "used", null]}), ValueKind::Choice(vec![json!("new"), json!("used")])),
            (json!({"const": 3}), ValueKind::Choice(vec![json!(3)])),
            (json!({}), ValueKind::Text),
            (
                json!({"type": "array", "items": {"type": "string"}}),
                ValueKind::List(Box::new(ValueKind::Text)),
            ),
            (json!({"allOf": [{"type": "boolean"}]}), ValueKind::Boolean),
        ] {
            let rows = json!({"type": "object", "properties": {"a": schema, "b": {"type": "string"}}});
            assert_eq!(kinds(rows)[0].1, kind, "{schema}");
        }
    }

    #[test]
    fn what_cannot_be_a_row_is_refused_with_a_reason() {
        let deep = (0..20).fold(
            json!({"type": "string"}),
            |inner, _| json!({"type": "object", "properties": {"a": inner, "b": {}}}),
        );
        let wide: Map<String, Value> = (0..200).map(|n| (format!("p{n}"), json!({}))).collect();
        for (schema, why) in [
            (json!({"type": "object"}), "no `properties`"),
            (json!({"type": "object", "properties": {}}), "no `properties`"),
            (json!({"type": "array"}), "no `items`"),
            (json!({"type": "object", "properties": {"a": {"type": "date"}}}), "unknown type \"date\""),
            (json!({"$ref": "#/$defs/Gone"}), "names nothing"),
            (json!({"$ref": "https://elsewhere.test/schema"}), "names nothing"),
            (json!({"$ref": "#/$defs/A", "$defs": {"A": {"$ref": "#/$defs/A"}}}), "refers to itself"),
            (
                json!({"type": "object", "properties": {"a": {"$ref": "#"}, "b": {"$ref": "#/properties/b"}}}),
                "refers to itself",
            ),
            (
                json!({"$defs": {"A": {"type": "object", "properties": {"a": {"$ref": "#/$defs/A"}}}}, "$ref": "#/$defs/A"}),
                "refers to itself",
            ),
            (deep, "levels"),
            (
                json!({"type": "object", "properties": {"a": {"description": "x".repeat(MAX_BYTES)}}}),
                "more than 100000 bytes",
            ),
            (json!({"type": "object", "properties": wide}), "more than 200"),
            (json!({"type": "object", "properties": {"a": {"enum": [1, "b"]}}}), "several types"),
            (json!({"type": "object", "properties": {"a": {"type": ["object", "string"]}}}), "several types"),
        ] {
            let fault = parse(schema.clone()).expect_err("refused");
            assert!(fault.contains(why), "{schema}: {fault}");
        }
    }

    #[test]
    fn the_schema_for_a_model_is_strict_and_lets_every_value_be_null() {
        let parsed =
            parse(json!({"type": "array", "items": {"type": "object", "required": ["name"], "properties": {
                "name": {"type": "string", "maxLength": 5, "description": "of the\nlamp"},
                "when": {"type": "string", "format": "date"},
                "state": {"enum": ["new", "used"]},
                "maker": {"type": "object", "properties": {"city": {"type": "string"}}},
                "tags": {"type": "array", "items": {"type": "string"}},
            }}}))
            .expect("a schema of rows");
        let strict = parsed.strict_list();
        let row = &strict["items"];
        assert_eq!(row["required"], json!(["name", "when", "state", "maker", "tags"]));
        assert_eq!(row["additionalProperties"], json!(false));
        let of = &row["properties"];
        assert_eq!(of["name"], json!({"type": ["string", "null"], "description": "of the lamp"}));
        assert_eq!(of["state"], json!({"type": ["string", "null"], "enum": ["new", "used", null]}));
        assert_eq!(of["maker"]["type"], json!(["object", "null"]));
        assert_eq!(of["tags"]["items"], json!({"type": ["string", "null"]}));
        assert_eq!(of["when"]["description"], "as 2026-05-04");
        let flat = parsed.flat();
        assert_eq!(
            flat["properties"].as_object().map(|properties| properties.keys().cloned().collect::<Vec<_>>()),
            Some(vec![String::from("name"), String::from("when"), String::from("state")])
        );
    }
}
