//! Frames of another site get nothing of what is meant for the page: neither what is typed, nor a click.

use crate::browser_stage::{self, Stage, text};
use askfirst::browser::error::{ErrorCode, PageError};
use serde_json::json;

/// Says what it got.
const THIEF: &str = "<input id=i style='width:80px'><p id=o>got nothing</p><script>\
    i.oninput=()=>o.textContent='got '+i.value;addEventListener('keydown',(e)=>o.textContent='heard '+e.key,true);\
    setInterval(()=>i.focus(),10)</script>";

/// An honest page that nobody means to press.
const VICTIM: &str = "<style>body{margin:0}button{width:100%;height:100vh}</style>\
    <button onclick=\"document.title='x';b.textContent='deleted'\" id=b>Delete my account</button>";

fn at(site: &str, html: &str) -> String {
    format!("{site}/html?{}", url::form_urlencoded::byte_serialize(html.as_bytes()).collect::<String>())
}

fn assert_kept_away<T>(done: Result<T, PageError>, what: &str) {
    let fault = done.err().unwrap_or_else(|| panic!("{what}: it must not be called done"));
    assert_eq!(fault.code, ErrorCode::FocusMoved, "{what}: {fault}");
    assert!(fault.message.contains("a frame of another site"), "{fault}");
}

// S1.14: what is typed into a field goes nowhere else.
#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn a_frame_that_steals_the_focus_gets_no_typed_text() {
    let stage = Stage::open().await;
    let sites = [stage.site.replace("127.0.0.1", "localhost"), browser_stage::site()];
    for site in sites {
        stage
            .show(&format!(
                "<input type=password aria-label=Password><iframe title=Ad src='{}'></iframe>",
                at(&site, THIEF)
            ))
            .await;
        for typed in ["hunter2pass", &"long pass phrase ".repeat(6)] {
            let eid = stage.eid("Password").await;
            let order = json!({"eid": eid, "text": typed, "submit": true});
            // Typing succeeds only if the frame came too late to receive any of it.
            if let Err(fault) = stage.act("type", order).await {
                assert_kept_away::<()>(Err(fault), &site);
            }
            let seen = text(&*stage.observe().await);
            assert!(seen.contains("got nothing"), "{seen}");
        }
    }
    stage.finish().await;
}

// A frame that loads itself anew is another document each time, and none of them was there when the others
// were shut. S1.14
#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn a_frame_that_keeps_reloading_gets_no_typed_text() {
    let stage = Stage::open().await;
    let thief = "<textarea id=i></textarea><script>i.oninput=()=>parent.postMessage('stolen','*');\
        setInterval(()=>i.focus(),1);setTimeout(()=>location.reload(),30)</script>";
    let site = at(&stage.site.replace("127.0.0.1", "localhost"), thief);
    stage
        .show(&format!(
            "<textarea aria-label=Letter></textarea><p id=o>kept</p><iframe title=Ad src='{site}'></iframe>\
             <script>onmessage=(e)=>o.textContent=e.data</script>"
        ))
        .await;
    let eid = stage.eid("Letter").await;
    for _ in 0..6 {
        // Typing may succeed or fail, depending on the state of the frame.
        let _ = stage.act("type", json!({"eid": eid, "text": "long pass phrase ".repeat(6)})).await;
    }
    let seen = text(&*stage.observe().await);
    assert!(!seen.contains("stolen") && seen.contains("kept"), "{seen}");
    stage.finish().await;
}

// S1.14
#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn a_frame_that_slips_under_the_pointer_is_not_pressed() {
    let stage = Stage::open().await;
    let victim = at(&browser_stage::site(), VICTIM);
    let over = "position:fixed;inset:0;width:100%;height:100%;opacity:.01";
    // The frame exists from the beginning, or is inserted at the press.
    let known =
        format!("<iframe title=V src='{victim}' id=f style='position:fixed;left:0;top:500px'></iframe>");
    for (frame, slips) in [
        (known.as_str(), format!("f.style.cssText='{over}'")),
        (
            "",
            format!(
                "if(!window.f0){{f0=document.createElement('iframe');f0.title='V';f0.src='{victim}';f0.style.cssText='{over}';document.body.append(f0)}}"
            ),
        ),
    ] {
        stage
            .show(&format!(
                "<button id=n onmouseup=\"{}\">Next page</button>{frame}",
                slips.replace('"', "&quot;")
            ))
            .await;
        // The second of two presses meets it.
        let order = json!({"eid": stage.eid("Next page").await, "count": 2});
        let done = stage.act("click", order).await;
        if !frame.is_empty() {
            assert_kept_away(done, "a frame that was there");
        }
        let seen = text(&*stage.observe().await);
        assert!(!seen.contains("deleted"), "{seen}");
    }
    stage.finish().await;
}

// A frame that is itself the target receives the input, however new it is.
#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn a_frame_that_is_meant_is_pressed_at_once() {
    let stage = Stage::open().await;
    for site in [stage.site.replace("127.0.0.1", "localhost"), browser_stage::site()] {
        let field = "<input aria-label=Card oninput='p.textContent=this.value'><p id=p></p>";
        stage.show(&format!("<h1>Shop</h1><iframe title=Pay src='{}'></iframe>", at(&site, field))).await;
        let eid = stage.eid("Card").await;
        stage.act("type", json!({"eid": eid, "text": "4242 4"})).await.unwrap();
        let seen = text(&*stage.observe().await);
        assert!(seen.contains("4242 4"), "{seen}");
    }
    stage.finish().await;
}

/// Reports input to the page, keeps taking the focus, and makes itself anew when the page says so.
const REBORN_THIEF: &str = "<textarea id=i></textarea><script>i.oninput=()=>top.postMessage('stolen','*');\
    setInterval(()=>i.focus(),1);onmessage=()=>RENEW</script>";

// The second field moves for longer than a new frame is shut by itself, so that input comes when the frame would be open
// again. S1.14
#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn a_frame_that_reloads_itself_during_a_long_action_gets_none_of_its_input() {
    let stage = Stage::open().await;
    let inner = "<textarea id=i></textarea><script>i.oninput=()=>top.postMessage('stolen','*');\
        setInterval(()=>i.focus(),1)</\\script>";
    let child =
        format!("{{let f=document.createElement('iframe');f.srcdoc=`{inner}`;document.body.append(f)}}");
    for site in [stage.site.replace("127.0.0.1", "localhost"), browser_stage::site()] {
        for renewal in ["location.reload()", child.as_str()] {
            let thief = at(&site, &REBORN_THIEF.replace("RENEW", renewal));
            stage
                .show(&format!(
                    "<textarea aria-label=First oninput=\"f.contentWindow.postMessage('now','*');\
                     s.animate([{{marginLeft:0}},{{marginLeft:'300px'}}],1300)\"></textarea><br>\
                     <textarea aria-label=Second id=s></textarea><p id=o>kept</p>\
                     <iframe id=f title=Ad src='{thief}'></iframe><script>onmessage=(e)=>o.textContent=e.data</script>"
                ))
                .await;
            let (first, second) = (stage.eid("First").await, stage.eid("Second").await);
            for _ in 0..3 {
                let text = "long pass phrase ".repeat(6);
                let fields = json!([{"eid": first, "text": text}, {"eid": second, "text": text}]);
                // It succeeds, or fails because the frame had the focus.
                let _ = stage.act("fill", json!({"fields": fields})).await;
            }
            let seen = text(&*stage.observe().await);
            assert!(!seen.contains("stolen") && seen.contains("kept"), "{site} {renewal}: {seen}");
        }
    }
    stage.finish().await;
}

// S1.14
#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn a_frame_that_slips_under_a_selection_is_not_pressed() {
    let stage = Stage::open().await;
    let victim = at(&browser_stage::site(), VICTIM);
    stage
        .show(&format!(
            "<p onmousemove=\"f.style.cssText='position:fixed;inset:0;width:100%;height:100%;opacity:.01'\">\
             Some words to mark</p><iframe title=V id=f src='{victim}' style='position:fixed;left:0;top:500px'></iframe>"
        ))
        .await;
    stage.observe().await;
    let fault = stage.act("select_text", json!({"text": "words to"})).await.expect_err("nothing is selected");
    assert!(matches!(fault.code, ErrorCode::NoEffect | ErrorCode::FocusMoved), "{fault}");
    let seen = text(&*stage.observe().await);
    assert!(!seen.contains("deleted"), "{seen}");
    stage.finish().await;
}

// Frames that do not answer delay a press; the pointer finds the element again if it has moved meanwhile.
#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn an_element_that_moves_while_frames_are_shut_is_pressed() {
    let stage = Stage::open().await;
    let foreign = stage.site.replace("127.0.0.1", "localhost");
    let stuck = "<script>onload=()=>setTimeout(()=>{for(;;);},50)</script>";
    stage
        .show(&format!(
            "<h1>Shop</h1><button id=other>Other</button><p id=p></p>\
             <button id=b style='position:absolute;left:20px;top:300px' onclick='p.textContent=`bought`'>Buy</button>\
             <iframe title=Ad src='{}'></iframe><script>\
             const move=(left)=>{{b.style.left=left+`px`}};\
             other.addEventListener('mousemove',()=>move(200),{{once:true}});\
             b.addEventListener('mousemove',()=>setTimeout(()=>move(600),150),{{once:true}})</script>",
            at(&foreign, stuck)
        ))
        .await;
    let (other, eid) = (stage.eid("Other").await, stage.eid("Buy").await);
    stage.act("hover", json!({"eid": other})).await.unwrap();
    stage.act("click", json!({"eid": eid})).await.unwrap();
    let seen = text(&*stage.observe().await);
    assert!(seen.contains("bought"), "{seen}");
    stage.finish().await;
}
