//! Optional parts of a conversation that a file may set or switch off: knowledge, premoves and thinking
//! (S4.30 to S4.33).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// A part of an agent: off, on, or with settings. If absent, the part decides.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Part<T> {
    Switch(bool),
    Word(Word),
    With(T),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Word {
    Off,
    On,
}

/// A part without settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Switch {
    Bool(bool),
    Word(Word),
}

impl Switch {
    /// True if the part is switched off; an absent part is on.
    pub fn is_off(setting: Option<Self>) -> bool {
        matches!(setting, Some(Self::Bool(false) | Self::Word(Word::Off)))
    }
}

impl<T> Part<T> {
    /// True if the file switches this part on; an absent part is off.
    pub fn is_on(part: Option<&Self>) -> bool {
        part.is_some() && !Self::is_off(part)
    }

    /// True if the file switches this part off.
    pub fn is_off(part: Option<&Self>) -> bool {
        matches!(part, Some(Self::Switch(false) | Self::Word(Word::Off)))
    }

    /// Returns the settings of this part.
    pub fn settings(part: Option<&Self>) -> Option<&T> {
        match part {
            Some(Self::With(setting)) => Some(setting),
            Some(Self::Switch(_) | Self::Word(_)) | None => None,
        }
    }
}

/// The notes that the agent knows, and how much of them it gets at once.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Knowledge {
    /// Names of files without `.md`; absent: all files.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub relics: Option<Vec<String>>,
    /// Includes the notes of all agents. On if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shared: Option<bool>,
    /// Number of passages in one answer, and characters of all of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub passages: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub characters: Option<usize>,
}

/// An agent that runs before each plan, so that the planner sees its result (S4.31).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Premove {
    pub name: String,
    pub agent: String,
    /// Inputs of the agent.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub params: Map<String, Value>,
    /// Seconds that a result stays valid; 0 runs the agent before every plan.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ttl_s: Option<u64>,
    /// Length of the result that the planner sees, in tokens.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokens: Option<usize>,
}

/// When the model is sent the picture of the page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum VisionMode {
    #[default]
    Off,
    /// Sent where the text does not tell enough, and when the model asks.
    Auto,
    Always,
}

/// The mode; true stands for `always`, false for `off`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Vision {
    Switch(bool),
    Mode(VisionMode),
}

impl Default for Vision {
    fn default() -> Self {
        Self::Switch(false)
    }
}

impl Vision {
    pub fn mode(self) -> VisionMode {
        match self {
            Self::Switch(false) => VisionMode::Off,
            Self::Switch(true) => VisionMode::Always,
            Self::Mode(mode) => mode,
        }
    }

    pub(crate) fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

/// Amount of thinking before actions (S4.32, S4.33).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// Every turn acts, asks or ends.
    Off,
    /// The model may take one more thought before it acts.
    #[default]
    Auto,
    /// The model thinks before its first action on a person's message.
    Always,
}

/// The mode, alone or with a budget.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Thinking {
    Switch(bool),
    Mode(Mode),
    With(Measured),
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Measured {
    pub mode: Mode,
    /// Tokens that turns with only thoughts may use for one message of the person.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub budget_tokens: Option<u64>,
}

impl Thinking {
    /// Returns the settings, with defaults for an absent part.
    pub fn resolve(setting: Option<&Self>) -> Measured {
        match setting {
            Some(Self::Switch(false)) => Measured { mode: Mode::Off, budget_tokens: None },
            Some(Self::Switch(true)) => Measured::default(),
            Some(Self::Mode(mode)) => Measured { mode: *mode, budget_tokens: None },
            Some(Self::With(measured)) => measured.clone(),
            None => Measured::default(),
        }
    }
}
