//! Answers that a model streams: they are shown while the model writes them, and their end is the truth.

use crate::support::agents::{get, with_settings};
use crate::support::app::TestApp;
use crate::support::model::{Reply, ScriptedModel};
use crate::support::ws::Ws;
use serde_json::{Value, json};

const TALK: &str = "
kind: atomic
inputs: [{name: text, type: string, required: true}]
llm: {prompt: '{{ text }}', uses: [echo]}
";

/// Begin of a turn that ends the run; the message to the person follows.
const BEGIN: &str = "{\"thoughts\": [{\"type\": \"PLAN\", \"content\": \"It is \\\"five\\\".\"}], \"actions\": [], \"stop\": true, \"response\": \"";

async fn start(model: &ScriptedModel) -> (TestApp, Ws) {
    let app = with_settings(&[("talk", TALK)], Some(model), &[]).await;
    let (mut ws, _) = Ws::hello(&app.base, json!({"writing": true})).await;
    ws.send(json!({"type": "user_message", "agent": "talk", "text": "what is it?"})).await;
    (app, ws)
}

async fn finish(model: ScriptedModel, app: TestApp, mut ws: Ws, response: &str) -> Value {
    let message = ws.until("agent_message").await;
    assert_eq!((&message["text"], &message["final"]), (&json!(response), &json!(true)));
    let run = ws.until("run_ended").await["run_id"].as_str().unwrap().to_owned();
    let row = get(&app, &format!("/api/runs/{run}")).await;
    model.finish();
    app.finish().await;
    row
}

#[actix_web::test]
async fn a_message_is_shown_while_the_model_writes_it() {
    let (reply, writer) = Reply::streamed();
    let model = ScriptedModel::start(vec![reply]);
    let (app, mut ws) = start(&model).await;
    writer.event(&json!({"choices": [{"index": 0, "delta": {"role": "assistant", "content": ""}}]}));
    writer.text(BEGIN);
    writer.text("The **lamp**");
    writer.text(" costs ");
    // The answer is far from complete: only its writer can go on.
    let shown = ws.until("writing").await;
    let text = shown["text"].as_str().unwrap();
    assert!(["The", "The **lamp** costs"].contains(&text), "{shown}");
    assert_eq!(shown["html"], format!("<p>{}</p>\n", text.replace("**lamp**", "<strong>lamp</strong>")));
    assert_eq!(shown["run_id"], shown["root_run_id"]);
    writer.text("five.\"}");
    writer.done();
    let row = finish(model, app, ws, "The **lamp** costs five.").await;
    assert_eq!((&row["usage"]["input_tokens"], &row["usage"]["output_tokens"]), (&json!(1234), &json!(56)));
}

// A stream that breaks off, and one with an error in its middle, are asked for again; what was shown of them is
// followed by the complete message.
#[actix_web::test]
async fn a_broken_stream_is_asked_for_again() {
    let (cut, cut_writer) = Reply::streamed();
    let (failed, failed_writer) = Reply::streamed();
    let (whole, whole_writer) = Reply::streamed();
    let model = ScriptedModel::start(vec![cut, failed, whole]);
    let (app, mut ws) = start(&model).await;
    cut_writer.text(BEGIN);
    cut_writer.text("It is wrong ");
    assert_eq!(ws.until("writing").await["text"], "It is wrong");
    drop(cut_writer);
    failed_writer.text(BEGIN);
    failed_writer.event(&json!({"error": {"message": "the slot was lost", "code": 503}}));
    drop(failed_writer);
    model.arrived(3).await;
    whole_writer.text(&format!("{BEGIN}Right.\"}}"));
    whole_writer.done();
    finish(model, app, ws, "Right.").await;
}

#[actix_web::test]
async fn an_endpoint_that_does_not_stream_is_asked_without() {
    let refusal = Reply::status(400, "streaming is not supported by this deployment");
    let model = ScriptedModel::start(vec![refusal, Reply::stop("Done.")]);
    let (app, ws) = start(&model).await;
    let streams = |model: &ScriptedModel| -> Vec<Value> {
        model.requests().iter().map(|request| request.body["stream"].clone()).collect()
    };
    model.arrived(2).await;
    assert_eq!(streams(&model), [json!(true), json!(null)]);
    finish(model, app, ws, "Done.").await;
}

#[actix_web::test]
async fn a_stop_ends_the_stream() {
    let (reply, writer) = Reply::streamed();
    let model = ScriptedModel::start(vec![reply]);
    let (app, mut ws) = start(&model).await;
    writer.text(BEGIN);
    writer.text("It is a long ");
    let shown = ws.until("writing").await;
    ws.send(json!({"type": "control", "run_id": shown["run_id"], "command": "stop"})).await;
    assert_eq!(ws.until("run_ended").await["outcome"], "cancelled");
    model.aborted(1).await;
    drop(writer);
    model.finish();
    app.finish().await;
}

// A secret of several words is not begun to be shown while its last word has not come.
#[actix_web::test]
async fn the_first_words_of_a_secret_are_held_back() {
    let (reply, writer) = Reply::streamed();
    let model = ScriptedModel::start(vec![reply]);
    let secret = [
        ("ASKFIRST_SECRETS__DOOR__VALUE", "blue door seven"),
        ("ASKFIRST_SECRETS__DOOR__ORIGINS", "[\"https://door.test\"]"),
    ];
    let app = with_settings(&[("talk", TALK)], Some(&model), &secret).await;
    let (mut ws, _) = Ws::hello(&app.base, json!({"writing": true})).await;
    ws.send(json!({"type": "user_message", "agent": "talk", "text": "what is it?"})).await;
    writer.text(BEGIN);
    writer.text("They say blue door ");
    assert_eq!(ws.until("writing").await["text"], "They say");
    writer.text("sev");
    writer.text("en there.\"}");
    writer.done();
    let drafts = |ws: &Ws| -> Vec<String> {
        let drafts = ws.events.iter().filter(|frame| frame["type"] == "writing");
        drafts.map(|frame| frame["text"].as_str().unwrap().to_owned()).collect()
    };
    let message = ws.until("agent_message").await;
    assert_eq!(message["text"], "They say <secret:door> there.");
    for text in drafts(&ws) {
        assert!(!text.contains("blue") && !text.contains("sev"), "{text}");
    }
    ws.until("run_ended").await;
    model.finish();
    app.finish().await;
}
