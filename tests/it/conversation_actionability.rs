//! Elements of an earlier observation that are still there, but covered, hidden or disabled: what the page
//! says of that reaches the planner as the action's failure. Only the eid of an element that is gone is
//! reported as dead (docs/page_text.md, "Number").

use crate::support::model::{Reply, eid_of};
use crate::support::talk::Talk;
use serde_json::{Value, json};

const PAGE: &str = "<title>Shop</title><button>Show more</button><button>Delete account</button>\
    <details open><summary>Filters</summary><label>Size <input name=size></label></details>\
    <form><label>Name <input name=n required></label><button disabled>Next page</button></form>\
    <button onclick=\"document.querySelector('dialog').show();document.querySelector('details').open=false\">Menu</button>\
    <dialog aria-label=Cookies style='position:fixed;inset:0;width:100%;height:100%;max-width:none;max-height:none'><button>Accept</button></dialog>";

fn refused(talk: &Talk) -> Vec<Value> {
    talk.events("action_finished").into_iter().filter(|done| done["ok"] == false).collect()
}

#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn a_covered_hidden_or_disabled_element_is_never_reported_as_gone() {
    let mut talk = Talk::start(&[]).await;
    let done = || Reply::act("need_user", json!({"text": "wait"}));
    talk.script([
        talk.shows(PAGE),
        Reply::click("button", "Next page"),
        Reply::click("button", "Menu"),
        done(),
    ]);
    talk.say("go on").await;
    let question = talk.wait_for_question().await;
    let requests = talk.model.requests();
    let (before, after) = (requests[1].page(), requests[3].page());
    let eid = |role: &str, name: &str| eid_of(&before, role, name);
    let covered = format!("button \"Show more\" [{}] covered", eid("button", "Show more"));
    assert!(after.contains("- dialog \"Cookies\"") && after.contains(&covered), "{after}");
    talk.script([
        Reply::act("click", json!({"eid": eid("button", "Show more")})),
        Reply::act("click", json!({"eid": eid("button", "Delete account")})),
        Reply::act("type", json!({"eid": eid("textbox", "Size"), "text": "L"})),
        Reply::act("click", json!({"eid": 9999})),
        Reply::stop("Stuck."),
    ]);
    talk.answer(&question, json!({"done": true})).await;
    // No question is asked about an element that cannot be pressed.
    talk.ends_as("succeeded").await;
    let refused = refused(&talk);
    let failures: Vec<(&str, &str)> = refused
        .iter()
        .map(|done| (done["error"]["code"].as_str().unwrap(), done["error"]["message"].as_str().unwrap()))
        .collect();
    let expected = [
        ("invalid_action", "not filled in correctly: Name"),
        ("covered", "it holds 'Accept'"),
        ("covered", "it holds 'Accept'"),
        ("hidden", "the element is not shown now"),
        ("invalid_action", "there is no element [9999]"),
    ];
    assert_eq!(failures.len(), expected.len(), "{failures:?}");
    for ((code, message), (wanted, words)) in failures.iter().zip(expected) {
        assert!(*code == wanted && message.contains(words), "{code}: {message}");
        assert!(wanted != "covered" || message.starts_with("covered by dialog 'Cookies' [eid "), "{message}");
    }
    let last = talk.model.requests()[5].last_text();
    assert!(last.contains("result a1 failed: covered by dialog 'Cookies' [eid "), "{last}");
    // A failure is not an invalid action: three of those in a row would end the run.
    let counted = talk.events("state_updated");
    assert!(counted.iter().all(|state| state["invalid_actions"].as_u64() < Some(2)), "{counted:?}");
    talk.finish().await;
}

/// A secret that is typed into a field which the look does not show is one all the same.
#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn a_password_field_outside_the_observation_is_recognized() {
    let mut talk = Talk::start(&[]).await;
    let page = "<details open><summary>Log in</summary><input type=password aria-label=Password></details>\
        <button onclick=\"document.querySelector('details').open=false\">Menu</button>";
    let wait = Reply::act("need_user", json!({"text": "wait"}));
    talk.script([talk.shows(page), Reply::click("button", "Menu"), wait]);
    talk.say("go on").await;
    let question = talk.wait_for_question().await;
    let eid = eid_of(&talk.model.requests()[1].page(), "textbox", "Password");
    talk.script([Reply::act("type", json!({"eid": eid, "text": "kalyna-on-the-hill"})), Reply::stop("No.")]);
    talk.answer(&question, json!({"done": true})).await;
    talk.ends_as("succeeded").await;
    assert_eq!(refused(&talk).len(), 1);
    let stored = talk.state().await.to_string() + &json!(talk.ws.events).to_string();
    assert!(!stored.contains("kalyna-on-the-hill"), "{stored}");
    talk.finish().await;
}
