//! Detects a repeated failure: the same action fails with the same code on the same page. Pure.

use crate::page::url::strip_fragment;
use crate::planning::{ActionResult, ActionStatus};
use crate::programs::conversation::state::turn::turn_progress::{ObservationSummary, TurnProgress};
use serde::{Deserialize, Serialize};
use serde_json::json;

/// The number of repetitions after which the person is asked.
const MAX_REPEATS: u32 = 3;

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct LoopDetector {
    /// Page, action, parameters and error code of the last failure, as a key.
    same: String,
    times: u32,
    /// The action that failed, and the reason.
    pub what: String,
    pub why: String,
}

impl LoopDetector {
    /// Records the end of an action on this page.
    pub fn record(
        &mut self,
        page: Option<&ObservationSummary>,
        planned: &TurnProgress,
        result: &ActionResult,
    ) {
        let ActionStatus::Failed { code, message } = &result.outcome else {
            if result.outcome == ActionStatus::Ok {
                *self = Self::default();
            }
            return;
        };
        // The content of the page does not count: a running clock on it is no progress.
        let page_url = page.map(|page| strip_fragment(&page.url));
        let same = json!([page_url, result.action, planned.params(), code]).to_string();
        let times = if same == self.same { self.times + 1 } else { 1 };
        *self = Self { same, times, what: result.action.clone(), why: message.clone() };
    }

    pub fn is_stuck(&self) -> bool {
        self.times >= MAX_REPEATS
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;

    // A changing page is no progress; another page or a successful action is.
    #[test]
    fn the_same_failure_is_recognized_on_a_changing_page() {
        let turn = json!({"actions": [{"action_id": "a", "action": "click", "params": {"eid": 3}}]});
        let planned = TurnProgress::new(serde_json::from_value(turn).expect("a turn"), None, None);
        let failed = || ActionStatus::Failed { code: "covered".into(), message: "it is covered".into() };
        let seen = |url: &str, n: u32| -> ObservationSummary {
            let seen: Value = json!({"look": n, "url": url, "title": "", "digest": n.to_string()});
            serde_json::from_value(seen).expect("a look")
        };
        let mut repeats = LoopDetector::default();
        let mut sees = |url: &str, n: u32, outcome: ActionStatus| {
            repeats.record(Some(&seen(url, n)), &planned, &planned.result(outcome, None));
            repeats.is_stuck()
        };
        assert!(!sees("http://a/", 1, failed()) && !sees("http://a/#x", 2, failed()));
        assert!(sees("http://a/", 3, failed()));
        assert!(!sees("http://b/", 4, failed()), "it has gone elsewhere");
        assert!(!sees("http://b/", 5, failed()) && !sees("http://b/", 5, ActionStatus::Ok));
        assert!(!sees("http://b/", 6, failed()), "something worked in between");
    }
}
