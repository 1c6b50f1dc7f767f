//! Rules as text: what is wrong in them is said with its line; the shell reads a changed file again.

use crate::gate_page::*;
use askfirst::clock::Moment;
use askfirst::gate::reload::Gate;
use askfirst::gate::request::AssessmentRequest;
use askfirst::gate::rules::{DEFAULT, Rules};
use askfirst::gate::verdict::Decision;
use std::path::Path;

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
fn faults_name_the_place_and_what_would_be_right() {
    for (text, said) in [
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
        assert!(found.contains(said), "{found}\nshould say {said}");
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

fn decision(gate: &Gate, second: i64) -> Decision {
    let (page, context) = (page(SHOP), context());
    let ask = AssessmentRequest { action: &navigate(SHOP), target: None, page: &page, context: &context };
    gate.assess(&ask, Moment::from_millis(second * 1000)).decision
}

fn write(path: &Path, text: &str) {
    std::fs::write(path, text).expect("the file is written");
}

#[test]
fn a_changed_file_is_read_again_and_a_broken_one_changes_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("policy.yaml");
    let gate = Gate::open(&path, Moment::from_millis(0)).expect("the built-in rules");
    assert_eq!(Decision::Allow, decision(&gate, 0));
    write(&path, RULE);
    assert_eq!(Decision::RequiresConfirmation, decision(&gate, 2));
    write(&path, "rules: [oops");
    assert_eq!(Decision::RequiresConfirmation, decision(&gate, 4));
    write(&path, &RULE.replace("requires_confirmation", "deny"));
    // Not looked at twice in a second.
    assert_eq!(Decision::RequiresConfirmation, decision(&gate, 4));
    assert_eq!(Decision::Deny, decision(&gate, 6));
    std::fs::remove_file(&path).expect("the file is removed");
    assert_eq!(Decision::Deny, decision(&gate, 8));
}

#[test]
fn a_broken_file_at_the_start_says_which_and_where() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("policy.yaml");
    write(&path, &RULE.replace("risk: low", "risk: huge"));
    let fault = Gate::open(&path, Moment::from_millis(0)).expect_err("a fault").to_string();
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
