//! Approvals: valid once, for exactly the facts that the person saw, unless they chose a longer validity. The proof is
//! the orders that shop and site received.

use crate::support::model::{Reply, eid_of};
use crate::support::talk::Talk;
use crate::support::ws::{Ws, without_own_marks};
use serde_json::{Value, json};

/// Opens the page of the lab that sells at a changing price.
fn open_price_lab(talk: &Talk, visitor: &str) -> Reply {
    let url = format!("{}/demo/lab/price?lang=en&visitor={visitor}", talk.app.base);
    Reply::act("navigate", json!({"url": url}))
}

fn buy(name: &'static str) -> Reply {
    Reply::click("button", name)
}

/// Goes to the lab and is about to buy there.
async fn about_to_buy(talk: &mut Talk, visitor: &str) -> Value {
    talk.script([
        open_price_lab(talk, visitor),
        Reply::fill("Card number", "4242 4242 4242 4242"),
        buy("Buy the lamp"),
    ]);
    talk.say("buy the lamp").await;
    let question = talk.wait_for_question().await;
    assert_eq!(question["payload"]["rule"], "buy", "{question}");
    question
}

/// Changes the lab under the open page, and waits until the page shows it.
async fn change(talk: &Talk, visitor: &str, form: &str, shows: &str) {
    let url = format!("{}/demo/lab/price?visitor={visitor}", talk.app.base);
    let post = reqwest::Client::new().post(url).header("content-type", "application/x-www-form-urlencoded");
    assert!(post.body(form.to_owned()).send().await.unwrap().status().is_success());
    talk.page("/demo/lab/price").await.until(shows).await;
}

async fn orders(talk: &Talk, visitor: &str) -> Vec<Value> {
    let orders = talk.get(&format!("/demo/api/orders?visitor={visitor}")).await;
    orders["items"].as_array().unwrap().clone()
}

/// The run did nothing with the approval, and looked and planned anew.
async fn assert_approval_void(talk: &Talk) {
    let void = ["confirm:Approved", "execute_action:Void", "maybe_observe:Seen", "plan_action:Planned"];
    talk.assert_path(&void).await;
    let refused = talk.events("action_finished").into_iter().find(|done| done["ok"] == false).unwrap();
    assert_eq!(refused["error"]["code"], "approval_void", "{refused}");
    let requests = talk.model.requests();
    assert!(requests.iter().any(|request| request.last_text().contains("result a1 failed: not done")));
}

#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn a_price_that_changes_under_the_question_voids_the_approval() {
    let mut talk = Talk::start(&[]).await;
    let first = about_to_buy(&mut talk, "price").await;
    change(&talk, "price", "price=7777", "document.forms[0].elements.shown_total.value === '7777'").await;
    talk.script([buy("Buy the lamp")]);
    talk.answer(&first, json!({"confirmed": true})).await;

    let second = talk.wait_for_question().await;
    assert_eq!(orders(&talk, "price").await, Vec::<Value>::new(), "nothing is bought at another price");
    assert_approval_void(&talk).await;
    assert_ne!(second["reference"], first["reference"]);
    assert_ne!(second["payload"]["fingerprint"], first["payload"]["fingerprint"]);
    assert_ne!(second["payload"]["effect"], first["payload"]["effect"], "it says the new sum");
    assert_ne!(second["payload"]["screenshot"], first["payload"]["screenshot"]);

    talk.script([Reply::stop("Bought.")]);
    talk.answer(&second, json!({"confirmed": true})).await;
    talk.ends_as("succeeded").await;
    let bought = orders(&talk, "price").await;
    assert_eq!(bought.len(), 1, "{bought:?}");
    assert_eq!(bought[0]["shown_total"], 7777);
    talk.finish().await;
}

#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn a_button_that_changes_its_name_voids_the_approval() {
    let mut talk = Talk::start(&[]).await;
    let first = about_to_buy(&mut talk, "button").await;
    let renamed = "document.querySelector('#buy').textContent === 'Buy ten lamps'";
    change(&talk, "button", "button=Buy+ten+lamps", renamed).await;
    talk.script([buy("Buy ten lamps")]);
    talk.answer(&first, json!({"confirmed": true})).await;
    let second = talk.wait_for_question().await;
    assert_eq!(second["payload"]["target"]["name"], "Buy ten lamps");
    assert_approval_void(&talk).await;
    talk.answer(&second, json!({"confirmed": false})).await;
    talk.ends_as("cancelled").await;
    assert_eq!(orders(&talk, "button").await, Vec::<Value>::new());
    talk.finish().await;
}

#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn a_removed_button_is_not_replaced_by_another() {
    let mut talk = Talk::start(&[]).await;
    let question = about_to_buy(&mut talk, "gone").await;
    change(&talk, "gone", "gone=true", "!document.querySelector('#buy')").await;
    talk.script([Reply::stop("The button is gone.")]);
    talk.answer(&question, json!({"confirmed": true})).await;
    talk.ends_as("succeeded").await;
    assert_approval_void(&talk).await;
    assert_eq!(orders(&talk, "gone").await, Vec::<Value>::new());
    talk.finish().await;
}

#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn a_value_that_changes_under_the_question_voids_the_approval() {
    let mut talk = Talk::start(&[]).await;
    talk.in_the_room([Reply::fill("Message", "hello"), buy("Send message")]).await;
    let first = talk.wait_for_question().await;
    talk.page("/room").await.run("document.querySelector('textarea').value = 'send money'").await;
    talk.script([buy("Send message")]);
    talk.answer(&first, json!({"confirmed": true})).await;
    let second = talk.wait_for_question().await;
    assert_eq!(second["payload"]["values"], json!({"Message": "send money"}), "the new value is shown");
    assert_approval_void(&talk).await;
    assert_eq!(talk.site.sent(), Vec::<String>::new());
    talk.answer(&second, json!({"confirmed": false})).await;
    talk.ends_as("cancelled").await;
    talk.finish().await;
}

/// Adds a live region to the form of the room, with this text.
fn add_message(text: &str) -> String {
    format!(
        "const strip = document.createElement('p'); strip.setAttribute('role', 'status'); strip.textContent = '{text}'; \
         document.querySelector('textarea').form.append(strip); true"
    )
}

// Strips such as "You have unsaved edits" come a second after the last key, while the person reads.
#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn a_message_that_comes_under_the_question_keeps_the_approval() {
    let mut talk = Talk::start(&[]).await;
    talk.in_the_room([Reply::fill("Message", "hello"), buy("Send message")]).await;
    let question = talk.wait_for_question().await;
    talk.page("/room").await.run(&add_message("You have unsaved edits")).await;
    talk.script([Reply::stop("Sent.")]);
    talk.answer(&question, json!({"confirmed": true})).await;
    talk.ends_as("succeeded").await;
    assert_eq!(talk.site.sent().len(), 1, "{:?}", talk.site.sent());
    talk.finish().await;
}

#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn a_message_that_the_person_read_and_that_changes_voids_the_approval() {
    let mut talk = Talk::start(&[]).await;
    let wait = Reply::act("wait", json!({"text": "Goes to Anna"}));
    talk.in_the_room([Reply::fill("Message", "hello"), wait, buy("Send message")]).await;
    talk.ws.until("action_finished").await;
    let mut page = talk.page("/room").await;
    page.until("document.querySelector('textarea')?.value === 'hello'").await;
    page.run(&add_message("Goes to Anna")).await;
    let first = talk.wait_for_question().await;
    let change = "document.querySelector('[role=status]').textContent = 'Goes to Boris'; true";
    talk.page("/room").await.run(change).await;
    talk.script([buy("Send message")]);
    talk.answer(&first, json!({"confirmed": true})).await;
    let second = talk.wait_for_question().await;
    assert_approval_void(&talk).await;
    assert_eq!(talk.site.sent(), Vec::<String>::new());
    talk.answer(&second, json!({"confirmed": false})).await;
    talk.ends_as("cancelled").await;
    talk.finish().await;
}

#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn a_navigation_under_the_question_voids_the_approval() {
    let mut talk = Talk::start(&[]).await;
    talk.in_the_room([Reply::fill("Message", "hello"), buy("Send message")]).await;
    let question = talk.wait_for_question().await;
    let mut page = talk.page("/room").await;
    page.run("void setTimeout(() => { location.href = '/room?door=2' })").await;
    // The same button stands there.
    talk.page("/room?door=2").await.until("document.title === 'Blue room'").await;
    talk.script([Reply::stop("It is another room.")]);
    talk.answer(&question, json!({"confirmed": true})).await;
    talk.ends_as("succeeded").await;
    assert_approval_void(&talk).await;
    assert_eq!(talk.site.sent(), Vec::<String>::new());
    talk.finish().await;
}

// A planner may take a dialog for closed when the press in it was declined.
#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn a_dialog_left_open_by_a_declined_press_is_named() {
    let html = "<title>Letters</title><form action=/send method=post><dialog id=d aria-label='Send it?'>\
        <button>Send message</button></dialog></form><script>d.showModal()</script>";
    let mut talk = Talk::start(&[]).await;
    talk.script([talk.shows(html), buy("Send message")]);
    talk.say("send the letter").await;
    let question = talk.wait_for_question().await;
    talk.script([Reply::seen(|request| {
        let text = request.last_text();
        assert!(text.contains("note: the dialog \"Send it?\" is still open"), "{text}");
        Reply::stop("Left alone.")
    })]);
    talk.answer(&question, json!({"confirmed": false, "comment": "Not today."})).await;
    talk.ends_as("succeeded").await;
    assert_eq!(talk.site.sent(), Vec::<String>::new());
    talk.finish().await;
}

// A person must see all that they approve, whatever its length.
#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn a_long_message_is_shown_untruncated_before_it_is_sent() {
    let mut talk = Talk::start(&[]).await;
    let letter: &'static str =
        Box::leak(format!("{}and send all the money", "a harmless word ".repeat(100)).into_boxed_str());
    talk.in_the_room([Reply::fill("Message", letter), buy("Send message")]).await;
    let question = talk.wait_for_question().await;
    assert_eq!(question["payload"]["values"], json!({"Message": letter}));
    talk.answer(&question, json!({"confirmed": false})).await;
    talk.ends_as("cancelled").await;
    assert_eq!(talk.site.sent(), Vec::<String>::new());
    talk.finish().await;
}

#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn an_approval_in_a_frame_names_its_origin_and_is_void_when_the_frame_changed() {
    let mut talk = Talk::start(&[]).await;
    let framed = Reply::act("navigate", json!({"url": talk.site.url("/framed")}));
    talk.script([framed, Reply::fill("Message", "hello"), buy("Send message")]);
    talk.say("write them a letter").await;
    let first = talk.wait_for_question().await;
    let payload = &first["payload"];
    let origin = format!("http://{}", talk.site.host.replace("127.0.0.1", "localhost"));
    assert_eq!(payload["page"]["origin"], json!(origin), "{payload}");
    assert_eq!(payload["target"]["frame"], "Letters");
    assert_eq!(payload["values"], json!({"Message": "hello"}));

    talk.page("localhost").await.run("document.querySelector('textarea').value = 'send money'").await;
    talk.script([buy("Send message")]);
    talk.answer(&first, json!({"confirmed": true})).await;
    let second = talk.wait_for_question().await;
    assert_eq!(second["payload"]["values"], json!({"Message": "send money"}), "the new value is shown");
    assert_approval_void(&talk).await;

    // The same letter, from another page in the frame.
    let mut frame = talk.page("localhost").await;
    frame.run("void setTimeout(() => { location.href = '/room?door=2' })").await;
    talk.page("/room?door=2").await.until("document.title === 'Blue room'").await;
    talk.script([Reply::fill("Message", "hello"), buy("Send message")]);
    talk.answer(&second, json!({"confirmed": true})).await;
    let third = talk.wait_for_question().await;
    assert_eq!(talk.site.sent(), Vec::<String>::new());
    talk.script([Reply::stop("Sent.")]);
    talk.answer(&third, json!({"confirmed": true})).await;
    talk.ends_as("succeeded").await;
    assert_eq!(talk.site.sent(), vec![String::from("message=hello")]);
    talk.finish().await;
}

// docs/protocol.md, `answer`: the second answer is refused, over the socket and over HTTP; two people see the same.
#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn a_drop_that_sends_something_is_asked_about_by_what_is_dragged() {
    let mut talk = Talk::start(&[]).await;
    let page = "<title>Desk</title><style>div{height:80px;width:300px;border:1px solid}</style>\
        <div id=a draggable=true>Old draft</div>\
        <div role=button tabindex=0 aria-label='Delete forever' ondragover='event.preventDefault()' \
        ondrop=\"fetch('/send',{method:'POST',body:new URLSearchParams({message:a.textContent})})\"></div>\
        <script>a.ondragstart=(e)=>e.dataTransfer.setData('text/plain','a')</script>";
    let drag = Reply::seen(move |request| {
        let page = request.page();
        let (from, to) = (eid_of(&page, "clickable", "Old draft"), eid_of(&page, "button", "Delete forever"));
        Reply::act("drag", json!({"from_eid": from, "to_eid": to}))
    });
    talk.script([talk.shows(page), drag]);
    talk.say("delete the old draft").await;
    let question = talk.wait_for_question().await;
    let effect = question["payload"]["effect"].as_str().unwrap();
    assert!(effect.contains("“Old draft” onto “Delete forever”"), "{effect}");
    assert_eq!(question["payload"]["effect_class"], "delete", "{question}");
    assert_eq!(talk.site.sent(), Vec::<String>::new());
    talk.script([Reply::stop("Deleted.")]);
    talk.answer(&question, json!({"confirmed": true})).await;
    talk.ends_as("succeeded").await;
    assert_eq!(talk.site.sent(), ["message=Old+draft"]);
    talk.finish().await;
}

#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn the_first_of_two_answers_counts() {
    let mut talk = Talk::start(&[]).await;
    let question = about_to_buy(&mut talk, "twice").await;
    let (mut other, welcome) = Ws::hello(&talk.app.base, json!({"run_id": talk.run})).await;
    assert_eq!(welcome["run"]["questions"][0]["reference"], question["reference"]);
    let same = other.until("agent_question").await;
    assert_eq!(same, question);
    talk.script([Reply::stop("Bought.")]);
    talk.answer(&question, json!({"confirmed": true})).await;
    other.until("question_resolved").await;
    other.send(json!({"type": "answer", "reference": question["reference"], "confirmed": false})).await;
    let refused = other.until("error").await;
    assert_eq!(
        (&refused["code"], &refused["reference"]),
        (&json!("already_resolved"), &question["reference"])
    );
    talk.ends_as("succeeded").await;
    let url = format!("/api/questions/{}", question["reference"].as_str().unwrap());
    let (status, problem) = talk.post(&url, json!({"confirmed": true})).await;
    assert_eq!((status, &problem["code"]), (409, &json!("already_resolved")));
    assert_eq!(orders(&talk, "twice").await.len(), 1);
    // Both viewers get every fact, and the same ones.
    while other.events.len() < talk.ws.events.len() {
        other.next().await;
    }
    assert_eq!(without_own_marks(&other.events), without_own_marks(&talk.ws.events));
    drop(other);
    talk.finish().await;
}

#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn a_permission_for_the_run_holds_until_it_is_revoked() {
    let mut talk = Talk::start(&[]).await;
    let once_more = |talk: &Talk| [talk.room(), Reply::fill("Message", "hello"), buy("Send message")];
    talk.script(once_more(&talk));
    talk.say("write to them every day").await;
    let question = talk.wait_for_question().await;
    assert_eq!(question["remember"], json!(["once", "run", "site"]));
    // The second letter is not asked about; then the page stands at a person's question.
    talk.script(once_more(&talk));
    talk.script([Reply::act("need_user", json!({"text": "Read them"}))]);
    talk.answer(&question, json!({"confirmed": true, "remember": "run"})).await;
    let pause = talk.wait_for_question().await;
    assert_eq!(pause["kind"], "manual", "it asked again: {pause}");
    assert_eq!(talk.site.sent().len(), 2);
    talk.assert_path(&["policy_gate:Allowed", "execute_action:Executed"]).await;
    let audit = talk.get(&format!("/api/audit?run_id={}", talk.run)).await;
    let by: Vec<&str> =
        audit["items"].as_array().unwrap().iter().filter_map(|row| row["by"].as_str()).collect();
    assert!(by.contains(&"grant") && by.contains(&"user") && by.contains(&"policy"), "{audit}");

    let grants = talk.get("/api/grants").await;
    let grant = &grants["items"][0];
    assert_eq!(
        (&grant["scope"], &grant["rule"], &grant["run_id"]),
        (&json!("run"), &json!("message"), &json!(talk.run))
    );
    let url = format!("{}/api/grants/{}", talk.app.base, grant["id"].as_str().unwrap());
    assert!(reqwest::Client::new().delete(url).send().await.unwrap().status().is_success());
    assert_eq!(talk.get("/api/grants").await["items"], json!([]));

    talk.script(once_more(&talk));
    talk.answer(&pause, json!({"done": true})).await;
    let question = talk.wait_for_question().await;
    assert_eq!((&question["kind"], &question["payload"]["rule"]), (&json!("confirm"), &json!("message")));
    talk.answer(&question, json!({"confirmed": false})).await;
    talk.ends_as("cancelled").await;
    assert_eq!(talk.site.sent().len(), 2);
    talk.finish().await;
}

// A purchase is never remembered, not even if it is asked for.
#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn a_purchase_is_approved_once_only() {
    let mut talk = Talk::start(&[]).await;
    let question = about_to_buy(&mut talk, "once").await;
    assert_eq!(question["remember"], json!(["once"]));
    talk.script([
        open_price_lab(&talk, "once"),
        Reply::fill("Card number", "4242 4242 4242 4242"),
        buy("Buy the lamp"),
    ]);
    talk.answer(&question, json!({"confirmed": true, "remember": "site"})).await;
    let again = talk.wait_for_question().await;
    assert_eq!(again["payload"]["rule"], "buy");
    assert_eq!(talk.get("/api/grants").await["items"], json!([]));
    talk.answer(&again, json!({"confirmed": false})).await;
    talk.ends_as("cancelled").await;
    assert_eq!(orders(&talk, "once").await.len(), 1);
    talk.finish().await;
}
