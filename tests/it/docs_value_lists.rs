//! Names of enum values, in storage and in the page that lists the error codes of actions.

use askfirst::browser::error::ErrorCode;
use askfirst::programs::conversation::state::node::ConversationNode;
use askfirst::protocol::{QuestionKind, Status};
use serde::Serialize;
use serde_json::json;
use std::collections::BTreeSet;
use std::fmt::Debug;

fn assert_names_are_stored<T: Copy + Debug + Serialize>(values: &[T], word: fn(T) -> &'static str) {
    for value in values {
        assert_eq!(json!(value), json!(word(*value)), "{value:?}");
    }
}

#[test]
fn values_are_stored_and_sent_by_their_names() {
    assert_names_are_stored(Status::ALL, Status::word);
    assert_names_are_stored(QuestionKind::ALL, QuestionKind::word);
    assert_names_are_stored(ErrorCode::ALL, ErrorCode::word);
    assert_names_are_stored(ConversationNode::ALL, ConversationNode::word);
}

// docs/protocol.md, "Errors of an action": the table has the code of every error of the browser, and no other.
#[test]
fn every_code_of_an_action_error_is_documented() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/protocol.md");
    let page = std::fs::read_to_string(path).unwrap();
    let (_, section) = page.split_once("### Errors of an action\n").unwrap();
    let section = section.split("\n## ").next().unwrap();
    let rows = section.lines().filter_map(|line| line.strip_prefix("| `")?.split_once("` |"));
    let documented: Vec<&str> = rows.map(|(code, _)| code).collect();
    let distinct: BTreeSet<&str> = documented.iter().copied().collect();
    assert_eq!(distinct.len(), documented.len(), "a code is listed twice");
    assert_eq!(distinct, ErrorCode::ALL.iter().map(|code| code.word()).collect());
}
