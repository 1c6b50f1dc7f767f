//! Facts about one element by which the gate decides and to which an approval is bound. They come from the
//! page, never from a model's description of its own action.

use serde::{Deserialize, Serialize};

/// Facts about one element.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Target {
    pub eid: u32,
    /// Address of the page or frame document that contains the element.
    pub page: String,
    /// Address of the top page, if the element is in a frame with another address; otherwise empty.
    pub top: String,
    /// ARIA role.
    pub role: String,
    /// Accessible name.
    pub name: String,
    /// Further text: the visible text if the accessible name differs, or the name of the control that a label
    /// belongs to. Empty if the same.
    #[serde(rename = "also")]
    pub other_name: String,
    /// Tag name in lower case, as `button`.
    pub tag: String,
    /// `type` of the button or input, or of a label's control, in lower case.
    #[serde(rename = "type")]
    pub kind: String,
    pub disabled: bool,
    /// Fields that must be valid before the element is enabled, as far as its form shows.
    pub lacks: Vec<String>,
    /// True if text can be typed into it.
    pub editable: bool,
    /// True for a password, one-time code or card field.
    pub secret: bool,
    /// Title or URL of the frame that contains the element; empty for the page itself.
    pub frame: String,
    /// Absolute URL to which acting on the element leads or sends; `None` if nowhere.
    pub destination: Option<String>,
    /// True for a link that downloads its destination.
    pub download: bool,
    /// Form that it belongs to.
    pub form: Option<Form>,
    /// True if acting on the element submits `form`.
    pub submits: bool,
    /// True if the attributes show that a script sends `form` as soon as the element is used or changed.
    pub sends_itself: bool,
    /// True if the element declares that it opens or unfolds something on the page (`aria-expanded`,
    /// `aria-haspopup`, a `summary`).
    pub opens: bool,
    /// Nearest heading, dialog title or section title.
    pub context: String,
    /// Text around it (its row or card), at most 200 characters.
    pub near: String,
    /// Texts of live regions around it ("Saved"), which come and go by themselves.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub live: Vec<String>,
    /// `near` without the live regions; empty if there are none.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub lasting_near: String,
    /// Text of its form without the live regions; empty if there are none.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub lasting_text: String,
    /// Title of the row, list item or card that it belongs to; empty if it belongs to none.
    #[serde(rename = "thing")]
    pub subject: String,
    /// First heading of the page. It is shown, and is no part of what an approval is bound to.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub heading: String,
    /// Dialog that contains it. It is shown, and is no part of what an approval is bound to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dialog: Option<DialogAround>,
    /// Lines with amounts of money around it, and the totals of the whole page.
    pub prices: Vec<String>,
    /// Filled fields outside forms, if the element is outside forms too.
    pub loose: Vec<Field>,
    /// Options that are picked on the page, and those that the action may pick. They are shown beside values of requests,
    /// and are no part of what an approval is bound to.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub picked: Vec<PickedOption>,
    /// x, y, width and height in CSS pixels of the viewport.
    #[serde(rename = "box")]
    pub bounds: [f64; 4],
    /// Element to be dragged onto this one, for that action.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dragged: Option<Box<Target>>,
    /// The other elements of an action on several (`fill`).
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub others: Vec<Target>,
}

/// An option of a list: what is submitted for it, and the words that the list shows.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct PickedOption {
    /// Name of the field; empty if it is not known.
    pub name: String,
    pub value: String,
    pub words: String,
}

/// Dialog of the page that contains an element.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct DialogAround {
    pub title: String,
    /// Its text without its buttons and without typed values, at most 400 characters.
    pub text: String,
}

/// Form that contains an element.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Form {
    /// Absolute URL that the form is sent to.
    pub action: String,
    /// `get`, `post` or `dialog` in lower case; empty for fields and buttons that belong together without a
    /// form element.
    pub method: String,
    /// `enctype` attribute; empty if absent.
    pub encoding: String,
    /// `target` attribute; empty if absent.
    pub window: String,
    pub name: String,
    pub fields: Vec<Field>,
    /// Hash of the fields beyond the maximum number; empty if there are none.
    pub rest: String,
    /// Names of its buttons.
    pub buttons: Vec<String>,
    /// Text of the form, including prices, at most 500 characters.
    pub text: String,
}

/// A field of a form.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Field {
    pub name: String,
    pub label: String,
    pub group: String,
    #[serde(rename = "type")]
    pub kind: String,
    pub autocomplete: String,
    /// Current value; empty for a secret field.
    pub value: String,
    /// Hash of the submitted value if `value` does not show it completely (hashed by [`crate::browser::actor`] on
    /// arrival from the page). Empty for secrets and one-time tokens.
    pub sent: String,
    /// Hash of a hidden value that looks generated, such as an id; empty for tokens against forgery. It is compared
    /// with what leaves, and is no part of the approval's fingerprint.
    pub generated: String,
    /// True for a password or one-time code. `card` marks parts of a payment card; `group` is the question
    /// that a radio button answers.
    pub secret: bool,
    pub card: bool,
    pub filled: bool,
}

impl Target {
    /// Returns the examined element of this number: the target itself or one of the others.
    pub fn element(&self, eid: u32) -> Option<&Self> {
        std::iter::once(self).chain(&self.others).find(|target| target.eid == eid)
    }

    /// Reports whether text typed here must never be shown or stored: a password, one-time code or card
    /// field.
    pub fn is_secret(&self) -> bool {
        self.secret
            || self.kind == "password"
            || self.own_field().is_some_and(|field| field.secret || field.card)
    }

    /// Returns the name, or else the text of the element or around it.
    pub fn display_name(&self) -> &str {
        let names = [&self.name, &self.other_name, &self.near];
        names.into_iter().find(|words| !words.is_empty()).map_or("", String::as_str)
    }

    /// Returns the form's field for this element, matched by name.
    pub fn own_field(&self) -> Option<&Field> {
        let fields = &self.form.as_ref().filter(|_| !self.name.is_empty())?.fields;
        let labelled = fields.iter().find(|field| field.label == self.name);
        labelled.or_else(|| fields.iter().find(|field| field.name == self.name))
    }
}

/// Text that the page reports as [`Field::sent`] for a shown choice that is submitted as an empty value.
pub const NOTHING_SENT: &str = " ";

impl Field {
    /// Reports whether the value is generated at every load, such as an anti-forgery token, and so says
    /// nothing about what is sent.
    pub(crate) fn is_token(&self) -> bool {
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
