//! Actions at points of the picture that the planner was shown, for what has no element: canvases, maps, remote
//! desktops.

use crate::turn::page_input::mouse::ClickInput;
use serde::{Deserialize, Serialize};

/// Point in CSS pixels of the last picture.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct PicturePoint {
    pub x: f64,
    pub y: f64,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "input", rename_all = "snake_case")]
pub enum PointAction {
    Click {
        at: PicturePoint,
        #[serde(flatten)]
        click: ClickInput,
    },
    Hover {
        at: PicturePoint,
    },
    /// Clicks at the point and types into what has the focus then. `clear` replaces the text that a field shows there.
    Type {
        at: PicturePoint,
        text: String,
        clear: bool,
        submit: bool,
    },
    Drag {
        from: PicturePoint,
        to: PicturePoint,
    },
}

impl PointAction {
    /// Returns the name of the action as planners write it.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Click { .. } => "click",
            Self::Hover { .. } => "hover",
            Self::Type { .. } => "type",
            Self::Drag { .. } => "drag",
        }
    }

    /// Returns the points, the one on which the action takes effect first.
    pub fn points(&self) -> Vec<PicturePoint> {
        match self {
            Self::Click { at, .. } | Self::Hover { at } | Self::Type { at, .. } => vec![*at],
            Self::Drag { from, to } => vec![*to, *from],
        }
    }
}
