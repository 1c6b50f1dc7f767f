//! `askfirst orchestrate`: a plan from a file or from standard input, its bindings, and how it ends for scripts.

use crate::support::cli::{askfirst, askfirst_with};
use crate::support::model::{Reply, ScriptedModel};
use serde_json::{Value, json};

const PLAN: &str = "
steps:
  - {id: one, agent_id: echo_simple, with: {task: '${{ word }}'}}
  - id: both
    type: parallel
    children:
      - {id: left, agent_id: echo_simple, with: {task: '{{ result.one.text }}'}}
      - {id: right, agent_id: echo_simple, with: {task: '{{ many | length }}'}}
";

// S3.1, S3.15, S3.36: a plan alone, or a whole order; bindings from the command line win.
#[actix_web::test]
async fn a_plan_from_a_file_is_carried_out() {
    let folder = tempfile::tempdir().unwrap();
    let plan_file = folder.path().join("plan.yaml");
    std::fs::write(&plan_file, PLAN).unwrap();
    let plan = plan_file.to_str().unwrap();
    let words = [
        "orchestrate",
        plan,
        "--binding",
        "word=hello",
        "-b",
        "many:=[1,2]",
        "--timeout",
        "60",
        "--max-parallel",
        "1",
    ];
    let more = ["--metadata", "{\"ticket\": 7}", "--idempotency-key", "once", "--json"];
    let done = askfirst(folder.path(), &[&words[..], &more[..]].concat(), &[]).await;
    assert_eq!(done.code, 0, "{done:?}");
    let output = done.json();
    assert_eq!(output["vars"]["success"], true);
    assert_eq!(output["vars"]["bindings"]["result"]["left"]["text"], "One step: One step: hello");
    assert_eq!(output["vars"]["bindings"]["result"]["right"]["text"], "One step: 2");
    let whole = json!({"plan": serde_saphyr::from_str::<Value>(PLAN).unwrap(), "bindings": {"word": "hi", "many": []}});
    let words = ["orchestrate", "-", "--binding", "word=hello", "--json"];
    let done = askfirst_with(folder.path(), &words, &[], &whole.to_string()).await;
    assert_eq!(done.code, 0, "{done:?}");
    assert_eq!(done.json()["vars"]["bindings"]["result"]["one"]["text"], "One step: hello");
}

// Exit codes of scripts: a plan that is none, one that fails, a file that is not there.
#[actix_web::test]
async fn each_failure_of_orchestrate_has_its_exit_code() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let unknown = file("unknown.json", "{\"steps\": [{\"agent_id\": \"nobody\"}]}");
    let list = file("list.yaml", "- 1\n");
    let both = file("both.yaml", "prompt: x\nplan: {steps: []}\n");
    for (words, code, expected) in [
        (vec!["orchestrate", &unknown], 3, "there is no agent `nobody`"),
        (vec!["orchestrate", &list], 2, "is no plan"),
        (vec!["orchestrate", &both], 2, "not both"),
        (vec!["orchestrate", "absent.yaml"], 2, "cannot be read"),
        (vec!["orchestrate", &unknown, "--metadata", "[1]"], 2, "--metadata"),
    ] {
        let done = askfirst(folder.path(), &words, &[]).await;
        assert_eq!(done.code, code, "{words:?}: {done:?}");
        assert!(format!("{}{}", done.out, done.err).contains(expected), "{expected}: {done:?}");
    }
}

// S3.13: a prompt, with a model that makes the plan.
#[actix_web::test]
async fn a_prompt_is_planned_and_carried_out() {
    let step = json!({
        "id": "a", "type": "agent", "agent_id": "echo_simple", "action_id": null, "prompt": null,
        "with": [{"name": "task", "value": "greet"}], "result_key": "a",
    });
    let model = ScriptedModel::answering(Default::default(), move |_| {
        Reply::Text(json!({"steps": [step]}).to_string())
    });
    let folder = tempfile::tempdir().unwrap();
    let vars = [("ASKFIRST_MODEL__BASE_URL", model.base_url.as_str())];
    let done = askfirst(folder.path(), &["orchestrate", "--prompt", "greet everybody"], &vars).await;
    assert_eq!(done.code, 0, "{done:?}");
    assert!(done.out.contains("One step: greet"), "{done:?}");
    model.finish();
}
