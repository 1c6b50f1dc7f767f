//! The board of lanes in a real Chromium, used as a person does: an agent is built from nothing by
//! dragging, saved, run and watched in its colours.
// S0.3, S0.9 to S0.14, S0.22, S0.35, S0.36, S0.38

use crate::support::app::{Http, TestApp, spawn_in};
use crate::support::model::{Reply, ScriptedModel};
use crate::support::model_checks::Rules;
use crate::support::talk::slot;
use crate::support::ui::Ui;
use crate::support::ws::Ws;
use serde_json::{Value, json};

/// The agents that are put on the board: models whose answers are scripted.
const AGENTS: [(&str, &str); 3] = [
    (
        "classify_task",
        "title_ua: Класифікатор\ntitle_en: Classifier\nkind: atomic\ninputs: [{name: task, type: string}]\n\
         outputs: [{name: is_complex, type: boolean}]\nllm: {prompt: 'classify {{ task }}', parse_json: true}\n",
    ),
    (
        "echo_simple",
        "title_ua: Просте відлуння\ntitle_en: Simple echo\nkind: atomic\ninputs: [{name: task, type: string}]\n\
         outputs: [{name: text, type: string}]\nllm: {prompt: 'echo {{ task }}'}\n",
    ),
    (
        "echo_plan",
        "title_ua: Відлуння з планом\ntitle_en: Planned echo\nkind: atomic\ninputs: [{name: task, type: string}]\n\
         outputs: [{name: text, type: string}]\nllm: {prompt: 'plan {{ task }}'}\n",
    ),
];

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let agents = folder.path().join("agents");
    std::fs::create_dir_all(&agents).unwrap();
    for (name, text) in AGENTS {
        std::fs::write(agents.join(format!("{name}.yaml")), format!("name: {name}\n{text}")).unwrap();
    }
    folder
}

async fn service(model: &ScriptedModel) -> TestApp {
    let settings = [
        ("ASKFIRST_MODEL__BASE_URL", model.base_url.as_str()),
        ("ASKFIRST_MODEL__PLANNER", "scripted"),
        ("ASKFIRST_MODEL__STRUCTURED", "prompt"),
    ];
    spawn_in(folder(), &settings).await
}

fn rules() -> Rules {
    Rules { llm: true, several_runs: true, format: None, ..Rules::default() }
}

const PALETTE: &str = "Add to the last lane";

/// From the palette into a lane.
async fn put(ui: &Ui, agent: &str, lane: usize) {
    let from = format!("{PALETTE}: {agent}");
    ui.drags(("button", &from), ("combobox", &format!("Add an agent to lane {lane}"))).await;
    ui.there_is(&format!("Move: {agent}")).await;
}

async fn bind(ui: &Ui, from: &str, to: &str) {
    ui.drags(("button", from), ("button", to)).await;
}

/// A condition of a card, made and put away again.
async fn condition(ui: &Ui, agent: &str, value: &str, line: &str) {
    ui.click("button", &format!("Add a condition: {agent}")).await;
    ui.picks("Variable", "is_complex").await;
    ui.picks("Value", value).await;
    ui.click("button", line).await;
}

/// A new agent, as the page makes it.
async fn begin(ui: &Ui, [ua, en, name]: [&str; 3]) {
    ui.click("button", "New agent").await;
    ui.types("Title in Ukrainian", ua).await;
    ui.types("Title in English", en).await;
    ui.types("Name", name).await;
    ui.click("button", "Create").await;
    ui.click("button", "Add an input").await;
    ui.types("Name of the input", "task").await;
}

async fn build(ui: &Ui) {
    ui.click("link", "Agents").await;
    // The one that ships is taken away, so that there is nothing to begin with.
    ui.searches("Find an agent", "workflow").await;
    ui.click("button", "Delete: Workflow demo").await;
    ui.click("button", "Delete").await;
    ui.is_gone("Delete: Workflow demo").await;
    begin(ui, ["Демо-процес", "Workflow demo", "workflow_demo"]).await;
    // Without the file beside it there is room for the whole board.
    ui.click("button", "YAML").await;
    put(ui, "Classifier", 1).await;
    ui.click("button", "New lane").await;
    put(ui, "Simple echo", 2).await;
    put(ui, "Planned echo", 2).await;
    for agent in ["Classifier", "Simple echo", "Planned echo"] {
        bind(ui, "Output task: Context", &format!("Input task: {agent}")).await;
    }
    condition(ui, "Simple echo", "no", "if is_complex = no").await;
    condition(ui, "Planned echo", "yes", "if is_complex = yes").await;
    ui.click("button", "Add an output").await;
    ui.types("Name of the output", "text").await;
}

/// The lanes as the file has them: agents, conditions, and where each takes its task from.
fn lanes(spec: &Value) -> Vec<Vec<Value>> {
    let item = |item: &Value| {
        let binding = &item["bindings"][0];
        assert_eq!(binding["to_agent_item_id"], item["id"]);
        json!([
            item["agent"],
            item["when"],
            binding["from_agent_item_id"],
            binding["from_var"],
            binding["to_var"]
        ])
    };
    let lanes = spec["graph"]["lanes"].as_array().unwrap();
    lanes.iter().map(|lane| lane["items"].as_array().unwrap().iter().map(item).collect()).collect()
}

#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn lanes_are_built_by_dragging_saved_run_and_watched() {
    let _slot = slot().await;
    let model = ScriptedModel::with_rules(rules(), Vec::new());
    let (classified, release) = Reply::Text(String::from("{\"is_complex\": false}")).stalled();
    let app = service(&model).await;
    let ui = Ui::open(&app.base).await;
    build(&ui).await;
    ui.click("button", "Save").await;
    ui.reads("Saved").await;
    let file = Http::new().get(&format!("{}/api/agents/workflow_demo", app.base)).await;
    let taken = |agent: &str, when: Value| json!([agent, when, "__CTX__", "task", "task"]);
    let when = |value: bool| json!({"var": "is_complex", "equals": value});
    let expected = vec![
        vec![taken("classify_task", Value::Null)],
        vec![taken("echo_simple", when(false)), taken("echo_plan", when(true))],
    ];
    assert_eq!(lanes(&file), expected, "{file}");
    assert_eq!(file["graph"]["lanes"][1]["items"][1]["ui"], json!({"lane_index": 1, "order": 1}));

    model.push(classified);
    model.push(Reply::Text(String::from("You said: lamps")));
    ui.click("button", "Run").await;
    ui.types("task", "lamps").await;
    ui.click("button", "Run").await;
    let run = ui.run().await;
    let (mut viewer, _) = Ws::hello(&app.base, json!({"run_id": run, "after_seq": 0})).await;
    model.arrived(1).await;
    ui.assert_card_state("Classifier", "Running").await;
    ui.assert_card_state("Simple echo", "Not started").await;
    drop(release);
    let ended = |frame: &Value| frame["type"] == "run_ended" && frame["run_id"] == run.as_str();
    let mut outcome = viewer.next().await;
    while !ended(&outcome) {
        outcome = viewer.next().await;
    }
    assert_eq!(
        (&outcome["outcome"], &outcome["vars"]),
        (&json!("succeeded"), &json!({"text": "You said: lamps"}))
    );
    ui.assert_card_state("Classifier", "Done").await;
    ui.assert_card_state("Simple echo", "Done").await;
    ui.assert_card_state("Planned echo", "Skipped").await;
    ui.click("button", "Simple echo: Done").await;
    ui.sees("You said: lamps").await;
    ui.click("button", "Перейти на українську").await;
    ui.assert_card_state("Відлуння з планом", "Пропущено").await;
    drop(viewer);
    ui.finish().await;
    app.finish().await;
    model.finish();
}

#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn the_board_can_be_edited_by_keyboard() {
    let _slot = slot().await;
    let app = spawn_in(folder(), &[]).await;
    let ui = Ui::open(&app.base).await;
    ui.click("link", "Agents").await;
    begin(&ui, ["Клавіші", "Keys", "keys"]).await;
    ui.click("button", "New lane").await;
    ui.picks("Add an agent to lane 1", "Classifier (Model)").await;
    // The new card has the focus; the arrows move it, and it keeps the focus.
    ui.there_is("Move: Classifier").await;
    ui.presses("ArrowRight").await;
    ui.there_is_a("article", "Classifier, lane 2").await;
    ui.picks("Classifier: source of task", "task").await;
    ui.picks("Add an agent to lane 2", "Simple echo (Model)").await;
    ui.there_is_a("article", "Simple echo, lane 2").await;
    ui.presses("ArrowUp").await;
    ui.picks("Simple echo: source of task", "task").await;
    ui.click("button", "Save").await;
    ui.reads("Saved").await;
    let file = Http::new().get(&format!("{}/api/agents/keys", app.base)).await;
    let taken = |agent: &str| json!([agent, null, "__CTX__", "task", "task"]);
    assert_eq!(lanes(&file), [vec![], vec![taken("echo_simple"), taken("classify_task")]], "{file}");
    ui.finish().await;
    app.finish().await;
}
