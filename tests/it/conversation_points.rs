//! Points of the picture in the whole service: canvases, maps and remote desktops, a picture that changed, and a point
//! over a control that the gate knows.

use crate::support::model::{Reply, Request};
use crate::support::talk::Talk;
use serde_json::json;

/// A canvas of 400 × 300 pixels in the corner of the page; `told(text)` writes below it.
const CANVAS: &str = "<title>Board</title><body style=\"margin: 0\"><canvas id=c width=400 height=300 tabindex=0 \
    style=\"display: block\"></canvas><h1 id=h>none</h1><script>const told = (text) => { h.textContent = text; };\
    const pen = c.getContext('2d'); pen.fillStyle = '#eee'; pen.fillRect(0, 0, 400, 300); pen.fillStyle = '#a00';";

/// Starts a conversation in which the model opens a page with this HTML and goes on with the replies.
async fn play(html: &str, replies: impl IntoIterator<Item = Reply>) -> Talk {
    let mut talk = Talk::seeing(&[]).await;
    talk.script([talk.shows(html)]);
    talk.play("do it", replies).await;
    talk
}

/// A turn that is planned once the page shows the words.
fn after(words: &'static str, then: Reply) -> Reply {
    Reply::seen(move |request: &Request| {
        assert!(request.page().contains(words), "{words}: {}", request.page());
        then
    })
}

fn click_at(x: u32, y: u32) -> Reply {
    Reply::act("click", json!({"x": x, "y": y}))
}

fn drag_by(from: (u32, u32), to: (u32, u32)) -> Reply {
    Reply::act("drag", json!({"from": {"x": from.0, "y": from.1}, "to": {"x": to.0, "y": to.1}}))
}

#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn a_drawing_is_clicked_and_drawn_on() {
    let page = format!(
        "{CANVAS}let from = null; c.onmousedown = (e) => {{ from = [e.clientX, e.clientY]; pen.fillRect(e.clientX, e.clientY, 9, 9); }};\
         c.onmouseup = (e) => told(`from ${{from}} to ${{[e.clientX, e.clientY]}}`);</script>"
    );
    let steps = [
        click_at(60, 40),
        after("from 60,40 to 60,40", drag_by((100, 100), (200, 150))),
        after("from 100,100 to 200,150", Reply::stop("Drawn.")),
    ];
    let talk = play(&page, steps).await;
    talk.succeeds().await;
}

// The picture that the model is shown has the secret field painted over.
#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn a_point_beside_a_secret_field_holds() {
    let page = format!(
        "{CANVAS}c.onclick = (e) => told(`clicked ${{e.clientX}}`);</script><form style=\"position: absolute; left: 30px; top: 50px\">\
         <input type=password name=pin value=1234 style=\"width: 200px; height: 30px; background: #fff\"></form>"
    );
    let talk = play(&page, [click_at(60, 40), after("clicked 60", Reply::stop("Done."))]).await;
    talk.succeeds().await;
}

#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn a_map_is_dragged_and_a_drag_that_moves_nothing_fails() {
    let page = format!(
        "{CANVAS}let at = [0, 0], last = null; const draw = () => {{ pen.fillStyle = '#eee'; pen.fillRect(0, 0, 400, 300); \
         pen.fillStyle = '#a00'; pen.fillRect(at[0] + 150, at[1] + 100, 60, 60); told(`map at ${{at}}`); }}; draw();\
         c.onmousedown = (e) => {{ last = [e.clientX, e.clientY]; }}; onmouseup = () => {{ last = null; }};\
         c.onmousemove = (e) => {{ if (last === null) return; at = [at[0] + e.clientX - last[0], at[1] + e.clientY - last[1]]; \
         last = [e.clientX, e.clientY]; draw(); }};</script>"
    );
    let steps = [
        drag_by((180, 130), (230, 150)),
        after("map at 50,20", drag_by((300, 500), (340, 500))),
        Reply::stop("Moved."),
    ];
    let mut talk = play(&page, steps).await;
    talk.ends_as("succeeded").await;
    let results = talk.results("drag");
    assert_eq!(results[0]["ok"], true, "{results:?}");
    assert_eq!(results[1]["error"]["code"], "no_effect", "{results:?}");
    talk.finish().await;
}

#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn a_remote_desktop_takes_the_keys() {
    let page = format!(
        "{CANVAS}let keys = ''; c.onmousedown = () => c.focus(); c.onkeydown = (e) => {{ keys += e.key; told(`keys ${{keys}}`); \
         e.preventDefault(); }};</script>"
    );
    let typed = Reply::act("type", json!({"x": 50, "y": 50, "text": "ls", "clear": false, "submit": true}));
    let talk = play(&page, [typed, after("keys lsEnter", Reply::stop("Typed."))]).await;
    talk.succeeds().await;
}

// The page is drawn anew while the model thinks.
#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn a_point_is_void_once_the_picture_changed() {
    let page = format!("{CANVAS}let clicks = 0; c.onclick = () => told(`clicked ${{++clicks}}`);</script>");
    let (stalled, release) = click_at(60, 40).stalled();
    let mut talk =
        play(&page, [stalled, after("none", click_at(60, 40)), after("clicked 1", Reply::stop("Clicked."))])
            .await;
    talk.model.arrived(2).await;
    let mut other = talk.page("/html").await;
    other.run("pen.fillStyle = '#00a'; pen.fillRect(0, 0, 400, 300)").await;
    drop(release);
    talk.ends_as("succeeded").await;
    let results = talk.results("click");
    assert_eq!(results[0]["error"]["code"], "picture_changed", "{results:?}");
    assert_eq!(results[1]["ok"], true, "{results:?}");
    talk.finish().await;
}

// The element at a point is judged as if it were clicked, and what leaves is held besides.
#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn a_point_over_a_button_that_sends_asks_first() {
    let page = "<title>Buy</title><body style=\"margin: 0\"><form action=/send method=post><input type=hidden name=message \
        value=lamp><button style=\"width: 300px; height: 100px\">Buy now</button></form>";
    let mut talk = play(page, [click_at(100, 50), Reply::stop("Bought.")]).await;
    let question = talk.wait_for_question().await;
    assert!(talk.site.sent().is_empty(), "nothing leaves before the answer");
    talk.answer(&question, json!({"confirmed": true})).await;
    talk.ends_as("succeeded").await;
    assert_eq!(talk.site.sent(), ["message=lamp"]);
    talk.finish().await;
}

// A drawing does not say what it does, so that its request is held.
#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn what_a_drawing_sends_is_held() {
    let page = format!(
        "{CANVAS}c.onclick = () => fetch('/send', {{method: 'POST', body: new URLSearchParams({{message: 'lamp'}})}})\
         .then(() => told('sent'), () => told('refused'));</script>"
    );
    let mut talk = play(&page, [click_at(60, 40), after("refused", Reply::stop("Not sent."))]).await;
    let question = talk.wait_for_question().await;
    assert!(talk.site.sent().is_empty(), "nothing leaves before the answer");
    talk.answer(&question, json!({"confirmed": false, "comment": "go on"})).await;
    talk.ends_as("succeeded").await;
    assert!(talk.site.sent().is_empty());
    talk.finish().await;
}
