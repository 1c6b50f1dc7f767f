//! Writes the turns by which a script is played.

use super::progress::Aim;
use crate::turn::{Call, Thought, Turn, TurnStatus};
use serde_json::{Map, Value, json};

/// One action for a step, in the `count`th turn of this aim.
pub fn act(
    (step, aim, count): (usize, Aim, usize),
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

/// Everything is done.
pub fn stop(response: String) -> Turn {
    end(TurnStatus::Success, response)
}

/// Something was left undone.
pub fn give_up(response: String) -> Turn {
    end(TurnStatus::Error, response)
}

fn end(status: TurnStatus, response: String) -> Turn {
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

/// A model's turn as one that mends a step: its actions are the step's now, and it ends nothing. None if
/// it does nothing; then its words say why.
pub fn mending(step: usize, count: usize, mut turn: Turn) -> Result<Turn, Option<String>> {
    let said = turn.actions.iter().find(|call| is_stop(call));
    let words = said.and_then(|call| call.params.get("response")?.as_str().map(str::to_owned));
    let words = words.or(turn.response.take());
    turn.actions.retain(|call| !is_stop(call));
    if turn.actions.is_empty() {
        return Err(words);
    }
    for (place, call) in turn.actions.iter_mut().enumerate() {
        call.action_id = Some(Aim::Mend.id(step, count, place));
    }
    turn.step_ref = u32::try_from(step + 1).ok();
    (turn.stop, turn.status) = (false, TurnStatus::Executing);
    Ok(turn)
}

fn is_stop(call: &Call) -> bool {
    matches!(call.action.as_str(), "stop" | "complete")
}
