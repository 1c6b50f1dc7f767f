//! Outwardly there are agents and runs alone (S0.1, C1): what the interface, agent files and the page call
//! things. The words of other models may stand only where they mean something else.

use crate::support::service::TestService;
use crate::tidy::source::file;
use askfirst::agent_spec::schema::editor_schema;
use serde_json::Value;
use std::collections::BTreeSet;

/// Words for what is an agent here, and how they begin in Ukrainian.
const OTHER: [&str; 6] = ["tool", "tools", "node", "nodes", "step", "steps"];
const OTHER_UK: [&str; 4] = ["інструмент", "вузол", "вузл", "нод"];

/// Names of the interface with such a word that name no agent, each with what it means.
const NAMES: &[(&str, &str)] = &[
    ("/api/nodes", "services of a cluster, as they are called everywhere (docs/cluster.md)"),
    ("/api/nodes/drain", "services of a cluster (docs/cluster.md)"),
    ("get_nodes", "services of a cluster (docs/cluster.md)"),
    ("post_nodes_drain", "services of a cluster (docs/cluster.md)"),
    ("/api/runs/{id}/steps/{n}", "of a run's trace"),
    ("Maximum number of steps, 1 to 20000; 10000 if absent.", "of a run's trace"),
    ("Get every step in order.", "of a run's trace"),
    ("It will pause after the current step.", "what a run is at"),
    (
        "Name of the agent for a run, of the node for a step, of the role for a call, or of the action.",
        "of a run's trace",
    ),
    ("Get a step with its changes.", "of a run's trace"),
    ("Pause the run between two steps.", "what a run does one after the other"),
    ("Number of runs and steps left out; the newest steps are included.", "of a run's trace"),
    ("A step: an action, a check, or both.", "a line of a browser's script"),
    ("Name of an action; empty for a step with only a `check`.", "a line of a browser's script"),
    ("Name of the extracted text in later steps, and of the output with the same name.", "lines of a script"),
    ("Step", "a line of a browser's script: an action or a check"),
    ("Steps of a script that a model carried out differently: `{step, was, now}`.", "lines of a script"),
    ("Number of the step that made the call (`/trace`).", "of a run's trace"),
    ("True if the step failed and the answer was not kept.", "of a run's trace"),
    ("There is no such run or step.", "of a run's trace"),
    ("TraceStep", "of a run's trace"),
    (
        "Compare two runs: steps in pairs, the first difference, the usage of each, and differences of inputs and\noutputs.",
        "of runs' traces",
    ),
    (
        "Data for `askfirst replay`: the run and all runs below it, with the inputs of each step and all model\ncalls.",
        "of runs' traces",
    ),
    (
        "Get the timeline of a run and all runs below it: runs, steps, model calls, questions, actions, tasks.",
        "of runs' traces",
    ),
    (
        "`a` and `b`, `first_difference` (a place in `steps`), `steps`, `children`, `inputs`, `outputs`.",
        "of runs' traces",
    ),
    ("get_runs_id_steps_n", "of a run's trace"),
    ("node", "a place in a run's graph, told by its trace alone (C1)"),
    ("orchestration_steps", "a limit of orchestrations (C5)"),
    ("run, step, call, question, action, task, item", "of a run's trace"),
    ("step", "of a run's trace"),
    ("steps", "how many a run has done"),
    ("tool_steps", "a limit of conversations (C5)"),
    ("total_steps", "a limit of run trees (S0.25)"),
];

/// Texts of the page that say step or крок of what a run does, by their keys; never of an agent.
const TEXTS: &[(&str, &str)] = &[
    ("action.page_tool.doing", "what pages call theirs (WebMCP)"),
    ("action.page_tool.done", "what pages call theirs (WebMCP)"),
    ("action.page_tool.failed", "what pages call theirs (WebMCP)"),
    ("advice.invalid_action", "what the run would have done next"),
    ("advice.no_premove", "what the run does before its plan"),
    ("advice.outcome_unknown", "what the run was at"),
    ("chat.thinking", "what the run does next"),
    ("cmp.parts", "of a run's trace"),
    ("control.waits", "what the run is at"),
    ("error.nothing_to_save", "what the run did"),
    ("in.node", "of a run's trace"),
    ("keep.lead", "what the run did"),
    ("keep.lead.own", "what the run did"),
    ("keep.step", "a line of a script"),
    ("kind.lanes.lead", "one after the other"),
    ("kind.mcp", "what other programs call theirs (MCP)"),
    ("lease.asked", "what the run is at"),
    ("node.dispatching_step", "of an orchestration's plan (docs/orchestration.md)"),
    ("orch.step", "a step of a plan (docs/orchestration.md)"),
    ("replay.back", "what the run did"),
    ("replay.forward", "what the run did"),
    ("replay.slider", "what the run did"),
    ("runs.empty", "one after the other"),
    ("steps", "how many a run has done"),
    ("steps.of", "how many a run has done"),
    ("title.more", "commands that the run carries out after the first"),
];

fn words(name: &str) -> Vec<String> {
    let mut spaced = String::new();
    for c in name.chars() {
        if c.is_uppercase() {
            spaced.push(' ');
        }
        spaced.extend(c.to_lowercase());
    }
    spaced.split(|c: char| !c.is_alphanumeric()).map(str::to_owned).collect()
}

fn names_other_product(text: &str) -> bool {
    words(text).iter().any(|word| OTHER.contains(&word.as_str()))
}

/// Every name that a document gives to something: keys below `properties`, `paths` and `schemas`, names of
/// parameters and tags, words that a value may be.
fn names(value: &Value, found: &mut BTreeSet<String>) {
    match value {
        Value::Object(members) => {
            for (key, inner) in members {
                if ["properties", "paths", "schemas", "$defs"].contains(&key.as_str()) {
                    found.extend(inner.as_object().into_iter().flatten().map(|(name, _)| name.clone()));
                }
                if ["name", "enum", "const", "tags", "operationId", "description", "summary"]
                    .contains(&key.as_str())
                {
                    let listed = inner.as_array().into_iter().flatten().chain([inner]);
                    found.extend(listed.filter_map(Value::as_str).map(str::to_owned));
                }
                names(inner, found);
            }
        }
        Value::Array(values) => values.iter().for_each(|value| names(value, found)),
        _ => {}
    }
}

/// Exceptions that nothing needs any more are faults, too.
fn held(found: &BTreeSet<String>, granted: &[(&str, &str)]) {
    let granted: BTreeSet<String> = granted.iter().map(|(name, _)| (*name).to_owned()).collect();
    let other: Vec<&String> = found.difference(&granted).collect();
    assert!(
        other.is_empty(),
        "outwardly there are agents and runs; call these so, or say what they mean: {other:#?}"
    );
    let stale: Vec<&String> = granted.difference(found).collect();
    assert!(stale.is_empty(), "nothing is called so any more: {stale:#?}");
}

// S0.1, C1
#[actix_web::test]
async fn the_interface_and_agent_files_know_agents_and_runs_alone() {
    let app = TestService::start();
    let (_, document) = app.get("/api/openapi.json").await;
    app.finish().await;
    let mut found = BTreeSet::new();
    names(&document, &mut found);
    names(&editor_schema(), &mut found);
    assert!(found.len() > 200 && found.contains("AgentFile") && found.contains("bindings"));
    found.retain(|name| names_other_product(name));
    held(&found, NAMES);
}

// S0.1, S0.38, C18
#[test]
fn the_page_knows_agents_and_runs_alone_in_both_languages() {
    let mut found = BTreeSet::new();
    for language in ["en", "uk"] {
        let texts: Value = serde_json::from_str(&file(&format!("static/locales/{language}.json"))).unwrap();
        assert!(texts.as_object().unwrap().len() > 300);
        for (key, text) in texts.as_object().unwrap() {
            let text = text.to_string();
            let used = words(&text);
            let foreign = used.iter().any(|word| OTHER_UK.iter().any(|begin| word.starts_with(begin)));
            let step = used.iter().any(|word| word.starts_with("крок"));
            if names_other_product(&text) || foreign || step {
                found.insert(key.clone());
            }
        }
    }
    held(&found, TEXTS);
}
