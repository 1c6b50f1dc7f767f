//! The board of a run in a real Chromium: every state in its words and colour, what went into a card and
//! what came out of it, while the run is at work and after the page was loaded anew.
// S0.11, S0.22

use crate::support::app::{Http, PATIENCE, TestApp, spawn_in};
use crate::support::model::{Reply, ScriptedModel};
use crate::support::model_checks::Rules;
use crate::support::talk::slot;
use crate::support::ui::{Ui, lines};
use serde_json::json;

/// Composite whose items run one after the other: the second may fail, the fourth may not.
const WHOLE: &str = "name: whole\ntitle_ua: Ціле\ntitle_en: Whole\nkind: composite\n\
    inputs: [{name: task, type: string}]\noutputs: [{name: text, type: string}]\n\
    graph:\n  max_parallel: 1\n  lanes:\n    - items:\n";

const CARDS: [(&str, &str, &str); 5] = [
    ("first", "Перший", "First"),
    ("second", "Другий", "Second"),
    ("third", "Третій", "Third"),
    ("fourth", "Четвертий", "Fourth"),
    ("fifth", "П'ятий", "Fifth"),
];

fn files() -> Vec<(String, String)> {
    let card = |(name, ua, en): (&str, &str, &str)| {
        let text = format!(
            "name: {name}\ntitle_ua: {ua}\ntitle_en: {en}\nkind: atomic\n\
             inputs: [{{name: task, type: string}}]\noutputs: [{{name: text, type: string}}]\n\
             llm: {{prompt: '{name} {{{{ task }}}}'}}\n"
        );
        (name.to_owned(), text)
    };
    let items = CARDS.iter().enumerate().map(|(at, (name, ..))| {
        let id = format!("00000000-0000-4000-8000-00000000000{at}");
        let lane = if at == 4 { "    - items:\n" } else { "" };
        let mild = if at == 1 { "          on_error: continue\n" } else { "" };
        format!(
            "{lane}        - id: {id}\n          agent: {name}\n{mild}          bindings:\n            \
             - {{from_agent_item_id: __CTX__, from_var: task, to_agent_item_id: {id}, to_var: task}}\n"
        )
    });
    let whole = (String::from("whole"), format!("{WHOLE}{}", items.collect::<String>()));
    CARDS.into_iter().map(card).chain([whole]).collect()
}

async fn service(model: &ScriptedModel) -> TestApp {
    let folder = tempfile::tempdir().unwrap();
    let agents = folder.path().join("agents");
    std::fs::create_dir_all(&agents).unwrap();
    for (name, text) in files() {
        std::fs::write(agents.join(format!("{name}.yaml")), text).unwrap();
    }
    let settings = [
        ("ASKFIRST_MODEL__BASE_URL", model.base_url.as_str()),
        ("ASKFIRST_MODEL__PLANNER", "scripted"),
        ("ASKFIRST_MODEL__STRUCTURED", "prompt"),
    ];
    spawn_in(folder, &settings).await
}

/// Waits until the cards are in these states.
async fn all(ui: &Ui, states: [&str; 5]) {
    for ((.., card), state) in CARDS.iter().zip(states) {
        ui.assert_card_state(card, state).await;
    }
}

/// Waits until something on the page has these words.
async fn assert_shows(ui: &Ui, words: &str) {
    let shown = async { while !ui.observe().await.lines.iter().any(|line| line.name.contains(words)) {} };
    if tokio::time::timeout(PATIENCE, shown).await.is_err() {
        panic!("nothing tells {words:?} in {}", lines(&*ui.observe().await));
    }
}

#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn a_card_shows_its_state_and_its_inputs_and_outputs_at_work_and_after_a_reload() {
    let _slot = slot().await;
    let rules = Rules { llm: true, several_runs: true, format: None, ..Rules::default() };
    let model = ScriptedModel::with_rules(rules, Vec::new());
    let refused = r#"{"error": {"message": "no such lamp", "type": "invalid_request_error"}}"#;
    let refused = || Reply::Status(400, Vec::new(), refused.to_owned());
    let (third, release) = Reply::Text(String::from("words of the third")).stalled();
    for reply in [Reply::Text(String::from("words of the first")), refused(), third, refused()] {
        model.push(reply);
    }
    let app = service(&model).await;
    let ui = Ui::open(&format!("{}/#/agents/whole/run", app.base)).await;
    ui.types("task", "lamps of brass").await;
    ui.click("button", "Run").await;
    ui.run().await;
    model.arrived(3).await;
    all(&ui, ["Done", "Failed", "Running", "Waiting its turn", "Not started"]).await;
    ui.click("button", "First: Done").await;
    ui.there_is_a("heading", "Outputs").await;
    ui.click("button", "Third: Running").await;
    ui.there_is_a("heading", "Third").await;
    ui.there_is_a("heading", "Inputs").await;
    ui.click("button", "Second: Failed").await;
    assert_shows(&ui, "no such lamp").await;
    ui.click("button", "Fourth: Waiting its turn").await;
    assert_shows(&ui, "Its lane is running").await;

    drop(release);
    let ended = ["Done", "Failed", "Done", "Failed", "Not reached"];
    all(&ui, ended).await;
    ui.leaves("reload", json!({})).await;
    all(&ui, ended).await;
    ui.click("button", "Fourth: Failed").await;
    ui.there_is_a("heading", "Fourth").await;
    assert_shows(&ui, "no such lamp").await;
    ui.click("button", "Third: Done").await;
    ui.there_is_a("heading", "Third").await;
    ui.there_is_a("heading", "Inputs").await;
    ui.there_is_a("heading", "Outputs").await;
    ui.click("button", "Fifth: Not reached").await;
    assert_shows(&ui, "The task ended before its turn came.").await;
    // An agent that takes no messages has no field for them.
    assert!(!lines(&*ui.observe().await).contains("Write below"));
    ui.finish().await;
    app.finish().await;
    model.finish();
}

/// The run that came of this plan, when it has ended.
async fn orchestrated(app: &TestApp, steps: serde_json::Value) -> String {
    let order = json!({"agent": "agent_orchestrate", "input": {"plan": {"steps": steps}, "locale": "en"}, "wait": true});
    let (_, reply) = Http::new().post(&format!("{}/api/runs", app.base), &order).await;
    reply["run_id"].as_str().unwrap_or_else(|| panic!("{reply}")).to_owned()
}

// S3.9: what went wrong stands there in words, with the step that failed; nothing is raw data.
#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn a_failed_orchestration_names_the_step_that_failed() {
    let _slot = slot().await;
    let rules = Rules { llm: true, several_runs: true, format: None, ..Rules::default() };
    let model = ScriptedModel::with_rules(rules, Vec::new());
    let refused = r#"{"error": {"message": "no such lamp", "type": "invalid_request_error"}}"#;
    model.push(Reply::Text(String::from("words of the first")));
    model.push(Reply::Status(400, Vec::new(), refused.to_owned()));
    let app = service(&model).await;
    let step = |id: &str, agent: &str| json!({"id": id, "type": "agent", "agent_id": agent, "with": {"task": "lamps"}});
    let run =
        orchestrated(&app, json!([step("one", "first"), step("two", "second"), step("three", "third")]))
            .await;
    let ui = Ui::open(&format!("{}/#/runs/{run}", app.base)).await;
    for (card, state) in [("First", "Done"), ("Second", "Failed"), ("Third", "Not reached")] {
        ui.assert_card_state(card, state).await;
    }
    ui.there_is_a("heading", "What went wrong").await;
    ui.there_is_a("link", "Step two").await;
    assert_shows(&ui, "no such lamp").await;
    assert_shows(&ui, "words of the first").await;
    assert!(!lines(&*ui.observe().await).contains("exec_id"), "raw data");

    // A plan that cannot be carried out has no board, and says why.
    let run = orchestrated(&app, json!([step("one", "nobody")])).await;
    ui.goes(&format!("{}/#/runs/{run}", app.base)).await;
    ui.there_is_a("heading", "What went wrong").await;
    assert_shows(&ui, "there is no agent").await;
    assert!(!lines(&*ui.observe().await).contains("Lane 1"), "an empty board");
    ui.finish().await;
    app.finish().await;
    model.finish();
}
