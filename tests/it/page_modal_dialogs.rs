//! Content behind a modal dialog: left out of an observation, with a note, and unchanged when the dialog has been
//! closed.

use crate::browser_stage::{Stage, find, text};
use serde_json::json;

const NOTE: &str = "what is behind it is left out";

/// A shop's page with all that a dialog may have beside it.
const PAGE: &str = "<main><h1>Shop</h1><p>Words of the page</p><button>Buy</button>\
    <p>Order 17</p><div role=status id=said></div><p style='height:3000px'>long</p><button>Last</button></main>\
    <dialog id=native aria-label=Native><p>Of the browser</p><button onclick=\"said.textContent='Saved at noon'\">Save</button>\
    <button onclick='native.close()'>Close native</button></dialog>\
    <div id=layer hidden style='position:fixed;inset:0;background:#0008'><div role=dialog aria-modal=true aria-label=Own \
    style='position:absolute;left:400px;top:200px;width:300px;background:#fff'><p>Of the page</p>\
    <button onclick='drop.hidden=false'>Sizes</button><button onclick='drop.hidden=layer.hidden=true'>Close own</button></div></div>\
    <div style='position:absolute'><ul id=drop hidden role=listbox aria-label=Sizes style='position:fixed;left:420px;top:330px;z-index:2;background:#eee'>\
    <li role=option>Small<li role=option>Large</ul></div>\
    <div id=banner hidden role=dialog aria-modal=true aria-label=Cookies style='position:fixed;left:0;right:0;bottom:0;height:90px;background:#ffd'><button>Accept</button></div>";

async fn opened(stage: &Stage, script: &str) {
    stage.show(&format!("{PAGE}<script>const el=(id)=>document.getElementById(id);{script}</script>")).await;
}

#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn content_behind_a_modal_dialog_is_left_out_and_returns_unchanged() {
    let stage = Stage::open().await;
    for (open, title, close) in
        [("showModal()", "Native", "Close native"), ("hidden=false", "Own", "Close own")]
    {
        let id = if title == "Own" { "layer" } else { "native" };
        opened(&stage, &format!("document.querySelector('main button').onclick=()=>{{el('{id}').{open}}}"))
            .await;
        let before = stage.observe().await;
        let buy = find(&before, "Buy").eid;
        stage.click("Buy").await.unwrap();
        let seen = stage.observe().await;
        let lines = text(&seen);
        assert!(lines.contains(NOTE) && lines.contains(&format!("dialog {title}")), "{lines}");
        for behind in ["Shop", "Words of the page", "Buy", "Order 17", "Last"] {
            assert!(!lines.contains(behind), "{behind} in {lines}");
        }
        // `extract` reads it all the same.
        let whole = stage.act("extract", json!({})).await.unwrap().text.unwrap();
        assert!(whole.contains("Words of the page"), "{whole}");
        stage.click(close).await.unwrap();
        let after = stage.observe().await;
        assert_eq!(find(&after, "Buy").eid, buy);
        assert!(
            !text(&after).contains(NOTE) && text(&after).contains("Words of the page"),
            "{}",
            text(&after)
        );
        assert!(after.lines.iter().all(|line| !line.attributes.new), "what was there before is not new");
    }
    stage.finish().await;
}

#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn messages_and_lists_over_a_dialog_are_observed() {
    let stage = Stage::open().await;
    opened(&stage, "el('native').showModal()").await;
    stage.click("Save").await.unwrap();
    let lines = text(&*stage.observe().await);
    assert!(lines.contains("Saved at noon") && !lines.contains("Order 17"), "{lines}");
    opened(&stage, "el('layer').hidden=false").await;
    stage.click("Sizes").await.unwrap();
    let seen = stage.observe().await;
    assert!(find(&seen, "Large").eid.is_some() && !text(&seen).contains("Order 17"), "{}", text(&seen));
    stage.finish().await;
}

// Banners often claim to be modal.
#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn a_dialog_that_covers_nothing_hides_nothing() {
    let stage = Stage::open().await;
    opened(&stage, "el('banner').hidden=false").await;
    let seen = stage.observe().await;
    let lines = text(&seen);
    assert!(find(&seen, "Buy").eid.is_some() && find(&seen, "Accept").eid.is_some(), "{lines}");
    assert!(lines.contains("Words of the page") && !lines.contains(NOTE), "{lines}");
    stage.finish().await;
}
