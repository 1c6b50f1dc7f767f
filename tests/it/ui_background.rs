//! Work in the background on the page, in a real Chromium: a bar and a line while one goes on writing, also after
//! the page was loaded anew; one ends by itself, the other is ended by the person.
// S4.12, S4.16, S4.20, S4.25

use crate::support::agents::with_agents;
use crate::support::app::PATIENCE;
use crate::support::model::{Reply, ScriptedModel, turn};
use crate::support::model_checks::Rules;
use crate::support::talk::slot;
use crate::support::ui::{Ui, lines};
use serde_json::{Value, json};

const MASTER: &str = "
kind: atomic
title_en: Master
inputs: [{name: text, type: string, required: true}]
llm: {system: 'You help.', prompt: '{{ text }}', uses: [slow], plan: 'off', thinking: 'off'}
";
const SLOW: &str = "
kind: atomic
title_en: Slow
inputs: [{name: what, type: string, required: true}]
outputs: [{name: answer, type: string}]
llm: {prompt: 'Do {{ what }}.'}
";

/// Begins one in the background and says so.
fn start_task_reply(id: &str, what: &str, display: Value, response: &str) -> Reply {
    let mut reply = turn("slow", json!({"what": what}));
    let action = &mut reply["actions"][0];
    (action["action_id"], action["execution"], action["display"]) = (json!(id), json!("ASYNC"), display);
    (reply["status"], reply["stop"], reply["response"]) =
        (json!("TASK_STARTED"), json!(true), json!(response));
    Reply::Turn(reply)
}

async fn send_message(ui: &Ui, text: &str) {
    ui.types("Task or message", text).await;
    ui.click("button", "Send").await;
}

async fn shows_until(ui: &Ui, words: &str, shows: bool) {
    let shown = async { while lines(&*ui.observe().await).contains(words) != shows {} };
    if tokio::time::timeout(PATIENCE, shown).await.is_err() {
        panic!("{words:?} shows: {}, in {}", !shows, lines(&*ui.observe().await));
    }
}

#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn background_work_continues_while_the_person_writes() {
    let _slot = slot().await;
    let rules = Rules { llm: true, several_runs: true, format: None, ..Rules::default() };
    let bar =
        json!({"type": "progress_bar", "label": "Building the report", "estimated_duration_seconds": 100});
    let line =
        json!({"type": "status_message", "label": "Watching the price", "estimated_duration_seconds": null});
    let (built, release) = Reply::Text(String::from("forty pages")).stalled();
    let (watched, _never) = Reply::Text(String::from("no change")).stalled();
    let script = vec![
        start_task_reply("b1", "the report", bar, "It has begun."),
        built,
        start_task_reply("w1", "the price", line, "I watch it, too."),
        watched,
    ];
    let model = ScriptedModel::with_rules(rules, script);
    let app = with_agents(&[("master", MASTER), ("slow", SLOW)], Some(&model)).await;
    let ui = Ui::open(&format!("{}/#/agents/master/run", app.base)).await;
    ui.types("text", "build the report").await;
    ui.click("button", "Run").await;
    ui.run().await;
    ui.reads("It has begun.").await;
    shows_until(&ui, "Working in the background; you can keep writing.", true).await;
    ui.there_is("Stop Building the report").await;
    // The bar moves, by what is told and by its estimate.
    let part = "Number(document.querySelector('[role=progressbar]')?.getAttribute('aria-valuenow'))";
    let mut inside = ui.page().await;
    let before = inside.run(part).await.as_f64().unwrap();
    inside.until(&format!("{part} > {before} + 1")).await;
    let drawn = "(([whole, part]) => part.width / whole.width)(['', ' i'].map((inner) => document.querySelector('[role=progressbar]' + inner).getBoundingClientRect()))";
    let drawn = inside.run(drawn).await.as_f64().unwrap();
    assert!(drawn > 0.0 && drawn < 0.95, "it is drawn as far as it has come: {drawn}");
    send_message(&ui, "and watch the price").await;
    ui.reads("I watch it, too.").await;
    model.arrived(4).await;
    ui.leaves("reload", json!({})).await;
    ui.there_is("Stop Watching the price").await;
    let one =
        "document.querySelectorAll('[role=progressbar][aria-label=\"Building the report\"]').length === 1";
    inside.until(one).await;
    let kinds = "[...document.querySelectorAll('.task')].map((one) => one.dataset.display).join()";
    assert_eq!(inside.run(kinds).await, "bar,line");

    model.push(Reply::seen(|request| {
        assert!(request.last_text().contains("forty pages"), "{}", request.last_text());
        Reply::stop("The report is there.")
    }));
    drop(release);
    ui.reads("The report is there.").await;
    ui.is_gone("Stop Building the report").await;
    shows_until(&ui, "Finished in the background: Building the report", true).await;
    model.push(Reply::stop("All is over."));
    ui.click("button", "Stop Watching the price").await;
    ui.reads("All is over.").await;
    shows_until(&ui, "Stopped: Watching the price", true).await;
    ui.is_gone("Stop Watching the price").await;
    ui.finish().await;
    app.finish().await;
    model.finish();
}
