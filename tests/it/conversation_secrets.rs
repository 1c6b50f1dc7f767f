//! Values typed into password, code and card fields exist only in those fields: not in the store, a file or a frame,
//! whoever planned the action. The shop's own records are not examined.

use crate::support::app::{Http, Process, TestApp, free_port, spawn};
use crate::support::model::Reply;
use crate::support::talk::{Talk, slot};
use crate::support::ws::Ws;
use serde_json::{Value, json};
use std::path::Path;

const PASSWORD: &str = "demo-pass-1";
const CARD: &str = "5555 5555 5555 4444";
const EXPIRY: &str = "11/39";
/// A short one may stand in numbers by chance: as words of their own they may not.
const SECRETS: [&str; 6] = [PASSWORD, CARD, "5555555555554444", EXPIRY, "\"7351\"", " 7351 "];

/// Every file of the service below its data folder that has one of the secrets. Chromium's own
/// folders may be on their way out meanwhile.
pub fn holders(folder: &Path, secrets: &[&str]) -> Vec<String> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.extend(holders(&path, secrets));
        } else if path.file_name().is_some_and(|name| name != "demo.json") {
            let bytes = std::fs::read(&path).unwrap_or_default();
            let has = |secret: &&str| bytes.windows(secret.len()).any(|part| part == secret.as_bytes());
            found.extend(secrets.iter().filter(|s| has(s)).map(|s| format!("{}: {s}", path.display())));
        }
    }
    found
}

fn assert_no_secret_in(what: &str, text: &str) {
    for secret in SECRETS {
        assert!(!text.contains(secret), "{what} has {secret}: {text}");
    }
}

/// Facts, state, trace, lists and files.
async fn assert_stored_nowhere(app: &TestApp, run: &str, events: &[Value]) {
    assert_no_secret_in("a frame", &json!(events).to_string());
    for path in ["", "/state", "/trace", "/events"] {
        let reply = Http::new().get(&format!("{}/api/runs/{run}{path}", app.base)).await;
        assert_no_secret_in(path, &reply.to_string());
    }
    assert_eq!(holders(&app.data(), &SECRETS), Vec::<String>::new());
}

/// Approves whatever is asked until the end.
async fn approve_all(ws: &mut Ws) -> Value {
    loop {
        let frame = ws.next().await;
        if frame["type"] == "agent_question" {
            assert_no_secret_in("a question", &frame.to_string());
            let answer = json!({"type": "answer", "reference": frame["reference"], "confirmed": true});
            ws.send(answer).await;
        }
        if frame["type"] == "run_ended" {
            return frame;
        }
    }
}

// Orders that a person types may contain the values themselves.
#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn secrets_of_plain_orders_are_stored_and_sent_nowhere() {
    let _slot = slot().await;
    let app = spawn(&[]).await;
    let (mut ws, _) = Ws::hello(&app.base, json!({"locale": "en"})).await;
    let orders = format!(
        "open {}/demo/login?lang=en&visitor=secrets\ntype olena into Login\n\
         type \"{PASSWORD}\" into Password\nclick Sign in\nclick Add to cart\nclick Cart\nclick Checkout\n\
         click Another card\ntype {CARD} into Card number\nenter {EXPIRY} in Expiry date\n\
         type 7351 into CVC\ncheck I agree to the terms\nclick Place order",
        app.base
    );
    ws.send(json!({"type": "user_message", "text": orders})).await;
    let started = ws.until("run_started").await;
    let run = started["run_id"].as_str().unwrap().to_owned();
    assert!(started["input"]["text"].as_str().unwrap().contains("type \"••••\" into Password"), "{started}");
    let ended = approve_all(&mut ws).await;
    assert_eq!(ended["outcome"], "succeeded", "{ended}");
    let bought = Http::new().get(&format!("{}/demo/api/orders?visitor=secrets", app.base)).await;
    assert_eq!(bought["items"].as_array().unwrap().len(), 1, "the values reached the page: {bought}");
    assert_stored_nowhere(&app, &run, &ws.events).await;

    ws.send(json!({"type": "user_message", "run_id": run, "text": format!("password: {PASSWORD}")})).await;
    ws.until("user_message").await;
    ws.until("run_ended").await;
    assert_stored_nowhere(&app, &run, &ws.events).await;
    drop(ws);
    app.finish().await;
}

// The same with a model that writes the values itself, and speaks of them.
#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn secrets_that_a_model_types_are_stored_and_sent_nowhere() {
    let mut talk = Talk::start(&[]).await;
    let login = format!("{}/demo/login?lang=en&visitor=model", talk.app.base);
    talk.script([
        Reply::act("navigate", json!({"url": login})),
        Reply::fill("Login", "olena"),
        Reply::fill("Password", PASSWORD),
        Reply::act("ask_user", json!({"question": "What is your card number?", "answer_key": "card number"})),
        Reply::click("button", "Sign in"),
        Reply::stop("I signed you in with demo-pass-1, your card is 5555 5555 5555 4444."),
    ]);
    talk.say("sign me in").await;
    let question = talk.wait_for_question().await;
    talk.answer(&question, json!({"text": CARD})).await;
    let ended = approve_all(&mut talk.ws).await;
    assert_eq!(ended["outcome"], "succeeded", "{ended}");
    assert_eq!(ended["final_response"], "I signed you in with ••••, your card is ••••.");
    assert_stored_nowhere(&talk.app, &talk.run, &talk.ws.events).await;
    let page = talk.model.requests().pop().unwrap().last_text();
    assert!(page.contains("Welcome, Олена"), "the password reached the page: {page}");
    talk.finish().await;
}

// Answers and redirections of a person are passed to the model in their own words.
#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn answers_and_redirections_reach_the_model_as_the_persons_words() {
    let mut talk = Talk::start(&[]).await;
    let ask = Reply::act("ask_user", json!({"question": "To whom?", "answer_key": "whom"}));
    let send = Reply::click("button", "Send message");
    talk.in_the_room([ask, Reply::fill("Message", "hello"), send, Reply::stop("Not sent.")]).await;
    let question = talk.wait_for_question().await;
    talk.answer(&question, json!({"text": "to Olena"})).await;
    let confirm = talk.wait_for_question().await;
    talk.answer(&confirm, json!({"confirmed": false, "comment": "write to Taras instead"})).await;
    talk.ends_as("succeeded").await;
    let requests = talk.model.requests();
    assert!(requests[2].last_text().contains("the person answered a1: \"to Olena\""));
    let last = requests.last().unwrap().last_text();
    assert!(last.contains("write to Taras instead") && !last.contains("<returned"), "{last}");

    // An action that was only asked about, declined or said has no start and no end; the others have both.
    let ids = |name: &str| -> Vec<String> {
        talk.events(name).iter().map(|data| data["action"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(ids("action_started"), ids("action_finished"));
    assert_eq!(ids("action_started"), ["navigate", "type"]);
    talk.finish().await;
}

// A secret does not outlive the process; the person is asked to type it, and nothing else is lost.
#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn after_a_restart_a_secret_is_asked_for_again() {
    let _slot = slot().await;
    let folder = tempfile::tempdir().unwrap();
    let port = free_port();
    let first = Process::start_on(port, folder.path(), &[]).await;
    let base = first.base.clone();
    let (mut ws, _) = Ws::hello(&base, json!({"locale": "uk"})).await;
    let orders = format!(
        "відкрий {base}/demo/login?lang=uk&visitor=again\nдай мені\nвведи {PASSWORD} у Пароль\n\
         введи olena в Логін"
    );
    ws.send(json!({"type": "user_message", "text": orders})).await;
    let run = ws.until("run_started").await["run_id"].as_str().unwrap().to_owned();
    let hands = ws.until("agent_question").await;
    ws.until_that("waiting", |frame| frame["status"] == "waiting").await;
    drop(ws);
    first.kill().await;
    let data = folder.path().join("data");
    assert!(data.join("askfirst.db").is_file());
    assert_eq!(holders(&data, &SECRETS), Vec::<String>::new());

    let second = Process::start_on(port, folder.path(), &[]).await;
    let (mut ws, _) = Ws::hello(&base, json!({"run_id": run, "locale": "uk"})).await;
    ws.send(json!({"type": "answer", "reference": hands["reference"], "done": true})).await;
    let reference = hands["reference"].clone();
    let again = ws
        .until_that("another question", |frame| {
            frame["type"] == "agent_question" && frame["reference"] != reference
        })
        .await;
    assert_eq!(again["kind"], "manual", "{again}");
    assert!(again["text"].as_str().unwrap().contains("«Пароль»"), "{again}");
    ws.send(json!({"type": "answer", "reference": again["reference"], "done": true})).await;
    let ended = ws.until("run_ended").await;
    assert_eq!(ended["outcome"], "succeeded", "{ended}");
    drop(ws);
    second.terminate().await;
}

// After a restart a form is not sent with the field empty that such a secret was typed into before.
#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn after_a_restart_a_form_is_not_sent_without_its_secret() {
    let _slot = slot().await;
    let folder = tempfile::tempdir().unwrap();
    let port = free_port();
    let first = Process::start_on(port, folder.path(), &[]).await;
    let base = first.base.clone();
    let (mut ws, _) = Ws::hello(&base, json!({"locale": "en"})).await;
    let orders = format!(
        "open {base}/demo/login?lang=en&visitor=emptied\ntype olena into Login\n\
         type \"{PASSWORD}\" into Password\nclick Sign in"
    );
    ws.send(json!({"type": "user_message", "text": orders})).await;
    let run = ws.until("run_started").await["run_id"].as_str().unwrap().to_owned();
    let confirm = ws.until("agent_question").await;
    assert_eq!(confirm["kind"], "confirm", "{confirm}");
    ws.until_that("waiting", |frame| frame["status"] == "waiting").await;
    let metrics = reqwest::get(format!("{base}/metrics")).await.unwrap().text().await.unwrap();
    for phase in ["observe", "plan", "gate", "execute", "settle"] {
        assert!(metrics.contains(&format!("askfirst_step_seconds_count{{phase=\"{phase}\"}}")), "{metrics}");
    }
    drop(ws);
    first.kill().await;

    let second = Process::start_on(port, folder.path(), &[]).await;
    let (mut ws, _) = Ws::hello(&base, json!({"run_id": run, "locale": "en"})).await;
    ws.send(json!({"type": "answer", "reference": confirm["reference"], "confirmed": true})).await;
    let reference = confirm["reference"].clone();
    let hands = ws
        .until_that("another question", |frame| {
            frame["type"] == "agent_question" && frame["reference"] != reference
        })
        .await;
    assert_eq!(hands["kind"], "manual", "{hands}");
    assert!(hands["text"].as_str().unwrap().contains("“Password”"), "{hands}");
    // Handed back with the field still empty, the click is neither done nor ticked: it asks again.
    ws.send(json!({"type": "answer", "reference": hands["reference"], "done": true})).await;
    let again = ws
        .until_that("the same question again", |frame| {
            frame["type"] == "agent_question" && frame["reference"] != hands["reference"]
        })
        .await;
    assert_eq!((&again["kind"], &again["text"]), (&hands["kind"], &hands["text"]), "{again}");
    let sent = ws.events.iter().filter(|event| event["event"] == "action_started");
    let sent = sent.filter(|event| event["data"]["action"] == "click").count();
    assert_eq!(sent, 0, "{:#?}", ws.events);
    drop(ws);
    second.terminate().await;
}

/// A person types this by hand; so it is written in addresses and in forms.
pub const BY_HAND: [&str; 4] =
    ["Zq9 Hand&Typed+77", "Zq9%20Hand%26Typed", "Zq9+Hand%26Typed", "Zq9 Hand&amp;Typed"];

/// Pages that take a password, what their address is like after, and that say it everywhere.
pub const SIGN_IN: [(&str, &str); 2] = [
    ("<title>Login</title><form action=/html><input type=password name=p autofocus></form>", "/html?p="),
    (
        "<title>Mirror</title><input type=password autofocus id=p><p id=o></p><input id=n aria-label=Nickname>\
        <script>p.oninput = () => { o.textContent = 'You typed ' + p.value; n.value = p.value; document.title = p.value; };\
        onkeydown = (event) => { if (event.key === 'Enter') { p.type = 'text'; alert('Your password is ' + p.value);\
        history.replaceState(0, '', '/html?mirror=' + encodeURIComponent(p.value)); } }</script>",
        "/html?mirror=",
    ),
];

// A person signs in by hand, and the page repeats everywhere what they typed.
#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn secrets_that_a_person_types_by_hand_are_stored_and_sent_nowhere() {
    let mut talk = Talk::start(&[("ASKFIRST_TELEMETRY__LEVEL", "trace")]).await;
    for (page, gone) in SIGN_IN {
        talk.script([talk.shows(page), Reply::act("need_user", json!({"text": "Please sign in"}))]);
        talk.script([Reply::act("extract", json!({})), Reply::stop("Signed in.")]);
        talk.say("sign me in").await;
        talk.wait_for_question().await;
        by_hand(&mut talk.ws, (&talk.app.base, &talk.run), BY_HAND[0], gone).await;
        let resolved = talk.ws.until("question_resolved").await;
        assert!(resolved["answer"]["message"].as_str().unwrap().contains("=…"), "{resolved}");
        let ended = talk.ended().await;
        assert_eq!(ended["outcome"], "succeeded", "{ended}");
    }
    let requests = talk.model.requests();
    let mut outputs = vec![json!(talk.ws.events).to_string()];
    outputs.extend(requests.iter().map(|request| request.body.to_string()));
    for path in ["", "/state", "/trace", "/events"] {
        outputs.push(
            Http::new().get(&format!("{}/api/runs/{}{path}", talk.app.base, talk.run)).await.to_string(),
        );
    }
    for text in &outputs {
        let found = BY_HAND.iter().find(|value| text.contains(**value));
        assert_eq!(found, None, "{text}");
    }
    let prompts: String = requests.iter().map(|request| request.last_text()).collect();
    assert!(prompts.contains("You typed ••••") && prompts.contains("Your password is ••••"), "{prompts}");
    assert_eq!(holders(&talk.app.data(), &BY_HAND), Vec::<String>::new());
    talk.finish().await;
}

/// Takes the page over, types this and Enter into what has the focus, and hands it back when the page has
/// another address.
pub async fn by_hand(ws: &mut Ws, (base, run): (&str, &str), words: &str, until: &str) {
    let order = |command: &str| json!({"type": "control", "run_id": run, "command": command});
    let input = |hands: Value| {
        let mut frame = json!({"type": "input", "run_id": run});
        frame.as_object_mut().unwrap().extend(hands.as_object().unwrap().clone());
        frame
    };
    ws.send(order("take_over")).await;
    ws.until_that("the lease", |frame| frame["event"] == "lease" && !frame["data"]["holder"].is_null()).await;
    ws.send(input(json!({"kind": "text", "text": words}))).await;
    for event in ["down", "up"] {
        ws.send(input(json!({"kind": "key", "event": event, "key": "Enter", "code": "Enter"}))).await;
    }
    let there = async {
        loop {
            let listed = Http::new().get(&format!("{base}/api/browsers")).await;
            let url = listed["items"][0]["contexts"][0]["url"].as_str().unwrap_or_default().to_owned();
            assert!(BY_HAND.iter().all(|value| !url.contains(value)), "{url}");
            if url.contains(until) {
                return;
            }
        }
    };
    tokio::time::timeout(crate::support::app::PATIENCE, there).await.expect("the page goes on");
    ws.send(order("hand_back")).await;
}
