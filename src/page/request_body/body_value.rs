//! Shapes of a body that was read: named values, GraphQL operations, or a type and size alone.

/// Contents of a request's body.
#[derive(Clone, Debug, PartialEq)]
pub enum RequestBody {
    Empty,
    Values(BodyValues),
    /// A body that cannot be shown as values: binary, compressed, or not given by the browser.
    Opaque {
        content_type: String,
        size: Option<u64>,
    },
}

/// Values of a body, in its order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BodyValues {
    pub values: Vec<BodyValue>,
    pub graphql: Vec<GraphqlOperation>,
    /// True if values were left out or shortened, or if the body itself arrived incomplete.
    pub is_truncated: bool,
}

/// Named value. Names of nested values are paths such as `items[0].title`.
#[derive(Clone, Debug, PartialEq)]
pub struct BodyValue {
    pub name: String,
    /// Text of the value; of a file its name. Empty lists and objects read `[]` and `{}`.
    pub value: String,
    pub kind: ValueKind,
}

/// Kind of a value.
#[derive(Clone, Debug, PartialEq)]
pub enum ValueKind {
    Text,
    Number,
    Flag,
    /// `null`, an empty list or an empty object.
    Null,
    File {
        file_name: String,
        content_type: String,
        /// Size in bytes; `None` if the browser left out the contents.
        size: Option<u64>,
    },
}

/// GraphQL operation that the server is asked to execute.
#[derive(Clone, Debug, PartialEq)]
pub struct GraphqlOperation {
    pub kind: OperationKind,
    /// Name of the operation; empty if it has none.
    pub name: String,
    /// Top-level fields that are selected, those of fragments included, without aliases.
    pub fields: Vec<String>,
    /// Names of body fields that GraphQL over HTTP does not define. A body with such fields may be meant for
    /// something else than a GraphQL server, and only look like a harmless query.
    pub foreign_fields: Vec<String>,
}

impl GraphqlOperation {
    /// Returns what tells it apart from other operations: its type, its name and its fields.
    pub fn signature(&self) -> String {
        format!("{:?} {} {}", self.kind, self.name, self.fields.join(" "))
    }
}

/// Type of a GraphQL operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OperationKind {
    Query,
    Mutation,
    Subscription,
    /// Known to the server alone: the body has a hash or an id, or a document that cannot be read.
    PersistedQuery,
}

impl BodyValue {
    pub fn text(name: impl Into<String>, value: impl Into<String>) -> Self {
        Self { name: name.into(), value: value.into(), kind: ValueKind::Text }
    }
}
