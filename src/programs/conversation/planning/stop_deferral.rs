//! Turns that act and stop at once: the actions are done first, and the planner is asked again, so that nothing counts
//! as done that no look has shown. A `stop` that a planner wrote as the last of its actions stands in its place. Pure.

use crate::programs::tasks::read_jobs::is_async;
use crate::turn::action::NAMES;
use crate::turn::{Call, Turn, TurnStatus};

/// Note to the planner whose stop was put off.
pub(crate) const STOP_DEFERRED: &str = "you set stop together with actions: the actions were done first, and your response \
was not sent. See what came of them, then stop without actions";

/// Takes the stop out of a turn that acts on the page or asks the person. Returns true if there was one. A turn that only
/// calls agents, or begins work in the background, may rest at once.
pub(crate) fn defer_stop(turn: &mut Turn) -> bool {
    let ends = |call: &Call| matches!(call.action.as_str(), "stop" | "complete");
    let acts = turn.actions.iter().any(|call| NAMES.contains(&call.action.as_str()) && !ends(call));
    if !acts || !turn.stop || turn.status == TurnStatus::TaskStarted || turn.actions.iter().any(is_async) {
        return false;
    }
    turn.actions.retain(|call| !ends(call));
    (turn.stop, turn.status, turn.response) = (false, TurnStatus::Executing, None);
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    // Only what acts and stops at once is changed (S4.14, S4.21).
    #[test]
    fn a_stop_beside_actions_is_put_off() {
        let click = || json!({"action": "click", "params": {"eid": 1}});
        let stop = || json!({"action": "stop", "params": {"response": "Done."}});
        let build = || json!({"action": "build", "execution": "ASYNC"});
        for (turn, deferred) in [
            (json!({"actions": [click()], "stop": true, "status": "SUCCESS", "response": "Done."}), true),
            (json!({"actions": [click(), stop()], "stop": true}), true),
            (json!({"actions": [click(), stop()]}), false),
            (json!({"actions": [click()]}), false),
            (json!({"actions": [stop()], "stop": true, "status": "SUCCESS"}), false),
            (json!({"actions": [], "stop": true, "response": "Done."}), false),
            (json!({"actions": [build()], "stop": true, "status": "TASK_STARTED"}), false),
            (json!({"actions": [build()], "stop": true}), false),
            (json!({"actions": [{"action": "build"}], "stop": true}), false),
        ] {
            let before: Turn = serde_json::from_value::<Turn>(turn.clone()).expect("a turn");
            let mut after = before.clone();
            assert_eq!(defer_stop(&mut after), deferred, "{turn}");
            if deferred {
                let names: Vec<&str> = after.actions.iter().map(|call| call.action.as_str()).collect();
                assert_eq!((names, after.stop), (vec!["click"], false), "{turn}");
                assert_eq!((after.status, after.response), (TurnStatus::Executing, None), "{turn}");
            } else {
                assert_eq!(after, before, "{turn}");
            }
        }
    }
}
