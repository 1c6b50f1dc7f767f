//! Texts in the arguments of tools and agents: what the tree has read on a site goes to a tool's server only after a
//! question, whoever passes it on; the person's own words need none.

use crate::support::agents::with_settings;
use crate::support::model::{Reply, Request, ScriptedModel};
use crate::support::model_checks::Rules;
use crate::support::site::Site;
use crate::support::talk::slot;
use crate::support::tasks::{calls, rules};
use crate::support::ws::Ws;
use serde_json::{Value, json};

const BOSS: &str = "kind: atomic\ninputs: [{name: text, type: string, required: true}]\n\
    outputs: [{name: answer, type: string}]\n\
    llm: {prompt: '{{ text }}', uses: [reader, 'mcp:notes/say'], plan: 'off', thinking: 'off'}\n";
const READER: &str = "kind: atomic\ninputs: [{name: text, type: string, required: true}]\n\
    outputs: [{name: answer, type: string}]\nbrowser: {plan: 'off', thinking: 'off'}\n";
const ACCOUNT: &str = "<title>Bank</title><h1>Account</h1><p>Your reference is QX71-88204-KD</p>";

/// Starts a run whose reader looks at the account and answers, and which then gives the words to the tool. Returns
/// the questions of the tree, each answered so, and the results that the caller was shown.
async fn questions_about(answer: &'static str, words: &'static str, confirmed: bool) -> (Vec<Value>, String) {
    let _slot = slot().await;
    let site = Site::open();
    let body = url::form_urlencoded::byte_serialize(ACCOUNT.as_bytes()).collect::<String>();
    let account = site.url(&format!("/html?{body}"));
    let plan = move |request: &Request| {
        let prompt = request.last_text();
        let is_caller = request.body.to_string().contains("notes/say");
        match is_caller {
            true if prompt.contains("result t") => Reply::stop(&prompt),
            true if prompt.contains("result a1") => {
                Reply::Turn(calls(&[("t", "mcp:notes/say", json!({"words": words}), "SYNC")]))
            }
            true => Reply::act("reader", json!({"text": "Read the account."})),
            false if prompt.contains("result a1") => Reply::stop(answer),
            false => Reply::act("navigate", json!({"url": account})),
        }
    };
    let model = ScriptedModel::answering(Rules { several_runs: true, ..rules() }, plan);
    let server = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/mcp/hostile.py");
    let (command, path) = (json!(["python3", server, "well"]).to_string(), std::env::var("PATH").unwrap());
    let hosts = json!([site.host]).to_string();
    let settings = [
        ("PATH", path.as_str()),
        ("ASKFIRST_MCP__SERVERS__NOTES__COMMAND", command.as_str()),
        ("ASKFIRST_MCP__SERVERS__NOTES__TOOLS__SAY", "allow"),
        ("ASKFIRST_GATE__PRIVATE_HOSTS", hosts.as_str()),
        ("ASKFIRST_MODEL__STRUCTURED", "prompt"),
    ];
    let app = with_settings(&[("boss", BOSS), ("reader", READER)], Some(&model), &settings).await;
    let (mut ws, _) = Ws::hello(&app.base, json!({"locale": "en"})).await;
    let message = "Look at my account, and note KD-448812.";
    ws.send(json!({"type": "user_message", "agent": "boss", "text": message})).await;
    let (mut questions, mut response) = (Vec::new(), String::new());
    loop {
        let frame = ws.next().await;
        if frame["type"] == "agent_question" {
            ws.send(json!({"type": "answer", "reference": frame["reference"], "confirmed": confirmed})).await;
            questions.push(frame);
        } else if frame["type"] == "run_ended" && frame["run_id"] == frame["root_run_id"] {
            response.push_str(&frame.to_string());
            break;
        }
    }
    drop(ws);
    app.finish().await;
    (questions, response)
}

fn check_flow(questions: &[Value], text: &str) {
    assert_eq!(questions.len(), 1, "{questions:?}");
    let payload = &questions[0]["payload"];
    assert_eq!(payload["rule"], "flow", "{payload}");
    assert_eq!(payload["flow"]["to"], "notes", "{payload}");
    assert_eq!(payload["flow"]["from"].as_array().map(Vec::len), Some(1), "{payload}");
    assert!(payload["flow"]["text"].as_str().unwrap().contains(text), "{payload}");
}

#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn text_of_a_site_goes_to_a_tool_after_a_question() {
    let (questions, response) = questions_about("It is there.", "ref QX71-88204-KD", false).await;
    check_flow(&questions, "88204");
    assert!(!response.contains("QX71-88204-KD by "), "the server was not called: {response}");
    let (questions, response) = questions_about("It is there.", "ref QX71-88204-KD", true).await;
    check_flow(&questions, "88204");
    assert!(response.contains("QX71-88204-KD by "), "the server was called: {response}");
}

// The reader has read the site, so that what it answers comes from there, whatever its words.
#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn the_answer_of_a_called_agent_comes_from_what_it_has_read() {
    let (questions, _) =
        questions_about("The account is closed under ZX-5512-Q.", "closed: ZX-5512-Q", false).await;
    check_flow(&questions, "5512");
}

#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn the_persons_words_go_to_a_tool_without_a_question() {
    let (questions, response) = questions_about("It is there.", "note KD-448812 on Monday", true).await;
    assert_eq!(questions, Vec::<Value>::new());
    assert!(response.contains("KD-448812 on Monday by "), "{response}");
}
