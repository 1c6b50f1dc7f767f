//! Snapshots of the whole prompt of each role for a fixed state, so that people can review what a model
//! reads.

use crate::model::prompt;
use crate::model::prompt::role_prompts;
use crate::model::role_requests::{
    JudgeRequest, OfferedAgent, OrchestrationRequest, PlanItemsRequest, SummaryRequest, ThinkRequest,
};
use crate::page::observation::{Line, Observation};
use crate::plan::{Evidence, Item, ItemStatus};
use crate::planning::{
    ActionResult, ActionStatus, HistoryEntry, ModelPreference, PlanRequest, PlanView, Speaker,
};
use crate::protocol::Locale;
use crate::turn::Turn;
use crate::turn::action::{NAMES, WITHOUT_PAGE};
use crate::turn::agent_tools::{Input, Tool};
use crate::turn::internal_action::INTERNAL;
use crate::turn::schema::turn_schema;
use serde_json::{Map, Value, json};

/// Renders the messages as text, with the random nonces replaced by a constant. Neighbours of one role are one message,
/// as they are sent.
fn printed(messages: &Value) -> String {
    let (mut out, mut last_role) = (String::new(), "");
    for message in messages.as_array().expect("messages") {
        let content = message["content"].as_str().expect("text");
        let role = message["role"].as_str().expect("a role");
        match role == last_role && role != "system" {
            true => out.push_str(&format!("\n{content}\n")),
            false => out.push_str(&format!("=== {role} ===\n{content}\n")),
        }
        last_role = role;
    }
    let nonces: Vec<String> =
        out.split("nonce=\"").skip(1).filter_map(|rest| rest.split('"').next()).map(str::to_owned).collect();
    nonces.iter().fold(out, |out, nonce| out.replace(nonce.as_str(), "NONCE"))
}

fn talk() -> Vec<HistoryEntry> {
    let turn: Turn = serde_json::from_value(json!({
        "thoughts": [{"type": "PLAN", "content": "Read the price."}],
        "actions": [{"action": "extract", "params": {"eid": 3}}],
    }))
    .expect("a turn");
    let result = ActionResult {
        action_id: String::from("a1"),
        action: String::from("extract"),
        outcome: ActionStatus::Ok,
        returned: Some(String::from("A lamp costs 20.")),
        answer: None,
        effect_summary: None,
    };
    let earlier: Turn = serde_json::from_value(json!({
        "thoughts": "The shop has a cart.",
        "actions": [
            {"action": "click", "params": {"eid": 7}, "description": "click link \"Cart\""},
            {"action": "click", "params": {"eid": 8}},
        ],
    }))
    .expect("a turn");
    let click = |action_id: &str, outcome, effect: Option<&str>| ActionResult {
        action_id: action_id.to_owned(),
        action: String::from("click"),
        outcome,
        returned: None,
        answer: None,
        effect_summary: effect.map(str::to_owned),
    };
    let gone = ActionStatus::Dropped { why: String::from("the page has changed") };
    let clicks = vec![click("a1", ActionStatus::Ok, Some("now at \"/cart\"")), click("a2", gone, None)];
    vec![
        HistoryEntry::Message { by: Speaker::Person, text: String::from("Order a lamp.") },
        HistoryEntry::Acted { turn: earlier, results: clicks },
        HistoryEntry::Acted { turn, results: vec![result] },
    ]
}

fn page() -> Observation {
    let line = Line { role: "button".into(), name: "Place order".into(), eid: Some(12), ..Line::default() };
    Observation { url: "http://shop.test/cart".into(), lines: vec![line], ..Observation::default() }
}

fn items() -> Vec<Item> {
    let item = |position: u32, description: &str, status| Item {
        position,
        description: description.to_owned(),
        acceptance_criteria: String::from("the cart lists it"),
        status,
        ..Item::default()
    };
    let shown = Evidence { accepted: true, why: String::from("it is listed"), ..Evidence::default() };
    let first = Item {
        chosen_tool: Some(String::from("click")),
        execution_result: Some(json!({"success": true})),
        evidence: Some(shown),
        ..item(1, "the cart holds a lamp", ItemStatus::Succeeded)
    };
    vec![first, item(2, "the order is placed", ItemStatus::Running)]
}

fn tools() -> [Tool; 1] {
    let input = |name: &str, type_name: &str, required| Input {
        name: name.into(),
        type_name: type_name.into(),
        required,
        ..Input::default()
    };
    [Tool {
        name: String::from("price_report"),
        description: String::from("Tells prices."),
        inputs: vec![input("shop", "string", true), input("limit", "integer", false)],
        ..Tool::default()
    }]
}

/// Renders the prompt below the tokens of what each request of a run repeats: the schema, in which a plan or files are
/// parts that come and go, and the system message.
fn planner(request: &PlanRequest<'_>) -> String {
    let messages = prompt::messages(request, None).expect("messages");
    let tokens = |text: &str| text.len().div_ceil(4);
    let schema = tokens(&turn_schema(&request.form()).to_string());
    let system = tokens(messages[0]["content"].as_str().expect("text"));
    format!("schema: {schema} tokens; system message: {system} tokens\n{}", printed(&messages))
}

/// Returns the goal of the agent of the chat.
fn goal_of_browser_agent() -> String {
    let file = include_str!("../../../agents/browser.yaml");
    let lines = file.lines().skip_while(|line| *line != "  goal: |").skip(1);
    let goal: Vec<&str> = lines.take_while(|line| line.starts_with("    ")).map(str::trim).collect();
    goal.join("\n")
}

// Each request of the browser agent repeats, with its own goal, at most 2,200 tokens (a quarter of the bytes).
#[test]
fn prompt_of_the_browser_agent() {
    let (history, seen, goal) = (talk(), page(), goal_of_browser_agent());
    let actions: Vec<&str> =
        NAMES.into_iter().filter(|name| *name != "page_tool").chain(["replan"]).collect();
    let request = PlanRequest {
        locale: Locale::En,
        goal: Some(&goal),
        history: &history,
        page: Some(&seen),
        actions: &actions,
        thoughts: true,
        memory: Some("The cart holds a lamp; order it."),
        ..PlanRequest::default()
    };
    let text = planner(&request);
    let numbers =
        text.lines().next().expect("a line").split(' ').filter_map(|word| word.parse::<usize>().ok());
    let tokens: usize = numbers.sum();
    assert!((1_000..=2_200).contains(&tokens), "{tokens} tokens");
    insta::assert_snapshot!(text);
}

// Only a page: the prompt does not mention plans and agents.
#[test]
fn prompt_of_a_planner_with_a_page() {
    let (history, seen) = (talk(), page());
    let request = PlanRequest {
        locale: Locale::En,
        goal: Some("Drive a browser."),
        history: &history,
        page: Some(&seen),
        actions: &NAMES,
        ..PlanRequest::default()
    };
    insta::assert_snapshot!(planner(&request));
}

// The plan, its results, answers and tools; no page (S2.9, S2.33).
#[test]
fn prompt_of_a_planner_with_a_plan_and_tools() {
    let (history, items, tools) = (talk(), items(), tools());
    let answers = Map::from_iter([(String::from("size"), json!("large"))]);
    let variables = Map::from_iter([(String::from("last_build_id"), json!("build-1"))]);
    let actions = [&WITHOUT_PAGE[..], &INTERNAL[..]].concat();
    let request = PlanRequest {
        locale: Locale::Uk,
        history: &history,
        actions: &actions,
        tools: &tools,
        plan: Some(PlanView { mission: "Order a lamp.", items: &items, current: Some(2) }),
        answers: Some(&answers),
        variables: Some(&variables),
        thoughts: true,
        ..PlanRequest::default()
    };
    insta::assert_snapshot!(planner(&request));
    let thought = ThinkRequest { plan: &request, most: 5, tokens: 300 };
    let messages = role_prompts::think(&thought, None).expect("messages");
    let last = messages.as_array().and_then(|all| all.last()).cloned().expect("a message");
    insta::assert_snapshot!("of_thinking", printed(&json!([last])));
}

// A plan with a reason for a new one (S2.33, S2.34).
#[test]
fn prompt_of_a_plan_request() {
    let (items, tools) = (items(), tools());
    let request = PlanItemsRequest {
        locale: Locale::En,
        prefers: None,
        goal: None,
        mission: "Order a lamp.",
        answers: &Map::from_iter([(String::from("size"), json!("large"))]),
        items: &items,
        reason: Some("the shop is closed"),
        tools: &tools,
        history: &[],
        page: None,
    };
    insta::assert_snapshot!(printed(&role_prompts::plan(&request, None).expect("messages")));
}

// A judgement of an item (C12).
#[test]
fn prompt_of_a_judge() {
    let items = items();
    let request = JudgeRequest {
        locale: Locale::Uk,
        item: &items[1],
        mission: "Order a lamp.",
        report: "It is ordered.",
        work: &[String::from("click: ok")],
        url: Some("http://shop.test/thanks"),
        page: "- heading \"Thank you\"",
        picture: None,
        files: &[],
        variables: &[],
        answers: &[(String::from("size"), String::from("large"))],
    };
    insta::assert_snapshot!(printed(&role_prompts::judge(&request, None).expect("messages")));
}

// A summary of old history (S2.32).
#[test]
fn prompt_of_a_summary() {
    let entries = talk();
    let request = SummaryRequest { locale: Locale::En, entries: &entries };
    insta::assert_snapshot!(printed(&role_prompts::summary(&request, None).expect("messages")));
}

// Agents with inputs and outputs, bindings by name, and never the orchestrator (S3.13, S3.29).
#[test]
fn prompt_of_an_orchestration() {
    let [tool] = tools();
    let agents = [OfferedAgent { tool, outputs: vec![String::from("report")] }];
    let request = OrchestrationRequest {
        locale: Locale::En,
        prefers: &ModelPreference::default(),
        prompt: "Compare the prices of both shops.",
        agents: &agents,
        bindings: &[String::from("first_shop"), String::from("second_shop")],
        most: 12,
        fits: &|_| Ok(()),
    };
    insta::assert_snapshot!(printed(&role_prompts::orchestration(&request, None).expect("messages")));
}
