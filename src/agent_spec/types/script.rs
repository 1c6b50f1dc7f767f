//! Steps of a scripted browser agent: the actions of a planner's turn, played without a planner. Element
//! numbers are meaningless in another run, so a step identifies its element by what a person sees. Every
//! string is a template over the inputs and the values that earlier steps named.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// A step: an action, a check, or both.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Step {
    /// Purpose in words, for readers and for a model that repairs the script.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub action_id: Option<String>,
    /// Name of an action; empty for a step with only a `check`.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub action: String,
    /// Accepted as in a turn, and ignored.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target: Option<Target>,
    /// Source and destination of `drag`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from_target: Option<Target>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to_target: Option<Target>,
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub params: Map<String, Value>,
    /// State of the element after the click. An element already in this state is not clicked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub makes: Option<Makes>,
    /// Name of the extracted text in later steps, and of the output with the same name.
    #[serde(rename = "as", skip_serializing_if = "Option::is_none")]
    pub known_as: Option<String>,
    /// Keeps only the part of the extracted text in place of `*`, from the first line that matches.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub take: Option<String>,
    /// Conditions that must hold after the action.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub check: Option<Check>,
}

/// An element, described by what a person sees.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Target {
    pub role: String,
    /// The accessible name; upper case and white space are ignored.
    #[serde(default)]
    pub name: String,
    /// Text of the row, list item, group, label or heading that contains the element.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub near: Option<String>,
    /// Name, host or origin of the frame that contains the element.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub frame: Option<String>,
}

/// Conditions on the page; all must hold.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Check {
    /// Text on the page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// The address, or its path if it begins with `/`. `*` matches anything; the part after `?` is compared
    /// only if it is given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// Text in the page's title.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Longest time to wait, in seconds; 10 if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub within_s: Option<f64>,
}

/// Target state of a toggle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Makes {
    Checked,
    Unchecked,
    Expanded,
    Collapsed,
}

impl Step {
    /// Returns the element of the step, from its own field or from the parameters as in a turn.
    pub fn target(&self) -> Option<Target> {
        self.target.clone().or_else(|| self.among_params("target"))
    }

    /// Returns the source and destination of a drag.
    pub fn ends(&self) -> (Option<Target>, Option<Target>) {
        let from = self.from_target.clone().or_else(|| self.among_params("from_target"));
        (from, self.to_target.clone().or_else(|| self.among_params("to_target")))
    }

    /// Returns the parameters without the elements among them.
    pub fn plain_params(&self) -> Map<String, Value> {
        let plain = self.params.iter().filter(|(name, _)| !TARGET_KEYS.contains(&name.as_str()));
        plain.map(|(name, value)| (name.clone(), value.clone())).collect()
    }

    fn among_params(&self, name: &str) -> Option<Target> {
        serde_json::from_value(self.params.get(name)?.clone()).ok()
    }
}

impl Check {
    pub fn is_empty(&self) -> bool {
        self.text.is_none() && self.url.is_none() && self.title.is_none()
    }
}

/// Keys of a step that describe elements.
pub const TARGET_KEYS: [&str; 3] = ["target", "from_target", "to_target"];
