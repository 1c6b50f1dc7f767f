//! Policy rules as text: faults are reported with their line, and the gate reloads a changed file.

use crate::gate_page::*;
use actix::{Actor, Addr};
use askfirst::gate::actor::{Assess, PolicyGate, ProposedEffect};
use askfirst::gate::policy_file::PolicyFile;
use askfirst::gate::request::{AssessmentRequest, ProposedAction};
use askfirst::gate::rules::{DEFAULT, Rules};
use askfirst::gate::verdict::Decision;
use askfirst::ids::RunId;
use askfirst::store::Store;
use askfirst::store::sqlite::connection::store::SqliteStore;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

const RULE: &str = r#"rules:
  - id: ask-for-all
    when: {}
    decision: requires_confirmation
    risk: low
    reason: {uk: "Так.", en: "So."}
"#;

fn fault(text: &str) -> String {
    Rules::parse(text).expect_err("a fault").to_string()
}

#[test]
fn the_built_in_policy_is_well_formed_and_never_remembers_purchases() {
    let rules = Rules::parse(DEFAULT).expect("the built-in policy");
    assert!(rules.iter().count() > 20);
    assert_eq!(&rules, Rules::built_in());
}

#[test]
fn faults_name_the_location_and_the_correction() {
    for (text, expected) in [
        (RULE.replace("when: {}", "when: {efect: [read]}"), "efect"),
        (RULE.replace("when: {}", "when: {effect: [reed]}"), "reed"),
        (RULE.replace("risk: low", "risk: huge"), "huge"),
        (RULE.replace("risk: low", "risky: low"), "risky"),
        (RULE.replace("low", "low\n    remember: [always]"), "always"),
        (RULE.replace("    risk: low\n", ""), "risk"),
        (RULE.replace("ask-for-all", "Ask for all"), "line 2"),
        (RULE.replace("en: \"So.\"", "en: \"\""), "`reason` needs a text"),
        (format!("{RULE}{}", RULE.replace("rules:\n", "")), "another rule above has this id"),
        (
            RULE.replace("{}", "{effect: [purchase]}").replace("low", "low\n    remember: [run]"),
            "never be remembered",
        ),
        (
            RULE.replace("requires_confirmation", "allow")
                .replace("risk: low", "risk: low\n    remember: [run]"),
            "only `requires_confirmation`",
        ),
        (String::from("rules: []"), "empty"),
        (String::from("rules: [oops"), "line 1"),
    ] {
        let found = fault(&text);
        assert!(found.contains(expected), "{found}\nshould say {expected}");
    }
}

#[test]
fn invalid_rule_files_are_reported_with_their_line() {
    assert!(fault(&RULE.replace("when: {}", "when: {efect: [read]}")).contains('3'));
}

#[test]
fn rules_can_match_words_and_hosts() {
    let text = r#"rules:
  - id: invoices
    when: {words: ["Approve Invoice"], host: ["*.bank.test"]}
    decision: deny
    risk: high
    reason: {uk: "Ні.", en: "No."}
  - id: rest
    decision: allow
    risk: low
    reason: {uk: "Так.", en: "Yes."}
"#;
    let rules = Rules::parse(text).expect("rules");
    let rule = |name: &str, url: &str| {
        let (target, page, context) = (button(name), page(url), context());
        askfirst::gate::assess(
            &rules,
            &AssessmentRequest { action: &click(), target: Some(&target), page: &page, context: &context },
        )
        .rule
    };
    assert_eq!("invoices", rule("APPROVE invoice now", "https://my.bank.test/"));
    assert_eq!("rest", rule("Approve invoices", "https://my.bank.test/"));
    assert_eq!("rest", rule("Approve invoice", "https://shop.test/"));
    // No file opens this service to its own agents.
    assert_eq!("own-service", rule("Approve", "http://127.0.0.1:8787/"));
}

fn write(path: &Path, text: &str) {
    std::fs::write(path, text).expect("the file is written");
}

async fn decision(gate: &Addr<PolicyGate>) -> Decision {
    let asked = ProposedAction { action: navigate(SHOP), target: None, page: page(SHOP), context: context() };
    let assess = Assess { proposed: ProposedEffect::Page(Box::new(asked)), root: RunId::fresh() };
    gate.send(assess).await.expect("the gate lives").expect("an assessment").decision()
}

fn empty_store(folder: &Path) -> Arc<dyn Store> {
    Arc::new(SqliteStore::open(folder, Box::new(|_| ())).expect("a store"))
}

#[actix_web::test]
async fn a_changed_policy_is_reloaded_and_a_broken_one_changes_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("policy.yaml");
    let gate = PolicyGate::open(&path, Duration::ZERO, empty_store(folder.path()));
    let gate = gate.expect("the built-in rules").start();
    assert_eq!(Decision::Allow, decision(&gate).await);
    write(&path, RULE);
    assert_eq!(Decision::RequiresConfirmation, decision(&gate).await);
    write(&path, "rules: [oops");
    assert_eq!(Decision::RequiresConfirmation, decision(&gate).await);
    write(&path, &RULE.replace("requires_confirmation", "deny"));
    assert_eq!(Decision::Deny, decision(&gate).await);
    std::fs::remove_file(&path).expect("the file is removed");
    assert_eq!(Decision::Deny, decision(&gate).await);
}

#[actix_web::test]
async fn the_policy_is_not_checked_twice_within_the_interval() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("policy.yaml");
    let gate = PolicyGate::open(&path, Duration::from_secs(3600), empty_store(folder.path()));
    let gate = gate.expect("the built-in rules").start();
    write(&path, RULE);
    assert_eq!(Decision::Allow, decision(&gate).await);
}

#[test]
fn a_broken_policy_at_the_start_is_reported_with_its_path_and_fault() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("policy.yaml");
    write(&path, &RULE.replace("risk: low", "risk: huge"));
    let fault = PolicyFile::open(&path).expect_err("a fault").to_string();
    assert!(fault.contains("policy.yaml") && fault.contains("huge"), "{fault}");
}

// S1.24: a list that the page made is chosen from by clicks, and a page may call anything an option.
#[test]
fn an_option_of_a_made_list_is_judged_as_a_click_on_it() {
    let decided = |tag: &str, option: &str| {
        judged(&choose(option), Some(&element("combobox", tag, "Command")), SHOP).decision
    };
    for tag in ["div", "input"] {
        assert_eq!(decided(tag, "Plum"), Decision::Allow, "{tag}");
        assert_eq!(decided(tag, "Delete my account"), Decision::RequiresConfirmation, "{tag}");
    }
    assert_eq!(decided("select", "Delete my account"), Decision::Allow, "a native list only holds it");
}
