//! The section `build` of an agent file: what is built once before the agent's first run (S4.28). The section
//! may also stand in a separate file, `build.tool.yml`, in the agent's folder beside the agent's file.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Name of the separate file within the agent's folder.
pub const FILE: &str = "build.tool.yml";

/// Exactly one of `pip` and `image`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Build {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pip: Option<Pip>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub image: Option<Image>,
}

/// Python packages.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Pip {
    /// A file of the agent's folder with lines such as `name==version --hash=sha256:…`.
    pub lock: String,
}

impl Default for Pip {
    fn default() -> Self {
        Self { lock: String::from("requirements.lock") }
    }
}

/// The image that the agent runs in.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Image {
    /// A Containerfile of the agent's folder.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Instead of a file: the base image.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// Packages that the base image's package manager adds.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub packages: Vec<String>,
}
