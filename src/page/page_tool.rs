//! A tool that a page declares (WebMCP), as the planner is shown it. All of its texts come from the page, so everything
//! is bounded here, whatever a page declares.

use crate::page::json_schema::length::write_bounded;
use crate::page::quote::fold;
use crate::page::target::Target;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest, Sha256};

/// Role of a tool. ARIA has none of this name, so that no page can give it to an element.
pub const TOOL: &str = "tool";
/// Most tools of a page that are offered.
pub const MOST_TOOLS: usize = 32;
/// Longest name in characters. A tool with a longer one is not offered: it could not be called by it.
pub const LONGEST_NAME: usize = 64;
/// Longest title and description in characters.
const TITLE: usize = 100;
const DESCRIPTION: usize = 400;
/// Longest schema that is read, as JSON in bytes. A tool with a longer one is not offered.
pub const LONGEST_SCHEMA: usize = 20_000;

/// A tool that the page declares.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct PageTool {
    pub name: String,
    /// Title for people; empty if the page gives none.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub title: String,
    pub description: String,
    /// JSON Schema of the arguments; null if the page gives none.
    #[serde(skip_serializing_if = "Value::is_null")]
    pub schema: Value,
    /// Form of the page that the tool fills in; `None` for a tool that a script declared.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub form: Option<FormTool>,
    /// Hash of the declaration as the page made it, by which a changed tool is recognized.
    pub digest: String,
}

/// Behaviour of a tool that is a form of the page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FormTool {
    /// True if the form is sent as soon as it is filled in.
    pub submits: bool,
}

impl PageTool {
    /// Reads a declaration. `None` if the tool cannot be offered.
    pub fn read(
        name: &str,
        title: &str,
        description: &str,
        schema: &Value,
        form: Option<FormTool>,
    ) -> Option<Self> {
        let written = if schema.is_null() { String::new() } else { write_bounded(schema, LONGEST_SCHEMA)? };
        let is_plain = (1..=LONGEST_NAME).contains(&name.chars().count())
            && name.chars().all(|letter| !letter.is_control())
            && fold(name, LONGEST_NAME) == name;
        if !is_plain {
            return None;
        }
        let submits = form.map(|form| form.submits.to_string()).unwrap_or_default();
        Some(Self {
            name: name.to_owned(),
            title: fold(title, TITLE),
            description: fold(description, DESCRIPTION),
            digest: hash_texts([name, title, description, &written, &submits]),
            schema: schema.clone(),
            form,
        })
    }

    /// True for a form that is filled in and not sent: its button sends it, and is judged then.
    fn only_fills(&self) -> bool {
        self.form.is_some_and(|form| !form.submits)
    }

    /// Returns the facts by which the gate judges a call: those of a button that is named like the tool.
    pub fn target(&self, page: &str) -> Target {
        Target {
            page: page.to_owned(),
            role: String::from(TOOL),
            tag: String::from(if self.only_fills() { "form" } else { "button" }),
            name: self.name.clone(),
            other_name: self.title.clone(),
            near: self.description.clone(),
            submits: self.form.is_some_and(|form| form.submits),
            // An approval is bound to the whole declaration.
            kind: self.digest.clone(),
            ..Target::default()
        }
    }
}

/// Returns a hash of texts, each with its length, so that different lists never give the same input.
fn hash_texts(texts: [&str; 5]) -> String {
    let mut hash = Sha256::new();
    for text in texts {
        hash.update((text.len() as u64).to_le_bytes());
        hash.update(text.as_bytes());
    }
    hash.finalize().iter().take(16).map(|byte| format!("{byte:02x}")).collect()
}
