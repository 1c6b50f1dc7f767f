//! The six prototypes of turns, read as turns and as actions (S4.1 to S4.15).

use askfirst::turn::action::{Action, AgentAction, WITHOUT_PAGE};
use askfirst::turn::agent_tools::{Input, Tool};
use askfirst::turn::internal_action::{INTERNAL, InternalAction, TaskOperation};
use askfirst::turn::{Call, Turn, TurnStatus};
use serde_json::json;

fn prototype(number: u32) -> Turn {
    let path = format!("{}/tests/golden/prototypes/{number}.json", env!("CARGO_MANIFEST_DIR"));
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

/// An agent that takes texts of these names.
fn tool(name: &str, inputs: &[&str]) -> Tool {
    let input = |name: &&str| Input { name: (*name).to_owned(), type_name: "any".into(), ..Input::default() };
    Tool { name: name.to_owned(), inputs: inputs.iter().map(input).collect(), ..Tool::default() }
}

fn action(call: &Call) -> Action {
    let tools = [
        tool("build_tool", &["target", "config"]),
        tool("git_tool", &["operation", "repo"]),
        tool("search_tool", &["query", "path"]),
        tool("deploy_tool", &["target", "service"]),
        tool("static_analyzer", &["source_task_id", "ruleset"]),
        tool("github_tool", &["operation", "pr_number"]),
        tool("summarizer_tool", &["source_task_id", "context_task_id"]),
    ];
    let actions = [&WITHOUT_PAGE[..], &INTERNAL[..]].concat();
    let action = Action::parse_with(call, &actions, &tools).unwrap();
    if let Action::Agent(AgentAction::Inner(InternalAction::Agent { name, input })) = &action {
        let tool = tools.iter().find(|tool| tool.name == *name).unwrap();
        tool.complete(input).unwrap();
    }
    action
}

fn is_async(call: &Call) -> bool {
    call.execution.as_deref() == Some("ASYNC")
}

// S4.1, S4.2, S4.3, S4.5, S4.6, S4.7, S4.8, S4.9, S4.10, S4.14, S4.15, S4.21, S4.22: prototype 1.
#[test]
fn an_async_task_is_started() {
    let turn = prototype(1);
    assert_eq!((turn.status, turn.stop), (TurnStatus::TaskStarted, true));
    assert_eq!(turn.context.knowledge_relics, ["relic_id_project_docs_v4"]);
    assert_eq!(turn.context.security_level, Some(json!("user")), "kept for the trace alone (C17)");
    let kinds: Vec<&str> = turn.thoughts.iter().map(|thought| thought.kind.as_str()).collect();
    assert_eq!(kinds, ["PLAN", "DECISION"]);
    let call = &turn.actions[0];
    assert_eq!((call.id_at(0).as_str(), call.kind.as_deref()), ("build-main-app-123", Some("tool")));
    assert!(is_async(call) && turn.response.as_deref().unwrap().contains("build-main-app-123"));
    let Action::Agent(AgentAction::Inner(InternalAction::Agent { name, input })) = action(call) else {
        panic!("no call of an agent")
    };
    assert_eq!((name.as_str(), &input["target"]), ("build_tool", &json!("//main:app")));
}

// S4.17, S4.23: prototype 2.
#[test]
fn a_status_is_asked_for() {
    let turn = prototype(2);
    assert_eq!((turn.status, turn.stop, turn.response), (TurnStatus::Executing, false, None));
    let asked = InternalAction::TaskManager {
        operation: TaskOperation::GetStatus,
        task_id: Some(String::from("build-main-app-123")),
    };
    assert_eq!(action(&turn.actions[0]), Action::Agent(AgentAction::Inner(asked)));
}

// S4.11, S4.24: prototype 3.
#[test]
fn an_action_depends_on_another() {
    let turn = prototype(3);
    assert_eq!(turn.actions.iter().map(is_async).collect::<Vec<_>>(), [true, false]);
    assert_eq!(turn.actions[1].depends_on.as_deref(), Some("doc_update_task"));
    assert_eq!(turn.actions[0].id_at(0), "doc_update_task");
    turn.actions.iter().for_each(|call| drop(action(call)));
}

// S4.12, S4.25: prototype 4.
#[test]
fn an_action_says_how_it_is_shown() {
    let turn = prototype(4);
    let display = turn.actions[0].display.as_ref().unwrap();
    assert_eq!(
        (&display["type"], &display["estimated_duration_seconds"]),
        (&json!("progress_bar"), &json!(120))
    );
    assert!(prototype(1).actions[0].display.is_none(), "none unless it is asked for");
    action(&turn.actions[0]);
}

// S4.4, S4.18, S4.19, S4.26: prototype 5.
#[test]
fn a_variable_is_handed_on() {
    let turn = prototype(5);
    assert_eq!(turn.context.variables["last_build_id"], "build-main-app-123");
    assert_eq!(turn.context.knowledge_relics.len(), 2);
    assert_eq!(turn.thoughts[1].kind, "ASSUMPTION");
    let Action::Agent(AgentAction::Inner(InternalAction::Agent { input, .. })) = action(&turn.actions[0])
    else {
        panic!("no call")
    };
    assert_eq!(input["source_task_id"], "${{variables.last_build_id}}", "filled in when it begins");
}

// S4.13, S4.20, S4.27: prototype 6.
#[test]
fn sub_actions_belong_to_their_action() {
    let turn = prototype(6);
    let main = &turn.actions[0];
    assert_eq!(
        action(main),
        Action::Agent(AgentAction::Inner(InternalAction::Group { name: String::from("enrich_and_report") }))
    );
    assert!(main.description.as_deref().unwrap().starts_with("Fetches PR data"));
    let subs: Vec<_> = main
        .sub_actions
        .iter()
        .map(|call| (call.id_at(0), is_async(call), call.depends_on.as_deref()))
        .collect();
    assert_eq!(
        subs,
        [
            (String::from("fetch_pr"), true, None),
            (String::from("run_unit_tests"), true, Some("fetch_pr")),
            (String::from("generate_summary"), false, Some("run_unit_tests")),
        ]
    );
    main.sub_actions.iter().for_each(|call| drop(action(call)));
}
