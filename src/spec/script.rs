//! The steps of a scripted browser agent: actions as a planner's turns have them, played without one.
//! A number means nothing in another run, so a step names its element by what a person sees of it.
//! Every string is a template over the inputs and over what earlier steps gave a name to.

pub mod faults;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// One thing to do, or only something that must be seen.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Step {
    /// What it is for, in words; for readers, and for a model that mends it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub action_id: Option<String>,
    /// An action's name; empty where there is only a `check`.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub action: String,
    /// As a turn may say it; nothing depends on it.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target: Option<Target>,
    /// The two ends of `drag`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from_target: Option<Target>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to_target: Option<Target>,
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub params: Map<String, Value>,
    /// What the element is afterwards; where it is so already, nothing is done.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub makes: Option<Makes>,
    /// The name that what was read is known by from here on; of an output, if there is one of that name.
    #[serde(rename = "as", skip_serializing_if = "Option::is_none")]
    pub known_as: Option<String>,
    /// Only the part of what was read that stands in place of `*`, in the first line that fits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub take: Option<String>,
    /// What must be seen once it is done.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub check: Option<Check>,
}

/// An element, by what is seen of it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Target {
    pub role: String,
    /// The accessible name; upper case and spaces make no difference.
    #[serde(default)]
    pub name: String,
    /// Words of the row, list item, group, label or heading that it stands by.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub near: Option<String>,
    /// Name, host or origin of the frame that it stands in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub frame: Option<String>,
}

/// What must be seen; all of it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Check {
    /// Words on the page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// The address, or its path where it begins with `/`; `*` stands for anything, and what follows a `?`
    /// counts only if it is said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// Words of the page's title.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// How long it may take; 10 if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub within_s: Option<f64>,
}

/// What a switch is left as.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Makes {
    Checked,
    Unchecked,
    Expanded,
    Collapsed,
}

impl Step {
    /// The element that it is about, beside the parameters or, as in a turn, among them.
    pub fn target(&self) -> Option<Target> {
        self.target.clone().or_else(|| self.among_params("target"))
    }

    /// What is dragged, and where to.
    pub fn ends(&self) -> (Option<Target>, Option<Target>) {
        let from = self.from_target.clone().or_else(|| self.among_params("from_target"));
        (from, self.to_target.clone().or_else(|| self.among_params("to_target")))
    }

    /// The parameters without the elements among them.
    pub fn plain_params(&self) -> Map<String, Value> {
        let plain = self.params.iter().filter(|(name, _)| !PLACES.contains(&name.as_str()));
        plain.map(|(name, value)| (name.clone(), value.clone())).collect()
    }

    fn among_params(&self, place: &str) -> Option<Target> {
        serde_json::from_value(self.params.get(place)?.clone()).ok()
    }
}

impl Check {
    pub fn is_empty(&self) -> bool {
        self.text.is_none() && self.url.is_none() && self.title.is_none()
    }
}

/// Where a step names elements.
pub const PLACES: [&str; 3] = ["target", "from_target", "to_target"];
