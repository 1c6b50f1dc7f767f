//! Construction of the player's turns.

use crate::script::player::script_progress::ScriptActionPurpose;
use crate::turn::{Call, Thought, Turn, TurnStatus};
use serde_json::{Map, Value, json};

/// Returns a turn with one action for a step, the `count`th for this purpose.
pub fn action_turn(
    (step, aim, count): (usize, ScriptActionPurpose, usize),
    action: &str,
    params: Map<String, Value>,
    thought: String,
) -> Turn {
    Turn {
        status: TurnStatus::Executing,
        thoughts: vec![Thought { kind: String::from("PLAN"), content: thought }],
        step_ref: u32::try_from(step + 1).ok(),
        confidence: Some(1.0),
        actions: vec![call(aim.id(step, count, 0), action, params)],
        ..Turn::default()
    }
}

/// Returns the turn that ends a completed script.
pub fn stop(response: String) -> Turn {
    end_turn(TurnStatus::Success, response)
}

/// Returns the turn that ends a script with work left undone.
pub fn give_up(response: String) -> Turn {
    end_turn(TurnStatus::Error, response)
}

fn end_turn(status: TurnStatus, response: String) -> Turn {
    let params = Map::from_iter([(String::from("response"), json!(response))]);
    Turn {
        status,
        confidence: Some(1.0),
        actions: vec![call(String::from("stop"), "stop", params)],
        stop: true,
        response: Some(response),
        ..Turn::default()
    }
}

fn call(id: String, action: &str, params: Map<String, Value>) -> Call {
    Call {
        action_id: Some(id),
        action: action.to_owned(),
        kind: Some(String::from("tool")),
        params,
        execution: Some(String::from("SYNC")),
        ..Call::default()
    }
}

/// Turns a model's turn into a repair of a step: its actions belong to the step, and it does not end the run.
/// If it does nothing, returns the model's explanation as the error.
pub fn repair_turn(step: usize, count: usize, mut turn: Turn) -> Result<Turn, Option<String>> {
    let stop_call = turn.actions.iter().find(|call| is_stop(call));
    let words = stop_call.and_then(|call| call.params.get("response")?.as_str().map(str::to_owned));
    let words = words.or(turn.response.take());
    turn.actions.retain(|call| !is_stop(call));
    if turn.actions.is_empty() {
        return Err(words);
    }
    for (index, call) in turn.actions.iter_mut().enumerate() {
        call.action_id = Some(ScriptActionPurpose::Repair.id(step, count, index));
    }
    turn.step_ref = u32::try_from(step + 1).ok();
    (turn.stop, turn.status) = (false, TurnStatus::Executing);
    Ok(turn)
}

fn is_stop(call: &Call) -> bool {
    matches!(call.action.as_str(), "stop" | "complete")
}
