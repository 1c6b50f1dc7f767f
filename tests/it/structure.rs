//! Structure of the conversation, checked by reading its files: one graph in place of a loop, one state, questions by
//! interrupt alone, a session without business, and a test for every row.

use crate::tidy::source::{File, files};
use std::collections::BTreeSet;

fn sources(folder: &str) -> Vec<File> {
    files(&[folder], "rs")
}

/// Fails where one of these words stands in the code of these files, as a word of its own.
fn lack(files: &[File], words: &[&str], why: &str) {
    for file in files {
        let code = file.production();
        let found =
            code.split(|c: char| !(c.is_alphanumeric() || c == '_')).find(|word| words.contains(word));
        assert_eq!(found, None, "{}: {why}", file.path);
    }
}

// S1.1, S1.4, S1.32: the run actor takes one step at a time; nobody loops over steps.
#[test]
fn there_is_no_loop_over_steps() {
    let mut files = sources("src/programs/conversation");
    files.extend(sources("src/engine/program"));
    files.extend(sources("src/engine/run").into_iter().filter(|file| file.path == "src/engine/run/mod.rs"));
    assert!(files.len() > 15);
    lack(&files, &["loop", "while"], "a step follows another by an arrow, not by a loop");
}

// S1.2, S1.7, S1.8, S1.15, S1.33, S1.37: what is pending and said stands in the graph's state alone.
#[test]
fn one_state_holds_pending_work_and_messages() {
    let old = ["RunState", "pending_action", "pending_kind", "pending_question", "chat_history"];
    lack(&sources("src"), &old, "the conversation's state is the only one");
    let business = ["conversation", "gate", "turn", "model", "planned_action", "approval"];
    lack(&sources("src/session"), &business, "a session is a transport");
}

// S1.3, S1.34: only the graph's `Ask` arrows make a question of a run wait, and only answers end it.
#[test]
fn questions_are_made_by_arrows_alone() {
    let mut arrows = 0;
    for file in sources("src") {
        let questions = file.production().matches("Continuation::Ask(").count();
        arrows += questions;
        let allowed = matches!(
            file.path.as_str(),
            "src/programs/conversation/mod.rs" | "src/programs/single/mod.rs" | "src/engine/run/mod.rs"
        );
        assert!(questions == 0 || allowed, "{}: a question is an arrow of the graph", file.path);
    }
    assert!(arrows > 0, "the arrow that asks has another name: count that one");
}

// S1.14, S1.17 (durable by C3: the store is the checkpointer): who runs a program knows none.
#[test]
fn the_runner_depends_on_programs_and_checkpoints_only() {
    let parts = ["programs", "browser", "gate", "model", "turn", "page", "session", "http"];
    // A person's hands on a page are no step of a program: these give and take them.
    for file in
        sources("src/engine").into_iter().filter(|file| !file.path.starts_with("src/engine/takeover/"))
    {
        for part in parts.iter().filter(|part| file.production().contains(&format!("crate::{part}::"))) {
            // Marks in place of secrets are known to whoever stores words.
            let marks = file.production().replace("crate::turn::typed", "");
            // The hosts that a run may open are one of its bounds.
            let marks = marks.replace("crate::gate::host_scope", "");
            // Addresses are masked in whatever is stored.
            let marks = marks.replace("crate::page::masked_address", "");
            assert!(!marks.contains(&format!("crate::{part}::")), "{}: names {part}", file.path);
        }
    }
}

// S1.16: one module holds state schema, graph, nodes, routers; S1.35: and plans are typed turns.
#[test]
fn the_conversation_has_its_parts_in_one_module() {
    let found: BTreeSet<String> =
        sources("src/programs/conversation").into_iter().map(|file| file.path).collect();
    for part in ["state/mod", "graph", "state/node", "nodes/mod", "mod"] {
        assert!(found.contains(&format!("src/programs/conversation/{part}.rs")), "{part}");
    }
    let planner = sources("src").into_iter().find(|file| file.path == "src/planning.rs").unwrap();
    assert!(planner.production().contains("pub turn: Turn,"), "S1.35: a planner gives a typed turn");
}

// C22: an end that is no success has a status of its own (the graph's `finalize_*`), and every
// requirement of the conversation is named by a test or beside the code that it is about.
#[test]
fn every_requirement_of_the_conversation_is_cited() {
    let texts: Vec<String> = files(&["tests", "src"], "rs").into_iter().map(|file| file.text).collect();
    let named = |row: &str| {
        texts.iter().any(|text| {
            let ends = |at: usize| !text[at + row.len()..].starts_with(|c: char| c.is_ascii_digit());
            text.match_indices(row).any(|(at, _)| ends(at))
        })
    };
    let rows = (1..=38).map(|n| format!("S1.{n}")).chain([4, 5, 20, 22, 23, 24].map(|n| format!("C{n}")));
    let missing: Vec<String> = rows.filter(|row| !named(row)).collect();
    assert!(missing.is_empty(), "no test names {missing:?}");
}
