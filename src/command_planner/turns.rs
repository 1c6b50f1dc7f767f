//! Builds the command planner's turns.

use crate::turn::{Call, Thought, Turn, TurnStatus};
use serde_json::{Map, Value, json};

/// An action by name, with its parameters.
#[derive(Clone, Debug, PartialEq)]
pub struct PlannedAction {
    pub name: &'static str,
    pub params: Map<String, Value>,
}

impl PlannedAction {
    /// Creates an action. `params` must be an object; other values count as an empty one.
    pub fn new(name: &'static str, params: Value) -> Self {
        let params = match params {
            Value::Object(map) => map,
            _ => Map::new(),
        };
        Self { name, params }
    }
}

/// Purpose of an action: the command itself, or finding its element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ActionPurpose {
    Order,
    Search(usize),
}

/// Returns a turn with one action for the command of this index.
pub fn act(index: usize, aim: ActionPurpose, action: &PlannedAction, thought: String) -> Turn {
    let number = index + 1;
    let id = match aim {
        ActionPurpose::Order => format!("o{number}"),
        ActionPurpose::Search(search) => format!("o{number}.{search}"),
    };
    let call = Call {
        action_id: Some(id),
        action: action.name.to_owned(),
        kind: Some(String::from("tool")),
        params: action.params.clone(),
        execution: Some(String::from("SYNC")),
        ..Call::default()
    };
    Turn {
        status: TurnStatus::Executing,
        thoughts: vec![Thought { kind: String::from("PLAN"), content: thought }],
        step_ref: u32::try_from(number).ok(),
        confidence: Some(1.0),
        actions: vec![call],
        ..Turn::default()
    }
}

/// Ends the run with everything done or answered.
pub fn stop(response: String) -> Turn {
    end(TurnStatus::Success, response)
}

/// Ends the run with something left undone.
pub fn give_up(response: String) -> Turn {
    end(TurnStatus::Error, response)
}

fn end(status: TurnStatus, response: String) -> Turn {
    let call = Call {
        action_id: Some(String::from("stop")),
        action: String::from("stop"),
        kind: Some(String::from("tool")),
        params: PlannedAction::new("stop", json!({ "response": response })).params,
        execution: Some(String::from("SYNC")),
        ..Call::default()
    };
    Turn {
        status,
        confidence: Some(1.0),
        actions: vec![call],
        stop: true,
        response: Some(response),
        ..Turn::default()
    }
}
