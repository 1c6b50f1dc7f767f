//! The checklist of a plan on the page, in a real Chromium, while another Chromium works through it: each item
//! with what it was judged by, opened at its place: the picture, the address, the verdict; and a try that was
//! not accepted.
// S2.16, S2.19, C12

use crate::support::app::PATIENCE;
use crate::support::model::{Reply, turn};
use crate::support::model_checks::Rules;
use crate::support::talk::Talk;
use crate::support::ui::{Ui, lines};
use serde_json::{Value, json};

fn item(position: u32, description: &str, needs: &[u32], predicates: Value) -> Value {
    json!({
        "position": position, "description": description, "dependencies": needs,
        "acceptance_criteria": format!("it is seen that {description}"), "predicates": predicates,
    })
}

fn claim_reply(step: u32) -> Reply {
    let mut reply = turn("", json!({}));
    (reply["status"], reply["step_ref"], reply["actions"]) = (json!("SUCCESS"), json!(step), json!([]));
    Reply::Turn(reply)
}

fn judgement_reply(met: bool, why: &str) -> Reply {
    Reply::Text(json!({"met": met, "why": why}).to_string())
}

/// In a small window the plan is one line until somebody unfolds it.
const UNFOLD: &str = "document.querySelector('af-plan:not([data-open]) .plan-fold')?.click()";

async fn assert_shows(ui: &Ui, words: &str) {
    let shown = async { while !lines(&*ui.observe().await).contains(words) {} };
    if tokio::time::timeout(PATIENCE, shown).await.is_err() {
        panic!("nothing tells {words:?} in {}", lines(&*ui.observe().await));
    }
}

#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn the_checklist_shows_what_each_item_was_judged_by() {
    let talk = Talk::with(Rules { several_runs: true, ..Rules::default() }, &[]).await;
    let shown = json!([{"check": "url", "value": "/room"}, {"check": "text", "value": "send message"}]);
    let items = [item(1, "the room is open", &[], shown), item(2, "the letter is written", &[1], json!([]))];
    let plan = json!({"items": items, "open_questions": [], "notes": null}).to_string();
    let (again, release) = Reply::seen(|request| {
        assert!(request.last_text().contains("nothing is written"), "{}", request.last_text());
        Reply::fill("Message", "hello")
    })
    .stalled();
    talk.script([Reply::act("replan", json!({"reason": "steps"})), Reply::Text(plan), talk.room()]);
    talk.script([claim_reply(2), judgement_reply(false, "nothing is written yet"), again]);
    let ui = Ui::open(&talk.app.base).await;
    ui.types("Task or message", "write a letter in the room").await;
    ui.click("button", "Send").await;
    let run = ui.run().await;

    // A try that was not accepted, with why, while the next one is under way.
    talk.model.arrived(6).await;
    assert_shows(&ui, "1 of 2 items done").await;
    let mut inside = ui.page().await;
    let open = |n: u32| {
        format!("document.querySelector('af-plan .plan-item:nth-child({n}) > details > summary').click()")
    };
    inside.run(UNFOLD).await;
    inside.until("document.querySelectorAll('af-plan .plan-item > details > summary').length === 2").await;
    inside.run(&open(2)).await;
    assert_shows(&ui, "nothing is written yet").await;
    assert_shows(&ui, "In progress · attempt 2 of 3").await;

    // The evidence opens with the keyboard; its picture shows the page of that moment.
    inside.run("document.querySelector('af-plan .plan-item > details > summary').focus()").await;
    ui.presses("Enter").await;
    assert_shows(&ui, "Accepted by the service’s checks").await;
    let picture = "document.querySelector('af-plan .plan-item .evidence-picture img')";
    inside.until(&format!("{picture}?.complete && {picture}.naturalWidth > 100")).await;
    assert!(ui.shows("link", "/room").await, "{}", lines(&*ui.observe().await));
    let alt = inside.run(&format!("{picture}.alt")).await;
    assert_eq!(alt, "The page at that moment, for “the room is open”");

    talk.script([
        claim_reply(2),
        judgement_reply(true, "the letter says hello"),
        Reply::stop("It is written."),
    ]);
    drop(release);
    ui.reads("It is written.").await;
    assert_shows(&ui, "2 of 2 items done").await;
    inside.run(UNFOLD).await;
    inside.until("document.querySelectorAll('.plan-item[data-status=succeeded]').length === 2").await;
    if inside.run("document.querySelectorAll('af-plan .plan-item details[open]').length").await == json!(0) {
        inside.run(&open(2)).await;
    }
    assert_shows(&ui, "the letter says hello").await;
    assert_shows(&ui, "Accepted by the judging model").await;
    let stored = talk.get(&format!("/api/runs/{run}/plan")).await;
    assert_eq!(stored["items"][1]["attempts"], 2, "{stored}");
    ui.finish().await;
    talk.finish().await;
}
