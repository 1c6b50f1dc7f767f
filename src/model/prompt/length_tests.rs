//! Property tests: a request stays within its bounds, however long the results, messages and tools are.

use super::*;
use crate::model::prompt::length_budget::{CALLED, NEW, NOTES, PERSON, TURN};
use crate::planning::{ActionResult, ActionStatus};
use crate::turn::Turn;
use crate::turn::agent_tools::{Input, Tool};
use proptest::prelude::*;

/// Overhead of one value: its id, the reason of a failure, and fences.
const AROUND: usize = 2_000;
/// Constant text, with room for the fences of summaries.
const FIXED: usize = 30_000;

fn long() -> impl Strategy<Value = String> {
    prop_oneof![Just(10_usize), Just(900), Just(19_000), Just(90_000)]
        .prop_map(|length| "слово ".chars().cycle().take(length).collect())
}

fn result() -> impl Strategy<Value = ActionResult> {
    (long(), any::<bool>()).prop_map(|(text, fails)| ActionResult {
        action_id: "a1".into(),
        action: "call".into(),
        outcome: if fails {
            ActionStatus::Failed { code: "x".into(), message: text.clone() }
        } else {
            ActionStatus::Ok
        },
        returned: Some(text),
        answer: None,
        effect_summary: None,
    })
}

fn entry() -> impl Strategy<Value = HistoryEntry> {
    prop_oneof![
        long().prop_map(|text| HistoryEntry::Message { by: Speaker::Person, text }),
        long().prop_map(|text| HistoryEntry::Message { by: Speaker::Agent, text }),
        result().prop_map(|result| HistoryEntry::Ended { result }),
        long().prop_map(|text| HistoryEntry::Premove { name: "finds".into(), text }),
        long().prop_map(|text| HistoryEntry::Summary { text, entries: 3 }),
        (long(), prop::collection::vec(result(), 0..8)).prop_map(|(text, results)| HistoryEntry::Acted {
            turn: Turn { response: Some(text), ..Turn::default() },
            results,
        }),
    ]
}

fn tool(about: String) -> Tool {
    let input = |at| Input { name: format!("input_{at}"), ..Input::default() };
    Tool { name: "tool".into(), description: about, inputs: (0..40).map(input).collect(), ..Tool::default() }
}

fn length(messages: &Value) -> usize {
    let each = messages.as_array().expect("a list").iter();
    each.map(|message| message["content"].as_str().expect("a text").chars().count()).sum()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn a_request_is_never_longer_than_its_bounds(
        history in prop::collection::vec(entry(), 0..24),
        notes in prop::collection::vec(long(), 0..40),
        tools in prop::collection::vec(long().prop_map(tool), 0..150),
    ) {
        let request = PlanRequest {
            history: &history, notes: &notes, tools: &tools, actions: &["stop"], ..PlanRequest::default()
        };
        let pieces = history.len() + 8 + notes.len() / 8 + tools.len() / 8;
        let most = FIXED + HISTORY + 2 * PERSON + NEW + SUMMARY + NOTES + CALLED + 2 * TURN;
        let length = length(&messages(&request, None).unwrap());
        prop_assert!(length <= most + pieces * AROUND, "{length} of {most}");
    }
}

// Two hundred long results stay within the bound; short ones among them are complete.
#[test]
fn many_results_share_one_bound() {
    let ended = |text: String| HistoryEntry::Ended {
        result: ActionResult {
            action_id: "t".into(),
            action: "agent".into(),
            outcome: ActionStatus::Ok,
            returned: Some(text),
            answer: None,
            effect_summary: None,
        },
    };
    let acted = HistoryEntry::Acted { turn: Turn::default(), results: Vec::new() };
    let mut history = vec![acted.clone(), ended("x".repeat(20_000)), ended(String::from("the short one"))];
    history.extend((0..198).map(|_| ended("x".repeat(20_000))));
    let request = PlanRequest { history: &history, ..PlanRequest::default() };
    let whole = messages(&request, None).unwrap();
    let last = whole.as_array().unwrap().last().unwrap()["content"].as_str().unwrap();
    let values = last.matches('x').count();
    assert!((30_000..=NEW + 1_000).contains(&values) && last.contains("the short one"), "{values}");
    // After another turn, the results are shortened.
    history.truncate(2);
    history.push(acted);
    let request = PlanRequest { history: &history, ..PlanRequest::default() };
    assert!(messages(&request, None).unwrap().to_string().matches('x').count() < 3_000);
}

#[test]
fn a_very_long_message_keeps_its_beginning_and_end() {
    let text = format!("BEGIN {} END", "x".repeat(100_000));
    let history = [HistoryEntry::Message { by: Speaker::Person, text }];
    let request = PlanRequest { history: &history, ..PlanRequest::default() };
    let whole = messages(&request, None).unwrap().to_string();
    assert!(whole.contains("BEGIN ") && whole.contains(" END") && whole.contains("left out"));
    assert!(whole.matches('x').count() <= PERSON + 1_000);
}
