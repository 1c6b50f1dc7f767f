//! The conversation graph as a drawing: every arrow, every node reachable, every end reachable, and
//! the picture in docs/graphs.md is the code's. The arrows are crossed for real in `conversation`.

use askfirst::programs::conversation::graph::{ConversationEdge, ConversationOutcome, limit_visits, route};
use askfirst::programs::conversation::state::node::ConversationNode;
use std::collections::HashSet;
use std::fmt::Write;

/// The graph as Mermaid text, an arrow a line.
fn drawing() -> String {
    let mut text = String::from("flowchart TD\n    start([message]) --> ingest_user_input\n");
    for done in ConversationOutcome::all() {
        let (from, line) = (done.node().word(), done.word());
        let _ = match route(done) {
            ConversationEdge::Go(to) => writeln!(text, "    {from} -->|{line}| {}", to.word()),
            ConversationEdge::Ask(to) => writeln!(text, "    {from} -.->|{line}: asks| {}", to.word()),
            ConversationEdge::Await(to) => writeln!(text, "    {from} -.->|{line}: waits| {}", to.word()),
            ConversationEdge::Rest(to) => writeln!(text, "    {from} -.->|{line}: rests| {}", to.word()),
            ConversationEdge::End(status) => {
                writeln!(text, "    {from} --> {}([{}])", status.word(), status.word())
            }
        };
    }
    text
}

fn next(from: ConversationNode) -> Vec<ConversationEdge> {
    ConversationOutcome::all().into_iter().filter(|done| done.node() == from).map(route).collect()
}

fn reachable(from: ConversationNode) -> HashSet<ConversationNode> {
    let mut seen = HashSet::from([from]);
    let mut open = vec![from];
    while let Some(node) = open.pop() {
        for edge in next(node) {
            if let ConversationEdge::Go(to)
            | ConversationEdge::Ask(to)
            | ConversationEdge::Await(to)
            | ConversationEdge::Rest(to) = edge
                && seen.insert(to)
            {
                open.push(to);
            }
        }
    }
    seen
}

// S1.30
#[test]
fn graph_drawing_equals_the_golden_file_and_docs_graphs() {
    let golden = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/graph.mmd");
    let document = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/graphs.md");
    let drawn = drawing();
    let page = std::fs::read_to_string(document).expect("docs/graphs.md is there");
    let (before, rest) = page.split_once("<!-- graph:begin -->").expect("graph:begin is there");
    let (_, after) = rest.split_once("<!-- graph:end -->").expect("graph:end is there");
    let wanted = format!("{before}<!-- graph:begin -->\n```mermaid\n{drawn}```\n<!-- graph:end -->{after}");
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(golden, &drawn).expect("golden file can be written");
        std::fs::write(document, &wanted).expect("docs/graphs.md can be written");
    }
    let held = std::fs::read_to_string(golden).expect("golden file is there");
    assert_eq!(drawn, held, "run the test with UPDATE_GOLDEN=1 if the graph was meant to change");
    let page = std::fs::read_to_string(document).expect("docs/graphs.md is there");
    assert_eq!(page, wanted, "run the test with UPDATE_GOLDEN=1 to draw the graph anew");
}

// S1.1
#[test]
fn every_node_is_reachable_and_every_node_reaches_an_end() {
    let all: HashSet<ConversationNode> = ConversationNode::ALL.iter().copied().collect();
    assert_eq!(reachable(ConversationNode::IngestUserInput), all);
    for &node in ConversationNode::ALL {
        let ends = reachable(node)
            .into_iter()
            .any(|node| next(node).iter().any(|edge| matches!(edge, ConversationEdge::End(_))));
        assert!(ends, "{} cannot end", node.word());
    }
}

// S1.24, S1.25, S1.26, S1.34: a question is an arrow to the node that takes its answer.
#[test]
fn every_question_leads_to_the_node_that_takes_its_answer() {
    let asked: HashSet<ConversationNode> = ConversationOutcome::all()
        .into_iter()
        .filter_map(|done| match route(done) {
            ConversationEdge::Ask(to) => Some(to),
            ConversationEdge::Go(_)
            | ConversationEdge::Await(_)
            | ConversationEdge::Rest(_)
            | ConversationEdge::End(_) => None,
        })
        .collect();
    assert_eq!(
        asked,
        HashSet::from([
            ConversationNode::Confirm,
            ConversationNode::HeldRequest,
            ConversationNode::FlowConsent,
            ConversationNode::Manual,
            ConversationNode::Question,
            ConversationNode::ApprovePlan,
            ConversationNode::Budget
        ])
    );
}

// S1.10, S1.36: the limit bounds graph visits, wherever they are spent.
#[test]
fn too_many_visits_end_at_the_limit_from_any_node() {
    for done in ConversationOutcome::all() {
        let (outcome, edge) = (done.word(), route(done));
        let bound = limit_visits(edge, 300, 300);
        match edge {
            // At rest it spends nothing.
            ConversationEdge::End(_) | ConversationEdge::Rest(_) => assert_eq!(bound, edge, "{outcome}"),
            ConversationEdge::Go(to) | ConversationEdge::Ask(to) if to.word().starts_with("finalize_") => {
                assert_eq!(bound, edge)
            }
            ConversationEdge::Go(_) | ConversationEdge::Ask(_) | ConversationEdge::Await(_) => {
                assert_eq!(bound, ConversationEdge::Go(ConversationNode::FinalizeLimit), "{outcome}")
            }
        }
        assert_eq!(limit_visits(edge, 299, 300), edge);
    }
}

#[test]
fn every_outcome_has_a_name_of_its_own_within_its_node() {
    let all = ConversationOutcome::all();
    let names: HashSet<(ConversationNode, &str)> =
        all.iter().map(|done| (done.node(), done.word())).collect();
    assert_eq!(names.len(), all.len());
    assert_eq!(all[0].word(), "Heard");
}
