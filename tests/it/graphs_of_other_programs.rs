//! The graphs of composite agents, of orchestrations and of agents that are one call, as drawings: every node is reachable and
//! can end, and the pictures in docs/graphs.md are the code's.

use askfirst::programs::lanes::graph as lanes;
use askfirst::programs::orchestration::graph as orchestration;
use askfirst::programs::single::graph as single;
use std::collections::BTreeSet;

/// From, outcome, to, and whether the arrow waits.
type Arrow = (&'static str, &'static str, String, bool);

fn lanes_arrows() -> Vec<Arrow> {
    let arrow = |done: lanes::LanesOutcome| {
        let (to, waits) = match lanes::route(done) {
            lanes::LanesEdge::Go(to) => (to.word().to_owned(), false),
            lanes::LanesEdge::Rest(to) => (to.word().to_owned(), true),
            lanes::LanesEdge::End => (String::from("([end])"), false),
        };
        (done.node().word(), done.word(), to, waits)
    };
    lanes::LanesOutcome::all().into_iter().map(arrow).collect()
}

fn single_arrows() -> Vec<Arrow> {
    let arrow = |done: single::SingleOutcome| {
        let (to, waits) = match single::route(done) {
            single::SingleEdge::Go(to) => (to.word().to_owned(), false),
            single::SingleEdge::Ask(to) => (to.word().to_owned(), true),
            single::SingleEdge::End(status) => (format!("([{}])", status.word()), false),
        };
        (done.node().word(), done.word(), to, waits)
    };
    single::SingleOutcome::all().into_iter().map(arrow).collect()
}

/// Every pair of state and event that leads somewhere; who dispatched or hears of one child waits.
fn orchestration_arrows() -> Vec<Arrow> {
    let mut arrows: Vec<Arrow> = Vec::new();
    for &node in orchestration::OrchestrationNode::ALL {
        for &event in orchestration::OrchestrationEvent::ALL {
            let Some(to) = orchestration::transition(node, event) else { continue };
            let waits = to == node || event == orchestration::OrchestrationEvent::StepDispatched;
            arrows.push((node.word(), event.word(), to.word().to_owned(), waits));
        }
        if node.is_end() {
            arrows.push((node.word(), "ends", String::from("([end])"), false));
        }
    }
    arrows
}

fn drawing(arrows: &[Arrow]) -> String {
    let mut text = String::from("flowchart LR\n");
    for (from, outcome, to, waits) in arrows {
        let arrow = if *waits { "-.->" } else { "-->" };
        // An end has a name of its own before its brackets.
        let to = if to.starts_with('(') { format!("{}_end{to}", from) } else { to.clone() };
        text.push_str(&format!("    {from} {arrow}|{outcome}| {to}\n"));
    }
    text
}

fn reached(from: &str, arrows: &[Arrow]) -> BTreeSet<String> {
    let mut seen = BTreeSet::from([from.to_owned()]);
    let mut open = vec![from.to_owned()];
    while let Some(node) = open.pop() {
        for (_, _, to, _) in arrows.iter().filter(|arrow| arrow.0 == node) {
            if seen.insert(to.clone()) {
                open.push(to.clone());
            }
        }
    }
    seen
}

fn check(begins: &[&str], nodes: &[&str], arrows: &[Arrow]) {
    let all: BTreeSet<String> = begins.iter().flat_map(|node| reached(node, arrows)).collect();
    for node in nodes {
        assert!(all.contains(*node), "{node} is not reachable");
        assert!(reached(node, arrows).iter().any(|to| to.starts_with('(')), "{node} cannot end");
    }
}

// S0.22
fn names<T: Copy>(values: &[T], word: fn(T) -> &'static str) -> Vec<&'static str> {
    values.iter().map(|value| word(*value)).collect()
}

#[test]
fn every_node_of_the_small_graphs_is_reachable_and_can_end() {
    check(&["enter_lane"], &names(lanes::LanesNode::ALL, lanes::LanesNode::word), &lanes_arrows());
    check(
        &["plan_init"],
        &names(orchestration::OrchestrationNode::ALL, orchestration::OrchestrationNode::word),
        &orchestration_arrows(),
    );
    check(&["policy_gate"], &names(single::Node::ALL, single::Node::word), &single_arrows());
}

#[test]
fn drawings_in_docs_graphs_match_the_code() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/graphs.md");
    let mut page = std::fs::read_to_string(path).unwrap();
    let held = page.clone();
    for (name, arrows) in
        [("lanes", lanes_arrows()), ("orchestration", orchestration_arrows()), ("single", single_arrows())]
    {
        let (begin, end) = (format!("<!-- {name}:begin -->"), format!("<!-- {name}:end -->"));
        let (before, rest) = page.split_once(&begin).expect("the mark is there");
        let (_, after) = rest.split_once(&end).expect("the mark is there");
        page = format!("{before}{begin}\n```mermaid\n{}```\n{end}{after}", drawing(&arrows));
    }
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(path, &page).unwrap();
        return;
    }
    assert_eq!(held, page, "run the test with UPDATE_GOLDEN=1 if the graphs were meant to change");
}
