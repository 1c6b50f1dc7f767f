//! The facts about one element that the gate judges by, and that an approval is bound to. They come from the page itself, never from what a model says of its own action.

use serde::{Deserialize, Serialize};

/// One element, looked at closely.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Target {
    pub eid: u32,
    /// Address of the page that it stands on.
    pub page: String,
    /// Address of the page in front, where it stands in a frame that has another; else empty.
    pub top: String,
    pub role: String,
    pub name: String,
    /// What else it says: the text that is seen where a page gives another name, or the name of the
    /// control that a label stands for. Empty if the same.
    pub also: String,
    /// Lower case, as `button`.
    pub tag: String,
    /// The `type` of a button or input, or of what a label stands for; lower case.
    #[serde(rename = "type")]
    pub kind: String,
    pub disabled: bool,
    /// Fields that must be filled in rightly before it is enabled, as far as its form says so.
    pub lacks: Vec<String>,
    pub editable: bool,
    /// A password, one-time code or card field.
    pub secret: bool,
    /// Title or URL of the frame that it stands in; empty for the page itself.
    pub frame: String,
    /// Where acting on it would lead or send to, absolute; none if nowhere.
    pub destination: Option<String>,
    /// A link that saves what it leads to.
    pub download: bool,
    pub form: Option<Form>,
    /// Whether acting on it would submit `form`.
    pub submits: bool,
    /// Whether its attributes say that a script sends `form` as soon as it is used or changed.
    pub sends_itself: bool,
    /// Whether it says of itself that it opens or unfolds something here (`aria-expanded`,
    /// `aria-haspopup`, a `summary`).
    pub opens: bool,
    /// The nearest heading, dialog or section title.
    pub context: String,
    /// Text around it (its row or card), at most 200 characters.
    pub near: String,
    /// Lines with amounts of money around it, and the totals of the whole page.
    pub prices: Vec<String>,
    /// Filled fields that are in no form, where this is in none either.
    pub loose: Vec<Field>,
    /// CSS pixels in the viewport: x, y, width, height.
    #[serde(rename = "box")]
    pub bounds: [f64; 4],
    /// What is to be dragged onto it, where that is the action.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dragged: Option<Box<Target>>,
}

/// The form that an element belongs to.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Form {
    pub action: String,
    /// Lower case: `get`, `post`, `dialog`; empty for fields and buttons that belong together
    /// without being a form.
    pub method: String,
    /// Its `enctype`, as the page says it; empty if it does not.
    pub encoding: String,
    /// Its `target`, as the page says it; empty if it does not.
    pub window: String,
    pub name: String,
    pub fields: Vec<Field>,
    /// One hash for the fields that are too many to be listed; empty if there are none.
    pub rest: String,
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
    pub group: String,
    #[serde(rename = "type")]
    pub kind: String,
    pub autocomplete: String,
    /// Empty for a secret one.
    pub value: String,
    /// What is sent, where `value` does not say it whole, as a hash ([`crate::browser`] seals it as it
    /// arrives from the page). Empty for secrets and one-time tokens.
    pub sent: String,
    /// A password or one-time code; `card` is part of a payment card, `group` what a radio button answers.
    pub secret: bool,
    pub card: bool,
    pub filled: bool,
}

impl Target {
    /// Whether what is typed here must never be shown or stored: a password, code or card field.
    pub fn is_secret(&self) -> bool {
        self.secret
            || self.kind == "password"
            || self.own_field().is_some_and(|field| field.secret || field.card)
    }

    /// What it is called, or else what it says or stands beside.
    pub fn called(&self) -> &str {
        let said = [&self.name, &self.also, &self.near];
        said.into_iter().find(|words| !words.is_empty()).map_or("", String::as_str)
    }

    /// The form's field that this element is, as far as names tell.
    pub fn own_field(&self) -> Option<&Field> {
        let fields = &self.form.as_ref().filter(|_| !self.name.is_empty())?.fields;
        let labelled = fields.iter().find(|field| field.label == self.name);
        labelled.or_else(|| fields.iter().find(|field| field.name == self.name))
    }
}

impl Field {
    /// A value that the page makes anew at every load (an anti-forgery token and the like): it
    /// says nothing of what is sent.
    pub(super) fn is_token(&self) -> bool {
        let name = self.name.to_ascii_lowercase();
        let named = ["csrf", "xsrf", "token", "nonce", "viewstate"].iter().any(|part| name.contains(part));
        self.kind == "hidden" && (named || looks_generated(&self.value))
    }
}

fn looks_generated(value: &str) -> bool {
    value.len() >= 20
        && !value.contains(char::is_whitespace)
        && value.contains(|c: char| c.is_ascii_digit())
        && value.contains(|c: char| c.is_ascii_alphabetic())
        && !value.contains("://")
}
