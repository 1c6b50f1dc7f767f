//! The facts about one element that the gate judges by, and the fingerprint that an approval is
//! bound to. They come from the page itself, never from what a model says of its own action.

use serde::{Deserialize, Serialize};

/// One element, looked at closely.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Target {
    pub eid: u32,
    pub role: String,
    pub name: String,
    /// Lower case, as `button`.
    pub tag: String,
    /// The `type` of a button or input, lower case.
    #[serde(rename = "type")]
    pub kind: String,
    pub disabled: bool,
    pub editable: bool,
    /// Title or URL of the frame that it stands in; empty for the page itself.
    pub frame: String,
    /// Where acting on it would lead or send to, absolute; none if nowhere.
    pub destination: Option<String>,
    pub form: Option<Form>,
    /// Whether acting on it would submit `form`.
    pub submits: bool,
    /// The nearest heading, dialog or section title.
    pub context: String,
    /// Text around it (its row or card), at most 200 characters.
    pub near: String,
    /// CSS pixels in the viewport: x, y, width, height.
    #[serde(rename = "box")]
    pub bounds: [f64; 4],
}

/// The form that an element belongs to.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Form {
    pub action: String,
    /// Lower case: `get`, `post`, `dialog`.
    pub method: String,
    pub name: String,
    pub fields: Vec<Field>,
    pub buttons: Vec<String>,
    /// What the form says in words, prices included, at most 500 characters.
    pub text: String,
}

/// One field of a form.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Field {
    pub name: String,
    pub label: String,
    #[serde(rename = "type")]
    pub kind: String,
    pub autocomplete: String,
    /// Empty for a secret one.
    pub value: String,
    /// A password or one-time code.
    pub secret: bool,
    /// Part of a payment card.
    pub card: bool,
    pub filled: bool,
}
