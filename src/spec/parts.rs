//! The parts of a conversation that a file may set or switch off: what it knows, what it looks up before it plans,
//! how much it thinks (S4.30 to S4.33).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// A part of an agent: switched off or on, or as the file says. Absent is up to the part.
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

/// A part with nothing to set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Switch {
    Bool(bool),
    Word(Word),
}

impl Switch {
    /// Absent is on.
    pub fn is_off(said: Option<Self>) -> bool {
        matches!(said, Some(Self::Bool(false) | Self::Word(Word::Off)))
    }
}

impl<T> Part<T> {
    /// Whether the file asks for this part; one that says nothing does not.
    pub fn is_on(part: Option<&Self>) -> bool {
        part.is_some() && !Self::is_off(part)
    }

    /// Whether the file forbids this part.
    pub fn is_off(part: Option<&Self>) -> bool {
        matches!(part, Some(Self::Switch(false) | Self::Word(Word::Off)))
    }

    /// What the file says of it.
    pub fn said(part: Option<&Self>) -> Option<&T> {
        match part {
            Some(Self::With(said)) => Some(said),
            Some(Self::Switch(_) | Self::Word(_)) | None => None,
        }
    }
}

/// Which notes count, and how much of them at once.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Knowledge {
    /// Names of files without `.md`; absent: all that there are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub relics: Option<Vec<String>>,
    /// Whether those of all agents count too; absent: yes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shared: Option<bool>,
    /// Passages of one answer, and characters of all of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub passages: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub characters: Option<usize>,
}

/// An agent that is run before a plan is asked for, so that the planner has its result in front of it (S4.31).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Premove {
    pub name: String,
    pub agent: String,
    /// Its inputs.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub params: Map<String, Value>,
    /// Seconds that a result holds; 0: it is run before every plan.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ttl_s: Option<u64>,
    /// How much of a result is shown, in tokens.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokens: Option<usize>,
}

/// How much is thought before something is done (S4.32, S4.33).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// Every turn acts, asks or ends.
    Off,
    /// The model may take one more thought before it acts.
    #[default]
    Auto,
    /// It thinks before it first acts on what a person said.
    Always,
}

/// The mode, alone or with what thinking may take.
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
    /// Tokens that turns of thoughts alone may take for one message of the person.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub budget_tokens: Option<u64>,
}

impl Thinking {
    /// What holds where the file may say nothing.
    pub fn of(said: Option<&Self>) -> Measured {
        match said {
            Some(Self::Switch(false)) => Measured { mode: Mode::Off, budget_tokens: None },
            Some(Self::Switch(true)) => Measured::default(),
            Some(Self::Mode(mode)) => Measured { mode: *mode, budget_tokens: None },
            Some(Self::With(measured)) => measured.clone(),
            None => Measured::default(),
        }
    }
}
