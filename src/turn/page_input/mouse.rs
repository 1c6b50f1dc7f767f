//! Parts of mouse input that several actions share.

use serde::{Deserialize, Serialize};

/// Longest time in milliseconds that a button is held.
pub const MAX_HOLD_MS: u32 = 10_000;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Button {
    #[default]
    Left,
    Middle,
    Right,
}

/// Key that is held during a click.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub enum Modifier {
    Control,
    Shift,
    Alt,
    Meta,
}

impl Modifier {
    /// Parses the name of a modifier, in any case and with the names that keyboards bear.
    pub fn parse(name: &str) -> Option<Self> {
        Some(match name.trim().to_ascii_lowercase().as_str() {
            "control" | "ctrl" | "ctl" => Self::Control,
            "shift" => Self::Shift,
            "alt" | "option" => Self::Alt,
            "meta" | "cmd" | "command" | "win" | "super" => Self::Meta,
            _ => return None,
        })
    }

    /// Returns the name of the key.
    pub fn key(self) -> &'static str {
        match self {
            Self::Control => "Control",
            Self::Shift => "Shift",
            Self::Alt => "Alt",
            Self::Meta => "Meta",
        }
    }
}

/// Button of a click, and what is held meanwhile.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ClickInput {
    pub button: Button,
    /// From one to three.
    pub count: u32,
    /// Keys held meanwhile.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub modifiers: Vec<Modifier>,
    /// Milliseconds between the last press and its release.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub hold_ms: u32,
}

impl ClickInput {
    /// Single click with the left button.
    pub fn once() -> Self {
        Self { count: 1, ..Self::default() }
    }
}

/// True for the default of numbers that stored actions leave out.
fn is_zero(number: &u32) -> bool {
    *number == 0
}
