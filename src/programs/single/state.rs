//! State of a single-call run, and the changes that its steps make to it.

use crate::programs::single::graph::Node;
use crate::protocol::Locale;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SingleState {
    pub locale: Locale,
    pub node: Node,
    /// All inputs with their defaults, and the locals.
    pub context: Map<String, Value>,
    /// True if the run uses more than its own inputs. Then it executes at most once (C11).
    pub effect: bool,
    pub vars: Map<String, Value>,
    /// Pairs of source and destination that the open question is about.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub asked_flow: Vec<String>,
    pub response: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "change", rename_all = "snake_case")]
pub enum SingleChange {
    Effect,
    /// The person is asked about text that the call takes elsewhere: the pairs of source and destination.
    FlowAsked {
        pairs: Vec<String>,
    },
    Gave {
        vars: Map<String, Value>,
    },
    Responded {
        text: String,
    },
}

/// The changes of one step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SingleChanges {
    pub to: Node,
    pub changes: Vec<SingleChange>,
}

impl SingleState {
    /// Creates the state at the first node.
    pub fn begin(locale: Locale, node: Node, context: Map<String, Value>) -> Self {
        Self {
            locale,
            node,
            context,
            effect: false,
            vars: Map::new(),
            asked_flow: Vec::new(),
            response: None,
        }
    }

    pub fn take(&mut self, SingleChanges { to, changes }: SingleChanges) {
        for change in changes {
            match change {
                SingleChange::Effect => self.effect = true,
                SingleChange::FlowAsked { pairs } => self.asked_flow = pairs,
                SingleChange::Gave { vars } => self.vars = vars,
                SingleChange::Responded { text } => self.response = Some(text),
            }
        }
        self.node = to;
    }
}
