//! Faults of sockets: frames that are too large, a store that cannot be read for a while, odd cursors.

use crate::support::app::PATIENCE;
use crate::support::service::TestService;
use crate::support::ws::Ws;
use askfirst::protocol::client::{ClientFrame, read};
use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use tokio_tungstenite::connect_async;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;

// Frames have a size limit, and a client that exceeds it gets an error first.
#[actix_web::test]
async fn a_frame_over_the_limit_is_reported_before_the_socket_closes() {
    let app = TestService::start();
    let (mut socket, _) = connect_async(format!("ws://127.0.0.1:{}/ws", app.port)).await.unwrap();
    let hello = json!({"type": "hello", "protocol": 1, "padding": "x".repeat(300 * 1024)});
    socket.send(Message::text(hello.to_string())).await.unwrap();
    let next = tokio::time::timeout(PATIENCE, socket.next()).await.unwrap().unwrap().unwrap();
    let error: Value = serde_json::from_str(next.to_text().unwrap()).unwrap();
    assert_eq!(error["code"], "bad_message");
    assert!(error["message"].as_str().unwrap().contains("262144 bytes"), "{error}");
    match tokio::time::timeout(PATIENCE, socket.next()).await.unwrap().unwrap().unwrap() {
        Message::Close(Some(reason)) => assert_eq!(reason.code, CloseCode::Size),
        other => panic!("not closed: {other:?}"),
    }
    app.finish().await;
}

// docs/protocol.md, `input`
#[test]
fn a_mouse_moves_without_a_button() {
    for button in ["none", "left", "middle", "right"] {
        let frame = json!({"type": "input", "run_id": "r", "kind": "mouse", "event": "move", "x": 0.5, "y": 0.5, "button": button});
        assert!(matches!(read(&frame.to_string()), Ok(ClientFrame::Input { .. })), "{button}");
    }
}

// docs/protocol.md, "Facts": facts come without gaps, also after the store could not be read.
#[actix_web::test]
async fn events_that_could_not_be_read_are_sent_later() {
    let app = TestService::start();
    let run = app.begin(json!({"agent": "three"})).await;
    app.until(&run, "succeeded").await;
    let database = rusqlite::Connection::open(app.folder.path().join("askfirst.db")).unwrap();
    database.execute_batch("alter table events rename column body to away").unwrap();
    let (mut ws, _) = app.socket(&run).await;
    assert_eq!(ws.until("error").await["code"], "internal");
    database.execute_batch("alter table events rename column away to body").unwrap();
    ws.until("run_ended").await;
    app.finish().await;
}

// docs/protocol.md, `control`: who gives a command sees what came of it, attached before or not.
#[actix_web::test]
async fn a_command_attaches_its_socket_from_there_on() {
    let app = TestService::start();
    let base = format!("http://127.0.0.1:{}", app.port);
    let run = app.begin(json!({"agent": "script", "input": {"script": ["ask:confirm", "hold"]}})).await;
    app.until(&run, "waiting").await;
    let (_, whole) = app.get(&format!("/api/runs/{run}")).await;
    let reference = whole["questions"][0]["reference"].clone();
    let commands = [
        (json!({"type": "control", "run_id": run, "command": "take_over"}), "lease"),
        (json!({"type": "answer", "reference": reference, "confirmed": true}), "question_resolved"),
        (json!({"type": "control", "run_id": run, "command": "pause"}), "status"),
        (json!({"type": "control", "run_id": run, "command": "resume"}), "status"),
        (json!({"type": "control", "run_id": run, "command": "stop"}), "run_ended"),
    ];
    for (command, event) in commands {
        let (mut ws, _) = Ws::hello(&base, json!({})).await;
        let (_, whole) = app.get(&format!("/api/runs/{run}")).await;
        ws.after(&run, whole["last_seq"].as_u64().unwrap());
        ws.send(command).await;
        ws.until(event).await;
        if event == "lease" {
            ws.send(json!({"type": "control", "run_id": run, "command": "hand_back"})).await;
            ws.until_that("handed back", |frame| {
                frame["event"] == "lease" && frame["data"]["holder"].is_null()
            })
            .await;
        }
        if event == "question_resolved" {
            ws.until_that("the step that takes it", |frame| frame["event"] == "node").await;
        }
        ws.close().await;
    }
    let (mut ws, _) = Ws::hello(&base, json!({})).await;
    ws.send(json!({"type": "control", "run_id": "nobody", "command": "stop"})).await;
    assert_eq!(ws.until("error").await["code"], "unknown_run");
    app.finish().await;
}

// A cursor beyond all facts has nothing after it, and is no fault of the service.
#[actix_web::test]
async fn a_cursor_beyond_all_events_gets_none() {
    let app = TestService::start();
    let base = format!("http://127.0.0.1:{}", app.port);
    let run = app.begin(json!({"agent": "script", "input": {"script": ["go"]}})).await;
    app.programs.ended(&run).await;
    let (mut ws, _) = Ws::hello(&base, json!({"run_id": run, "after_seq": u64::MAX})).await;
    ws.send(json!({"type": "control", "run_id": "nobody", "command": "stop"})).await;
    assert_eq!(ws.until("error").await["code"], "unknown_run");
    ws.close().await;
    app.finish().await;
}
