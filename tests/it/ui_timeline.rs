//! Inspect of a run in a real Chromium: the tree while it is at work and after, what its parts hold, and two
//! runs beside each other; in both languages, by mouse and by keyboard.

use crate::support::app::{Http, TestApp, spawn_in};
use crate::support::model::{Reply, ScriptedModel};
use crate::support::model_checks::Rules;
use crate::support::talk::slot;
use crate::support::ui::Ui;
use serde_json::{Value, json};

const PAIR: &str = "name: pair\ntitle_ua: Пара\ntitle_en: Pair\nkind: composite\n\
    inputs: [{name: task, type: string}]\noutputs: [{name: text, type: string}]\n\
    graph:\n  lanes:\n";

const CARDS: [(&str, &str, &str); 2] = [("first", "Перший", "First"), ("second", "Другий", "Second")];

/// Two cards, one after the other.
async fn service(model: &ScriptedModel) -> TestApp {
    let folder = tempfile::tempdir().unwrap();
    let agents = folder.path().join("agents");
    std::fs::create_dir_all(&agents).unwrap();
    let mut pair = String::from(PAIR);
    for (at, (name, ua, en)) in CARDS.into_iter().enumerate() {
        let id = format!("00000000-0000-4000-8000-00000000000{at}");
        pair.push_str(&format!(
            "    - items:\n        - id: {id}\n          agent: {name}\n          bindings:\n            \
             - {{from_agent_item_id: __CTX__, from_var: task, to_agent_item_id: {id}, to_var: task}}\n"
        ));
        let text = format!(
            "name: {name}\ntitle_ua: {ua}\ntitle_en: {en}\nkind: atomic\n\
             inputs: [{{name: task, type: string}}]\noutputs: [{{name: text, type: string}}]\n\
             llm: {{prompt: '{name} {{{{ task }}}}'}}\n"
        );
        std::fs::write(agents.join(format!("{name}.yaml")), text).unwrap();
    }
    std::fs::write(agents.join("pair.yaml"), pair).unwrap();
    let settings = [
        ("ASKFIRST_MODEL__BASE_URL", model.base_url.as_str()),
        ("ASKFIRST_MODEL__PLANNER", "scripted"),
        ("ASKFIRST_MODEL__STRUCTURED", "prompt"),
    ];
    spawn_in(folder, &settings).await
}

fn text(words: &str) -> Reply {
    Reply::Text(words.to_owned())
}

async fn start_run(app: &TestApp, more: Value) -> String {
    let mut order = json!({"agent": "pair", "input": {"task": "lamps of brass"}});
    order.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    let (_, reply) = Http::new().post(&format!("{}/api/runs", app.base), &order).await;
    reply["run_id"].as_str().unwrap_or_else(|| panic!("{reply}")).to_owned()
}

#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn the_inspection_page_shows_a_run_live_later_and_compared() {
    let _slot = slot().await;
    let rules = Rules { llm: true, several_runs: true, format: None, ..Rules::default() };
    let model = ScriptedModel::with_rules(rules, Vec::new());
    let (second, release) = text("words of the second").stalled();
    model.push(text("words of the first"));
    model.push(second);
    let app = service(&model).await;
    let run = start_run(&app, json!({})).await;
    model.arrived(2).await;

    let ui = Ui::open(&format!("{}/#/runs/{run}", app.base)).await;
    ui.click("link", "Inspect").await;
    ui.there_is_a("treeitem", "First: Done").await;
    ui.there_is_a("treeitem", "Second: Working").await;
    let why = Http::new().get(&format!("{}/api/runs/{run}/why?locale=en", app.base)).await;
    ui.sees(why["because"].as_str().unwrap_or_else(|| panic!("{why}"))).await;
    drop(release);
    ui.there_is_a("treeitem", "Second: Done").await;
    ui.there_is_a("treeitem", "Pair: Done").await;

    // The content of a part opens by mouse and by keys.
    ui.click("treeitem", "First: Done").await;
    ui.there_is_a("heading", "First").await;
    ui.there_is_a("heading", "Inputs").await;
    ui.sees("words of the first").await;
    // Prompt and answer of a model call.
    ui.click("treeitem", "Model: answers scripted: Done").await;
    ui.there_is_a("heading", "What the model was asked").await;
    ui.sees("first lamps of brass").await;
    ui.presses("Home").await;
    ui.there_is_a("heading", "Pair").await;
    ui.presses("ArrowLeft").await;
    let folded = async { while ui.shows("treeitem", "First: Done").await {} };
    tokio::time::timeout(crate::support::app::PATIENCE, folded).await.expect("the tree is folded");
    ui.presses("ArrowRight").await;
    ui.there_is_a("treeitem", "First: Done").await;
    ui.there_is_a("link", "Download").await;

    for words in ["words of the first", "other words"] {
        model.push(text(words));
    }
    let other = start_run(&app, json!({"wait": true})).await;
    ui.click("button", "Compare").await;
    ui.sees("Compare with another run").await;
    ui.goes(&format!("{}/#/compare/{run}/{other}", app.base)).await;
    ui.there_is_a("heading", "Compare runs").await;
    ui.there_is_a("heading", "Different outputs").await;
    ui.sees("other words").await;
    ui.finish().await;

    let ui = Ui::open_in(&format!("{}/#/inside/{run}", app.base), Some("uk")).await;
    ui.there_is_a("treeitem", "Перший: Виконано").await;
    ui.there_is_a("button", "Порівняти").await;
    ui.click("treeitem", "Другий: Виконано").await;
    ui.there_is_a("heading", "Входи").await;
    ui.click("link", "До завдання").await;
    ui.there_is_a("link", "Інспектор").await;
    ui.finish().await;
    app.finish().await;
    model.finish();
}
