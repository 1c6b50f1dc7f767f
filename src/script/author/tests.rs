//! Tables of runs, and the scripts made from them.

use super::*;
use crate::agent_spec::check;
use crate::agent_spec::types::script::{Makes, Target};
use crate::script::recording::{ActionElements, PageSummary, RecordedAction};
use crate::script::rendering;
use serde_json::{Value, json};

const OWN: &str = "http://127.0.0.1:8787";

fn seen(path: &str, heading: &str) -> PageSummary {
    PageSummary { url: format!("{OWN}{path}"), title: String::from("Shop"), heading: heading.into() }
}

/// An action on the element with this role and name, on the page at this path.
fn deed(action: &str, on: &str, params: Value, at: &str) -> RecordedAction {
    let targets = on.split_once(' ').map(|(role, name)| Target {
        role: role.into(),
        name: name.into(),
        ..Target::default()
    });
    RecordedAction {
        action_id: String::from("a1"),
        action: action.into(),
        params: params.as_object().unwrap().clone(),
        elements: targets.map(|target| ActionElements { targets: vec![target], ..ActionElements::default() }),
        before: seen(at, ""),
        after: Some(seen(at, "")),
        ok: true,
    }
}

impl RecordedAction {
    fn leads(mut self, path: &str, heading: &str) -> Self {
        self.after = Some(seen(path, heading));
        self
    }

    fn failed(mut self) -> Self {
        self.ok = false;
        self
    }

    fn with(mut self, change: impl FnOnce(&mut ActionElements)) -> Self {
        change(self.elements.as_mut().unwrap());
        self
    }
}

fn story(words: &str, actions: Vec<RecordedAction>) -> RecordedRun {
    RecordedRun { actions, words: vec![words.into()], own_origin: OWN.into(), ..RecordedRun::default() }
}

fn agent() -> AgentSpec {
    AgentSpec { browser: Some(Browser::default()), ..AgentSpec::blank(Kind::Atomic) }
}

fn drafted(story: &RecordedRun) -> AgentDraft {
    let called =
        AgentNames {
            name: String::from("made"), title_ua: Some(String::from("Зроблений")), title_en: None
        };
    let draft = draft_agent(story, &agent(), &called).unwrap();
    // Every draft must be accepted by the agents folder.
    let text = check::write(&draft.spec).unwrap();
    assert_eq!(check::read(&text, "made").as_ref(), Ok(&draft.spec), "{text}");
    draft
}

fn steps(draft: &AgentDraft) -> Value {
    json!(draft.spec.browser.as_ref().unwrap().script)
}

#[test]
fn actions_of_a_run_become_steps_inputs_and_checks() {
    let run = story(
        "Order a Blue lamp to Kyiv, my login is olena",
        vec![
            deed("navigate", "", json!({"url": format!("{OWN}/demo/?lang=en")}), "about:blank")
                .leads("/demo/", "Lamps"),
            deed(
                "type",
                "textbox Login",
                json!({"eid": 4, "text": "olena", "clear": true, "submit": null}),
                "/demo/login",
            ),
            deed("type", "textbox Password", json!({"text": "<typed:ab12>"}), "/demo/login"),
            deed("click", "button Sign in", json!({"eid": 3, "button": "left", "count": 1}), "/demo/login")
                .leads("/demo/account/17", "Welcome"),
            deed("select", "combobox City", json!({"eid": 3, "option": "Kyiv"}), "/demo/checkout"),
            deed("type", "textbox Note", json!({"text": "made up"}), "/demo/checkout"),
            deed("click", "checkbox Terms", json!({"eid": 3}), "/demo/checkout")
                .with(|aimed| aimed.makes = Some(Makes::Checked)),
            deed("click", "button Place order", json!({"eid": 9}), "/demo/checkout")
                .leads("/demo/orders/1001/thanks", "Thank you! Order 1001"),
        ],
    );
    let draft = drafted(&run);
    let browser = draft.spec.browser.as_ref().unwrap();
    assert_eq!(browser.start_url.as_deref(), Some("/demo/?lang=en"));
    assert_eq!(
        steps(&draft),
        json!([
            {"action": "type", "target": {"role": "textbox", "name": "Login"}, "params": {"text": "{{ login }}"}},
            {"action": "type", "target": {"role": "textbox", "name": "Password"}, "params": {"text": "{{ password }}"}},
            {"action": "click", "target": {"role": "button", "name": "Sign in"}, "check": {"url": "/demo/account/*"}},
            {"action": "select", "target": {"role": "combobox", "name": "City"}, "params": {"option": "{{ city }}"}},
            {"action": "type", "target": {"role": "textbox", "name": "Note"}, "params": {"text": "made up"}},
            {"action": "click", "target": {"role": "checkbox", "name": "Terms"}, "makes": "checked"},
            {"action": "click", "target": {"role": "button", "name": "Place order"},
             "check": {"text": "Thank you! Order", "url": "/demo/orders/*/thanks"}},
        ])
    );
    assert_eq!(
        json!(draft.spec.inputs),
        json!([
            {"name": "login", "type": "string", "description": "Login", "default": "olena"},
            {"name": "password", "type": "string", "description": "Password", "required": false, "secret": true},
            {"name": "city", "type": "string", "description": "City", "default": "Kyiv"},
        ])
    );
    // The file must not contain any part of a secret.
    assert!(!json!(draft.spec).to_string().contains("typed:"));
    assert_eq!(json!(draft.spec.outputs), json!([{"name": "answer", "type": "string"}]));
}

#[test]
fn a_chosen_list_item_becomes_an_input_everywhere() {
    let pick = |on: &str, choice: &str, count| {
        deed("click", on, json!({}), "/demo/")
            .leads("/demo/product/blue", "Blue lamp")
            .with(|aimed| aimed.choice = Some((choice.into(), count)))
    };
    let remove = deed("click", "button Remove", json!({}), "/demo/cart")
        .with(|aimed| aimed.targets[0].near = Some("Blue lamp, $20".into()));
    let run = story("buy the Blue lamp", vec![pick("button Add: Blue lamp", "Blue lamp", 1), remove.clone()]);
    let draft = drafted(&run);
    assert_eq!(
        steps(&draft),
        json!([
            {"action": "click", "target": {"role": "button", "name": "Add: {{ item }}"}, "check": {"url": "/demo/product/*"}},
            {"action": "click", "target": {"role": "button", "name": "Remove", "near": "{{ item }}, $20"}},
        ])
    );
    assert_eq!(draft.spec.inputs[0].default, Some(json!("Blue lamp")));
    // A message with the whole name means the button itself, unless there are many of its kind.
    for (count, inputs) in [(1, 0), (5, 1)] {
        let run = story("click Add: Blue lamp", vec![pick("button Add: Blue lamp", "Blue lamp", count)]);
        assert_eq!(drafted(&run).spec.inputs.len(), inputs, "{count}");
    }
}

#[test]
fn actions_without_effect_are_left_out_with_a_note() {
    let away = |url: &str| deed("navigate", "", json!({"url": url}), "/demo/");
    let run = story(
        "",
        vec![
            away("https://search.test/?q=lamps").leads("/x", ""),
            away("http://127.0.0.1:8787/demo/").leads("/demo/", ""),
            deed("click", "button Gone", json!({}), "/demo/").failed(),
            deed("wait", "", json!({"seconds": 2}), "/demo/"),
            deed("click", "link About", json!({}), "/demo/").leads("/demo/about", ""),
            deed("back", "", json!({}), "/demo/about").leads("/demo/", ""),
            deed("scroll", "", json!({"direction": "down"}), "/demo/"),
            deed("type", "textbox City", json!({"text": "Lviv"}), "/demo/"),
            deed("type", "textbox Name", json!({"text": "Ivan"}), "/demo/"),
            deed("type", "textbox City", json!({"text": "Odesa"}), "/demo/"),
            deed("wait", "", json!({"text": "Ready"}), "/demo/"),
            deed("scroll", "", json!({"direction": "down"}), "/demo/"),
            deed("extract", "", json!({}), "/demo/"),
            deed("ask_user", "", json!({"question": "Which?", "answer_key": "which"}), "/demo/"),
            deed("stop", "", json!({"response": "Done"}), "/demo/"),
        ],
    );
    let draft = drafted(&run);
    assert_eq!(
        steps(&draft),
        json!([
            {"action": "type", "target": {"role": "textbox", "name": "Name"}, "params": {"text": "Ivan"}},
            {"action": "type", "target": {"role": "textbox", "name": "City"}, "params": {"text": "Odesa"}},
            {"check": {"text": "Ready"}},
            {"action": "scroll", "params": {"direction": "down"}},
            {"action": "extract", "as": "read"},
        ])
    );
    let left: Vec<&str> = draft.left_out.iter().map(|left| left.action.as_str()).collect();
    assert_eq!(left, ["navigate", "click", "wait", "click", "back", "scroll", "type", "ask_user", "stop"]);
    assert_eq!(json!(draft.spec.outputs), json!([{"name": "read", "type": "string"}]));
}

#[test]
fn text_typed_again_on_another_page_stays() {
    let city = |at: &str| deed("type", "textbox City", json!({"text": "Lviv"}), at);
    let click = || deed("click", "button Save", json!({}), "/a");
    for actions in [vec![city("/a"), city("/b")], vec![city("/a"), click(), city("/a")]] {
        let count = actions.len();
        assert_eq!(steps(&drafted(&story("", actions))).as_array().unwrap().len(), count);
    }
}

#[test]
fn a_run_without_page_actions_makes_no_agent() {
    let asks = deed("ask_user", "", json!({"question": "What?"}), "");
    let failed = deed("click", "button Buy", json!({}), "/").failed();
    for actions in [vec![], vec![asks], vec![failed]] {
        assert!(draft_agent(&story("", actions), &agent(), &AgentNames::default()).is_none());
    }
}

#[test]
fn steps_done_by_hand_become_requests_to_the_person() {
    let hand_over = deed("need_user", "", json!({"text": "Sign in, please"}), "/login").leads("/home", "");
    let draft = drafted(&story("", vec![hand_over, deed("click", "link Mail", json!({}), "/home")]));
    assert_eq!(steps(&draft)[0], json!({"action": "need_user", "params": {"text": "Sign in, please"}}));
}

const SCRIPTED: &str = r#"
name: made
title_ua: "Зроблений"
kind: atomic
inputs: [{name: lamp}, {name: city}]
browser:
  script:
    - {action: click, target: {role: button, name: "Add: {{ lamp }}"}, check: {url: /cart}, note: the lamp}
    - {action: type, target: {role: textbox, name: City}, params: {text: "{{ city }}"}}
    - {action: extract, as: order, take: "No. *"}
"#;

#[test]
fn a_played_script_is_saved_with_its_repaired_steps() {
    let agent = check::read(SCRIPTED, "made").unwrap();
    let mend = |id: &str, deed: RecordedAction| RecordedAction { action_id: id.into(), ..deed };
    let mut run = story(
        "",
        vec![
            mend("s1.m1", deed("scroll", "", json!({"direction": "down"}), "/")),
            mend("s1.m2", deed("click", "button Accept cookies", json!({"eid": 1}), "/")),
            mend("s1.m2.2", deed("click", "button Buy: Blue lamp", json!({"eid": 2}), "/")),
            mend("s2.m1", deed("type", "combobox Town", json!({"eid": 3, "text": "Kyiv"}), "/")),
            mend("s3", deed("extract", "", json!({}), "/")),
        ],
    );
    run.inputs = json!({"lamp": "Blue lamp", "city": "Kyiv"}).as_object().unwrap().clone();
    let called = AgentNames { name: String::from("made_2"), ..AgentNames::default() };
    let draft = draft_agent(&run, &agent, &called).unwrap();
    assert_eq!(
        steps(&draft),
        json!([
            {"action": "click", "target": {"role": "button", "name": "Accept cookies"}},
            {"note": "the lamp", "action": "click", "target": {"role": "button", "name": "Buy: {{ lamp }}"}, "check": {"url": "/cart"}},
            {"action": "type", "target": {"role": "combobox", "name": "Town"}, "params": {"text": "{{ city }}"}},
            {"action": "extract", "as": "order", "take": "No. *"},
        ])
    );
    assert_eq!(draft.repaired_steps.iter().map(|mended| mended.step).collect::<Vec<_>>(), [1, 2]);
    assert_eq!((draft.spec.name.as_str(), draft.spec.title_ua.as_str()), ("made_2", "Зроблений"));
    assert_eq!(draft.spec.inputs, agent.inputs);
}

// Names from a page are never filled in as templates, least of all with a secret.
#[test]
fn text_of_a_page_is_never_a_template() {
    let pay = deed("click", "button Pay {{ password }}", json!({}), "/pay").with(|aimed| {
        aimed.targets[0].near = Some("{% for x in y %}".into());
    });
    let run = story(
        "pay {{ item }}",
        vec![
            deed("type", "textbox Password", json!({"text": "<typed:ab>"}), "/pay"),
            deed("type", "textbox Note", json!({"text": "{{ password }}"}), "/pay"),
            pay,
        ],
    );
    let known = json!({"password": "hunter2"}).as_object().unwrap().clone();
    let draft = drafted(&run);
    let script = draft.spec.browser.unwrap().script.unwrap();
    let target = rendering::render_target(script[2].target.as_ref().unwrap(), &known).unwrap();
    assert_eq!(
        (target.name.as_str(), target.near.as_deref()),
        ("Pay {{ password }}", Some("{% for x in y %}"))
    );
    let params = rendering::render_params(&script[1].params, &known).unwrap();
    assert_eq!(params["text"], "{{ password }}");
}

// A heading that was there before proves nothing.
#[test]
fn a_heading_present_before_the_step_is_no_check() {
    let stays = |before: &str| {
        let mut deed =
            deed("click", "button Add to cart", json!({}), "/demo/lamp").leads("/demo/lamp", "Warm light");
        deed.before.heading = before.to_owned();
        drafted(&story("add a lamp", vec![deed])).spec.browser.unwrap().script.unwrap().remove(0).check
    };
    assert_eq!(stays("Warm light"), None);
    assert_eq!(stays("Lamps").and_then(|check| check.text), Some(String::from("Warm light")));
}
