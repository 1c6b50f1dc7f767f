//! Scripts played on small pages, turn by turn.

use super::*;
use crate::page::observation::{Attributes, Line};
use crate::planning::{ActionResult, ActionStatus, HistoryEntry, OUTCOME_UNKNOWN, Speaker};
use crate::turn::Call;

/// A script being played: its turns so far, and the current page.
struct Stage {
    steps: Vec<Step>,
    known: Map<String, Value>,
    secrets: Vec<String>,
    files: Vec<String>,
    history: Vec<HistoryEntry>,
    page: Observation,
    locale: Locale,
    can_repair: bool,
    turn: Turn,
}

impl Stage {
    fn new(script: &str, known: Value) -> Self {
        Self {
            steps: serde_saphyr::from_str(script).unwrap(),
            known: known.as_object().unwrap().clone(),
            secrets: Vec::new(),
            files: Vec::new(),
            history: Vec::new(),
            page: Observation::default(),
            locale: Locale::En,
            can_repair: false,
            turn: Turn::default(),
        }
    }

    /// Sets the page; lines are written as `button Save` and get numbers in order.
    fn shows(&mut self, url: &str, lines: &str) {
        let line = |(index, text): (usize, &str)| {
            let (role, name) = text.trim().split_once(' ').unwrap();
            let (name, disabled) = name.strip_suffix(" disabled").map_or((name, false), |name| (name, true));
            let (name, checked) = name.strip_suffix(" checked").map_or((name, false), |name| (name, true));
            Line {
                role: role.into(),
                name: name.into(),
                eid: Some(u32::try_from(index + 1).unwrap()),
                attributes: Attributes { disabled, checked, ..Attributes::default() },
                ..Line::default()
            }
        };
        let lines = lines.split(", ").filter(|text| !text.is_empty()).enumerate().map(line).collect();
        self.page = Observation {
            url: format!("http://shop.test{url}"),
            title: String::from("Shop"),
            lines,
            ..Observation::default()
        };
    }

    /// Returns the next turn in short form.
    fn next(&mut self) -> String {
        let play = PlayInput {
            steps: &self.steps,
            known: &self.known,
            secrets: &self.secrets,
            history: &self.history,
            page: Some(&self.page),
            files: &self.files,
            locale: self.locale,
            own_origin: "http://own",
            can_repair: self.can_repair,
        };
        match next(&play) {
            PlayerOutcome::Turn(turn) => {
                self.known.extend(turn.context.variables.clone());
                self.turn = turn;
                let call = &self.turn.actions[0];
                match (&self.turn.response, self.turn.status) {
                    (Some(response), status) => format!("{status:?}: {response}"),
                    (None, _) => format!("{} {} {}", call.id_at(0), call.action, json!(call.params)),
                }
            }
            PlayerOutcome::Repair(repair) => {
                format!("mend {} {}: {}", repair.step, repair.count, repair.note)
            }
        }
    }

    fn came(&mut self, outcome: ActionStatus, returned: Option<&str>) {
        let result = |call: &Call| ActionResult {
            action_id: call.id_at(0),
            action: call.action.clone(),
            outcome: outcome.clone(),
            returned: returned.map(str::to_owned),
            answer: None,
            effect_summary: None,
        };
        let results = self.turn.actions.iter().map(result).collect();
        self.history.push(HistoryEntry::Acted { turn: self.turn.clone(), results });
    }

    fn failed(&mut self, code: &str) {
        self.came(ActionStatus::Failed { code: code.into(), message: format!("it was {code}") }, None);
    }

    /// Asserts the next turn and lets it succeed.
    fn goes(&mut self, expected: &str) {
        assert_eq!(self.next(), expected);
        self.came(ActionStatus::Ok, None);
    }

    fn says(&mut self, by: Speaker, text: &str) {
        self.history.push(HistoryEntry::Message { by, text: text.into() });
    }
}

const SHOP: &str = r#"
- {action: navigate, params: {url: "/demo/?q={{ what }}"}, check: {url: /demo/}}
- {action: type, target: {role: textbox, name: City}, params: {text: "{{ city }}"}}
- {action: click, target: {role: button, name: "Add: {{ what }}"}, check: {text: "Your cart"}}
- {action: extract, as: order, take: "Order *"}
"#;

#[test]
fn a_script_is_played_step_by_step_with_its_inputs() {
    let mut stage = Stage::new(SHOP, json!({"what": "Lamp", "city": "Kyiv"}));
    stage.goes(r#"s1 navigate {"url":"http://own/demo/?q=Lamp"}"#);
    stage.shows("/demo/", "button Add: Chair, textbox City, button Add: Lamp");
    stage.goes(r#"s2 type {"text":"Kyiv","eid":2}"#);
    stage.goes(r#"s3 click {"eid":3}"#);
    // The player waits for the check if the page does not meet it at once.
    stage.goes(r#"s3.1 wait {"seconds":10.0,"text":"Your cart"}"#);
    assert_eq!(stage.next(), "s4 extract {}", "the wait found it, though the look left it out");
    stage.came(ActionStatus::Ok, Some("Thanks\nOrder 17"));
    let end = stage.next();
    assert_eq!(end, "Success: Done: all steps of the script were completed (4).\n\n- order: 17");
    assert_eq!(stage.turn.context.variables["order"], "17");
}

#[test]
fn the_check_of_a_step_is_awaited_and_then_reported() {
    let mut stage = Stage::new(SHOP, json!({"what": "Lamp", "city": "Kyiv"}));
    stage.next();
    stage.came(ActionStatus::Ok, None);
    stage.shows("/login", "heading Welcome back");
    for wait in ["s1.1 wait 1.0", "s1.2 wait 2.0", "s1.3 wait 3.0", "s1.4 wait 4.0"] {
        let (id, seconds) = wait.split_once(" wait ").unwrap();
        stage.goes(&format!(r#"{id} wait {{"seconds":{seconds}}}"#));
    }
    let turn = stage.next();
    assert!(turn.starts_with("Error: Stopped at step 1 of 4"), "{turn}");
    assert!(
        turn.contains("was expected to be “/demo/”") && turn.contains("http://shop.test/login"),
        "{turn}"
    );
    // After a new message the player tries again, but repeats no finished step.
    stage.came(ActionStatus::Ok, None);
    stage.says(Speaker::Agent, "Stopped");
    stage.says(Speaker::Person, "again");
    stage.goes(r#"s1.1 wait {"seconds":1.0}"#);
    stage.shows("/demo/", "textbox City");
    stage.goes(r#"s2 type {"text":"Kyiv","eid":1}"#);
}

#[test]
fn a_text_that_never_shows_is_reported_with_the_page_seen() {
    let mut stage = Stage::new(
        "[{action: click, target: {role: button, name: Buy}, check: {text: Thanks, within_s: 2}}]",
        json!({}),
    );
    stage.shows("/", "button Buy");
    stage.goes(r#"s1 click {"eid":1}"#);
    stage.shows("/", "heading Sold out, button Buy");
    assert_eq!(stage.next(), r#"s1.1 wait {"seconds":2.0,"text":"Thanks"}"#);
    stage.failed("timeout");
    let turn = stage.next();
    assert!(turn.contains("was expected to show “Thanks”, but it shows “Sold out”"), "{turn}");
}

// The message names the step and what the page showed.
#[test]
fn a_missing_target_is_searched_for_and_then_reported() {
    let mut stage = Stage::new("[{action: click, target: {role: button, name: Place order}}]", json!({}));
    stage.shows("/checkout", "link Cart, button Complete order");
    stage.page.scroll = (0, 500);
    for expected in [
        r#"s1.1 wait {"seconds":1.0}"#,
        r#"s1.2 wait {"seconds":2.0}"#,
        r#"s1.3 wait {"seconds":3.0}"#,
        r#"s1.4 scroll {"direction":"down","amount":1.0}"#,
    ] {
        stage.goes(expected);
    }
    stage.page.scroll = (500, 500);
    let turn = stage.next();
    assert!(
        turn.starts_with("Error: Stopped at step 1 of 1 (click · button “Place order”): there is no"),
        "{turn}"
    );
    assert!(turn.contains("the closest matches are: button “Complete order”, link “Cart”"), "{turn}");
    assert!(turn.ends_with("Page: “Shop” http://shop.test/checkout"), "{turn}");
    stage.locale = Locale::Uk;
    let turn = stage.next();
    assert!(turn.contains("Зупинився на кроці 1 з 1 (натиснути · кнопка «Place order»)"), "{turn}");
    stage.can_repair = true;
    let turn = stage.next();
    assert!(turn.starts_with("mend 0 0: a script is being played, and its step 1 of 1"), "{turn}");
    assert!(turn.contains("button “Place order”") && turn.contains("`click`"), "{turn}");
}

#[test]
fn a_model_mends_one_step_and_the_script_goes_on() {
    let script =
        "[{action: click, target: {role: button, name: Buy}, check: {url: /done}}, {action: reload}]";
    let mut stage = Stage::new(script, json!({}));
    stage.can_repair = true;
    stage.shows("/", "button Purchase");
    for _ in 0..3 {
        stage.next();
        stage.came(ActionStatus::Ok, None);
    }
    assert!(stage.next().starts_with("mend 0 0"));
    let mending = |action: &str, params: Value| Turn {
        actions: vec![Call {
            action: action.into(),
            params: params.as_object().unwrap().clone(),
            ..Default::default()
        }],
        stop: true,
        response: Some("Done".into()),
        ..Turn::default()
    };
    // The model looks first, fails once, then does the step.
    stage.turn = turns::repair_turn(0, 0, mending("scroll", json!({"direction": "down"}))).unwrap();
    stage.came(ActionStatus::Ok, None);
    stage.next();
    for _ in 0..3 {
        stage.came(ActionStatus::Ok, None);
        stage.next();
    }
    assert!(stage.next().starts_with("mend 0 1"));
    stage.turn = turns::repair_turn(0, 1, mending("click", json!({"eid": 9}))).unwrap();
    assert_eq!((stage.turn.actions[0].id_at(0).as_str(), stage.turn.stop), ("s1.m2", false));
    stage.failed("dead_eid");
    while stage.next().starts_with("s1.") {
        stage.came(ActionStatus::Ok, None);
    }
    stage.turn = turns::repair_turn(0, 2, mending("click", json!({"eid": 1}))).unwrap();
    stage.came(ActionStatus::Ok, None);
    // The step's check still applies.
    stage.goes(r#"s1.1 wait {"seconds":1.0}"#);
    stage.shows("/done", "heading Thanks");
    stage.goes("s2 reload {}");
    let end = stage.next();
    assert!(
        end.contains("A model fixed steps") && end.contains("- Step 1 of 2: click · button “Buy”"),
        "{end}"
    );
}

#[test]
fn a_model_that_finds_no_way_is_asked_no_further() {
    let gives_up = Turn { response: Some("It is sold out".into()), ..Turn::default() };
    assert_eq!(turns::repair_turn(0, 0, gives_up), Err(Some(String::from("It is sold out"))));
    let mut stage = Stage::new("[{action: click, target: {role: button, name: Buy}}]", json!({}));
    stage.can_repair = true;
    stage.shows("/", "heading Shop");
    for count in 0..3 {
        while !stage.next().starts_with("mend") {
            stage.came(ActionStatus::Ok, None);
        }
        let click = Call { action: "click".into(), ..Default::default() };
        stage.turn = turns::repair_turn(0, count, Turn { actions: vec![click], ..Turn::default() }).unwrap();
        stage.failed("invalid_action");
    }
    while stage.next().starts_with("s1") {
        stage.came(ActionStatus::Ok, None);
    }
    let turn = stage.next();
    assert!(
        turn.contains("there is no button “Buy”") && turn.contains("did not find a way either"),
        "{turn}"
    );
}

#[test]
fn passing_failures_are_retried_and_lasting_ones_reported() {
    for (code, tries) in [("covered", 3), ("approval_void", 6), ("not_taken", 1)] {
        let mut stage = Stage::new("[{action: click, target: {role: button, name: Buy}}]", json!({}));
        stage.shows("/", "button Buy");
        for _ in 0..tries {
            assert_eq!(stage.next(), r#"s1 click {"eid":1}"#, "{code}");
            stage.failed(code);
        }
        assert!(stage.next().contains(&format!("it was {code}")), "{code}");
    }
}

// A step with unknown outcome is never repeated, but the page may show that it took place (C11).
#[test]
fn an_interrupted_step_is_not_done_twice() {
    let script =
        "[{action: click, target: {role: button, name: Buy}, check: {text: Thanks}}, {action: reload}]";
    let mut stage = Stage::new(script, json!({}));
    stage.shows("/", "button Buy");
    stage.next();
    stage.failed(OUTCOME_UNKNOWN);
    let turn = stage.next();
    assert!(turn.starts_with("Error: Stopped at step 1") && turn.contains("it is not known"), "{turn}");
    stage.shows("/", "heading Thanks, button Buy");
    assert_eq!(stage.next(), "s2 reload {}");
    // Harmless actions are repeated.
    let mut stage = Stage::new("[{action: reload}]", json!({}));
    stage.next();
    stage.failed(OUTCOME_UNKNOWN);
    assert_eq!(stage.next(), "s1 reload {}");
}

#[test]
fn a_step_declined_with_a_comment_ends_the_script_and_can_be_repeated() {
    let mut stage = Stage::new("[{action: click, target: {role: button, name: Buy}}]", json!({}));
    stage.shows("/", "button Buy");
    stage.next();
    stage.came(ActionStatus::Dropped { why: "the person declined it".into() }, None);
    stage.says(Speaker::Person, "the red one");
    let turn = stage.next();
    assert!(turn.contains("you declined it, saying “the red one”"), "{turn}");
    stage.says(Speaker::Agent, "Stopped");
    stage.says(Speaker::Person, "again");
    assert_eq!(stage.next(), r#"s1 click {"eid":1}"#);
}

#[test]
fn a_switch_in_the_wanted_state_is_left_alone() {
    let script = "[{action: click, target: {role: checkbox, name: Terms}, makes: checked}, {action: reload}]";
    let mut stage = Stage::new(script, json!({}));
    stage.shows("/", "checkbox Terms checked");
    assert_eq!(stage.next(), "s2 reload {}");
    stage.shows("/", "checkbox Terms");
    assert_eq!(stage.next(), r#"s1 click {"eid":1}"#);
    stage.shows("/", "checkbox Terms disabled");
    for _ in 0..3 {
        assert!(stage.next().starts_with("s1."));
        stage.came(ActionStatus::Ok, None);
    }
    assert!(stage.next().contains("checkbox “Terms” is there but disabled"));
}

const PAYMENT: &str = r#"
- {action: type, target: {role: textbox, name: Card number}, params: {text: "{{ card }}"}}
- {action: type, target: {role: textbox, name: CVC}, params: {text: "{{ cvc }}"}}
- {action: click, target: {role: button, name: Pay}}
"#;

#[test]
fn missing_secrets_are_asked_for_in_one_question() {
    let stage = |known: Value| {
        let mut stage = Stage::new(PAYMENT, known);
        stage.secrets = vec!["card".into(), "cvc".into()];
        stage.shows("/pay", "textbox Card number, textbox CVC, button Pay");
        stage
    };
    let mut asks = stage(json!({"card": null, "cvc": null}));
    let question = asks.next();
    assert!(question.starts_with("s1 need_user") && question.contains("“Card number”, “CVC”"), "{question}");
    asks.came(ActionStatus::Ok, None);
    assert_eq!(asks.next(), r#"s3 click {"eid":3}"#);
    let mut half = stage(json!({"card": "<typed:ab>", "cvc": null}));
    half.goes(r#"s1 type {"text":"<typed:ab>","eid":1}"#);
    assert!(half.next().starts_with("s2 need_user"));
    let mut named = stage(json!({"card": "<secret:card>", "cvc": "<secret:cvc>"}));
    named.goes(r#"s1 type {"text":"<secret:card>","eid":1}"#);
    assert_eq!(named.next(), r#"s2 type {"text":"<secret:cvc>","eid":2}"#);
}

#[test]
fn a_file_that_the_run_lacks_is_asked_for() {
    let script = "[{action: upload, target: {role: button, name: Add}, params: {file: photo.jpg}}]";
    let mut stage = Stage::new(script, json!({}));
    stage.shows("/", "button Add");
    let question = stage.next();
    assert!(question.starts_with("s1.1 need_user") && question.contains("“photo.jpg”"), "{question}");
    stage.came(ActionStatus::Ok, None);
    stage.files.push("photo.jpg".into());
    assert_eq!(stage.next(), r#"s1 upload {"file":"photo.jpg","eid":1}"#);
}

#[test]
fn templates_that_cannot_be_filled_and_texts_that_cannot_be_taken_are_reported() {
    let mut stage = Stage::new("[{action: press, params: {key: \"{{ nothing }}\"}}]", json!({}));
    let turn = stage.next();
    assert!(turn.contains("it cannot be filled in") && turn.contains("{{ nothing }}"), "{turn}");
    let mut stage = Stage::new("[{action: extract, as: n, take: \"Order *\"}]", json!({}));
    stage.next();
    stage.came(ActionStatus::Ok, Some("nothing of the kind"));
    assert!(stage.next().contains("no line of what was read matches “Order \\*”"));
}

#[test]
fn the_response_of_the_script_is_sent() {
    let script = "[{action: extract, as: n}, {action: stop, params: {response: \"Ordered {{ n }}.\"}}, {action: reload}]";
    let mut stage = Stage::new(script, json!({}));
    stage.next();
    stage.came(ActionStatus::Ok, Some(" 17 "));
    assert_eq!(stage.next(), "Success: Ordered 17.");
}

#[test]
fn a_check_alone_is_a_step() {
    let mut stage = Stage::new("[{check: {text: Ready}}, {action: reload}]", json!({}));
    stage.shows("/", "heading Loading");
    assert_eq!(stage.next(), r#"s1.1 wait {"seconds":10.0,"text":"Ready"}"#);
    stage.shows("/", "heading Ready");
    assert_eq!(stage.next(), "s2 reload {}");
}
