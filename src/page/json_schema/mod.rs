//! Reading of JSON Schemas that come from outside: the keywords of one schema, and the references within its document.
//! Pages and planners may write anything: the length is checked first (`length`), chains of references are bounded here,
//! and each caller bounds the levels that it descends, as a schema may refer to itself.

pub mod length;

use serde_json::Value;

/// Most references that are followed in a row.
const MOST_REFERENCES: usize = 10;

/// Schema within a document, into which its references point.
#[derive(Clone, Copy, Debug)]
pub struct SchemaNode<'a> {
    document: &'a Value,
    at: &'a Value,
}

impl<'a> SchemaNode<'a> {
    /// Returns the schema that is a whole document.
    pub fn of_document(document: &'a Value) -> Self {
        Self { document, at: document }
    }

    fn with(self, at: &'a Value) -> Self {
        Self { at, ..self }
    }

    pub fn keyword(self, name: &str) -> Option<&'a Value> {
        self.at.get(name)
    }

    /// Reports whether no value fits.
    pub fn forbids_all(self) -> bool {
        self.at == &Value::Bool(false)
    }

    /// Returns the schema that this one refers to, `None` if it is no reference. The error is a reference that leads to
    /// nothing in the document.
    pub fn reference(self) -> Option<Result<Self, &'a str>> {
        let reference = self.keyword("$ref")?.as_str()?;
        let found = reference.strip_prefix('#').and_then(|pointer| self.document.pointer(pointer));
        Some(found.map(|at| self.with(at)).ok_or(reference))
    }

    /// Follows references as far as they lead somewhere.
    pub fn resolve(self) -> Self {
        let mut schema = self;
        for _ in 0..MOST_REFERENCES {
            let Some(Ok(next)) = schema.reference() else { break };
            schema = next;
        }
        schema
    }

    /// Returns the properties in their order; `None` if the schema has no such keyword.
    pub fn properties(self) -> Option<impl ExactSizeIterator<Item = (&'a str, Self)> + use<'a>> {
        let properties = self.keyword("properties")?.as_object()?;
        Some(properties.iter().map(move |(name, at)| (name.as_str(), self.with(at))))
    }

    pub fn property(self, name: &str) -> Option<Self> {
        self.keyword("properties")?.get(name).map(|at| self.with(at))
    }

    /// Returns the schema of properties that are not listed.
    pub fn additional_properties(self) -> Option<Self> {
        self.keyword("additionalProperties").map(|at| self.with(at))
    }

    pub fn required_names(self) -> impl Iterator<Item = &'a str> + use<'a> {
        self.list("required").iter().filter_map(Value::as_str)
    }

    pub fn requires(self, name: &str) -> bool {
        self.required_names().any(|other| other == name)
    }

    /// Returns the schema of a list's items.
    pub fn items(self) -> Option<Self> {
        self.keyword("items").map(|at| self.with(at))
    }

    /// Returns the schemas of `allOf`, `anyOf` or `oneOf`; none if there is no such list.
    pub fn alternatives(self, keyword: &str) -> impl ExactSizeIterator<Item = Self> + use<'a> {
        self.list(keyword).iter().map(move |at| self.with(at))
    }

    /// Returns the types that the schema names.
    pub fn type_names(self) -> Vec<&'a str> {
        match self.keyword("type") {
            Some(Value::String(name)) => vec![name.as_str()],
            Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).collect(),
            _ => Vec::new(),
        }
    }

    /// Returns the values of `const` or `enum`; `None` if the schema lists none.
    pub fn choices(self) -> Option<&'a [Value]> {
        let single = self.keyword("const").map(std::slice::from_ref);
        single.or_else(|| self.keyword("enum")?.as_array().map(Vec::as_slice))
    }

    fn list(self, keyword: &str) -> &'a [Value] {
        self.keyword(keyword).and_then(Value::as_array).map_or(&[], Vec::as_slice)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn references_are_followed_within_the_document_and_not_for_ever() {
        let document = json!({
            "properties": {
                "size": {"$ref": "#/$defs/link"}, "gone": {"$ref": "#/$defs/none"}, "far": {"$ref": "https://a.test/s"},
                "round": {"$ref": "#/properties/round"}, "plain": {"type": ["string", "null"]},
            },
            "required": ["size", 3],
            "$defs": {"link": {"$ref": "#/$defs/size"}, "size": {"enum": ["small", "large"]}},
        });
        let root = SchemaNode::of_document(&document);
        let named = |name: &str| root.property(name).expect("a property");
        assert_eq!(named("size").resolve().choices().map(<[Value]>::len), Some(2));
        assert_eq!(named("gone").reference().and_then(Result::err), Some("#/$defs/none"));
        assert!(named("far").resolve().type_names().is_empty());
        assert!(named("round").resolve().reference().is_some(), "it ends");
        assert_eq!(named("plain").type_names(), ["string", "null"]);
        assert!(root.requires("size") && !root.requires("gone"));
        assert_eq!(root.properties().map(|properties| properties.len()), Some(5));
        assert!(named("plain").properties().is_none());
    }

    #[test]
    fn schemas_that_are_no_objects_have_no_keywords() {
        for document in
            [json!(true), json!(false), json!([1]), json!("x"), json!({"properties": 3, "required": {}})]
        {
            let schema = SchemaNode::of_document(&document);
            assert!(schema.properties().is_none() && schema.items().is_none() && schema.choices().is_none());
            assert_eq!(schema.required_names().count() + schema.alternatives("anyOf").len(), 0);
            assert_eq!(schema.forbids_all(), document == json!(false));
        }
    }
}
