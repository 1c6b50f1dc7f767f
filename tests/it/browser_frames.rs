//! Frames that no script of the page can reach into, and closed shadow roots: seen in one tree with the
//! page, and acted on as the page is. 127.0.0.1 and localhost are different sites, so their frames are
//! in processes of their own; another port is another origin of the same site, in the same process.

use crate::browser_stage::{self, Stage, bounded, find, text};
use askfirst::browser::error::ErrorCode;
use askfirst::browser::messages::{Crop, Examine};
use askfirst::browser::network::url_policy::UrlPolicy;
use askfirst::browser::process::launch::Chromium;
use askfirst::browser::takeover::input_state::HolderInput;
use askfirst::browser::takeover::page_holder::{GiveToPerson, ReturnToRun};
use askfirst::ids::SessionId;
use askfirst::page::observation::Observation;
use askfirst::protocol::client::PersonInput;
use serde_json::json;
use std::time::{Duration, Instant};

const FIELDS: &str = "<title>Inner</title><h2>Pay here</h2><p>Amount due: 40</p>\
    <input aria-label=Name><select aria-label=Land onchange=\"o.textContent='land '+this.value\"><option value=ua>Ukraine<option value=pl>Poland</select>\
    <button onclick=\"o.textContent='paid by '+document.querySelector('input').value\">Pay</button><p id=o></p>";

/// An address at which the site shows this.
fn at(site: &str, html: &str) -> String {
    format!("{site}/html?{}", url::form_urlencoded::byte_serialize(html.as_bytes()).collect::<String>())
}

/// The same server under a name of another site.
fn other(site: &str) -> String {
    site.replace("127.0.0.1", "localhost")
}

fn frame(title: &str, src: &str) -> String {
    format!("<iframe title='{title}' width=500 height=260 src='{src}'></iframe>")
}

fn depth(seen: &Observation, name: &str) -> u32 {
    let line = seen.lines.iter().find(|line| line.name == name);
    line.unwrap_or_else(|| panic!("no line {name:?} in {}", text(seen))).depth
}

async fn fill_in(stage: &Stage) {
    let seen = stage.observe().await;
    let eid = |name: &str| find(&seen, name).eid.unwrap();
    stage.act("type", json!({"eid": eid("Name"), "text": "Olena"})).await.unwrap();
    stage.act("click", json!({"eid": eid("Pay")})).await.unwrap();
    let now = stage.observe().await;
    assert!(text(&now).contains("text paid by Olena"), "{}", text(&now));
    assert_eq!(find(&now, "Name").attributes.value.as_deref(), Some("Olena"));
    assert_eq!(find(&now, "Pay").eid, Some(eid("Pay")), "an eid belongs to its node");
    stage.act("select", json!({"eid": eid("Land"), "option": "Poland"})).await.unwrap();
    assert!(text(&*stage.observe().await).contains("text land pl"));
}

#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn a_frame_of_another_site_is_seen_and_acted_on_in_one_tree() {
    let stage = Stage::open().await;
    let inner = frame("Payment", &at(&other(&stage.site), FIELDS));
    stage.show(&format!("<h1>Shop</h1><button>Back</button>{inner}<button>Help</button>")).await;
    let seen = stage.observe().await;
    let lines = text(&seen);
    let offset_of = |name: &str| lines.find(name).unwrap_or_else(|| panic!("no {name} in {lines}"));
    assert!(
        offset_of("iframe Payment") < offset_of("button Pay\n")
            && offset_of("button Pay\n") < offset_of("button Help"),
        "{lines}"
    );
    assert_eq!(depth(&seen, "Pay"), depth(&seen, "Payment") + 1);
    assert!(lines.contains("heading Pay here") && lines.contains("Amount due: 40"), "{lines}");
    fill_in(&stage).await;
    stage.finish().await;
}

#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn frames_of_the_same_process_and_of_no_origin_are_seen_and_acted_on() {
    let stage = Stage::open().await;
    let port = browser_stage::site();
    stage.show(&frame("Port", &at(&port, FIELDS))).await;
    fill_in(&stage).await;
    let text = FIELDS.replace('\'', "&#39;");
    stage
        .show(&format!(
            "<iframe title=Sand width=500 height=260 sandbox='allow-scripts' srcdoc='{text}'></iframe>"
        ))
        .await;
    fill_in(&stage).await;
    stage.finish().await;
}

#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn elements_with_listeners_are_found_in_frames_of_every_kind() {
    let stage = Stage::open().await;
    let inner = |name: &str| {
        format!(
            "<div id=d>Only {name} listens</div><p>Plain words</p><p id=o></p>\
            <script>d.addEventListener('click',()=>o.textContent='heard by {name}')</script>"
        )
    };
    let sites =
        [("same", stage.site.clone()), ("port", browser_stage::site()), ("other", other(&stage.site))];
    let mut frames: String = sites.iter().map(|(name, site)| frame(name, &at(site, &inner(name)))).collect();
    let sand = inner("sand").replace('\'', "&#39;");
    frames.push_str(&format!(
        "<iframe title=sand width=500 height=260 sandbox=allow-scripts srcdoc='{sand}'></iframe>"
    ));
    stage.show(&frames.replace("height=260", "height=150")).await;
    for name in ["same", "port", "other", "sand"] {
        let seen = stage.observe().await;
        let lines = text(&seen);
        let found = seen.lines.iter().find(|line| line.name == format!("Only {name} listens"));
        let eid = found.and_then(|line| line.eid).unwrap_or_else(|| panic!("{name}: {lines}"));
        assert!(seen.lines.iter().all(|line| line.name != "Plain words" || line.eid.is_none()));
        stage.act("click", json!({"eid": eid})).await.unwrap();
        let lines = text(&*stage.observe().await);
        assert!(lines.contains(&format!("heard by {name}")), "{lines}");
    }
    stage.finish().await;
}

#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn frames_within_frames_are_seen_and_acted_on() {
    let stage = Stage::open().await;
    // Frames of two sites, nested: the other site, a frame of the same origin in it, and in that one the page's own
    // site.
    let deep = frame("Deep", &at(&stage.site, FIELDS));
    let same = frame("Same", &at(&other(&stage.site), &format!("<p>same</p>{deep}")));
    let outer = frame("Outer", &at(&other(&stage.site), &format!("<p>outer</p>{same}")));
    stage.show(&outer.replace("height=260", "height=600").replace("width=500", "width=900")).await;
    let seen = stage.observe().await;
    assert_eq!(depth(&seen, "Pay"), depth(&seen, "Outer") + 3, "{}", text(&seen));
    fill_in(&stage).await;
    let target = stage.target("Pay").await;
    assert_eq!(target.frame, "Outer / Same / Deep");
    stage.finish().await;
}

#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn elements_of_a_frame_that_navigated_are_gone() {
    let stage = Stage::open().await;
    let here = other(&stage.site);
    let next =
        at(&here, "<button>Pay</button><button onclick=\"this.textContent='Clicked'\">Another</button>");
    let inner = format!("<button>Pay</button><a href='{next}'>Next step</a>");
    let away = at(&stage.site, "<button>Pay</button>");
    stage
        .show(&format!(
            "<button onclick=\"document.querySelector('iframe').src='{away}'\">Elsewhere</button>{}",
            frame("Payment", &at(&here, &inner))
        ))
        .await;
    let before = stage.observe().await;
    let old = find(&before, "Pay").eid.unwrap();
    stage.act("click", json!({"eid": find(&before, "Next step").eid})).await.unwrap();
    let fault = stage.act("click", json!({"eid": old})).await.unwrap_err();
    assert_eq!(fault.code, ErrorCode::DeadEid, "{fault}");
    let seen = stage.observe().await;
    let new = find(&seen, "Pay").eid.unwrap();
    assert!(before.line(new).is_none() && seen.line(old).is_none(), "never another element");
    stage.act("click", json!({"eid": find(&seen, "Another").eid})).await.unwrap();
    assert!(text(&*stage.observe().await).contains("Clicked"));
    // Into another process.
    stage.click("Elsewhere").await.unwrap();
    for eid in [old, new] {
        let fault = bounded(stage.browser.send(Examine { eid })).await.unwrap().unwrap_err();
        assert_eq!(fault.code, ErrorCode::DeadEid, "{fault}");
    }
    let last = stage.eid("Pay").await;
    assert!(last != old && last != new);
    stage.act("click", json!({"eid": last})).await.unwrap();
    // A new page removes them as well.
    stage.show("<h1>Gone</h1>").await;
    let fault = stage.act("click", json!({"eid": last})).await.unwrap_err();
    assert_eq!(fault.code, ErrorCode::DeadEid, "{fault}");
    stage.finish().await;
}

#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn elements_of_a_half_visible_frame_are_marked_and_scrolled_to() {
    let stage = Stage::open().await;
    let inner = "<style>button{display:block;margin:0 0 300px}</style><button>First</button><button>Second</button>\
        <button onclick=\"o.textContent='third pressed'\">Third</button><p id=o></p>";
    let src = at(&other(&stage.site), inner);
    let tall = format!("<iframe title=Tall width=400 height=1200 src='{src}'></iframe>");
    stage.show(&format!("<div style='height:500px'>Top</div>{tall}<div style='height:900px'></div>")).await;
    let seen = stage.observe().await;
    assert!(
        !find(&seen, "First").attributes.below && find(&seen, "Second").attributes.below,
        "{}",
        text(&seen)
    );
    stage.act("click", json!({"eid": find(&seen, "Third").eid})).await.unwrap();
    let seen = stage.observe().await;
    assert!(text(&seen).contains("third pressed"), "{}", text(&seen));
    assert!(find(&seen, "First").attributes.above && seen.scroll.0 > 0);
    // A frame that scrolls by itself, in a box that scrolls.
    let small = format!("<iframe title=Small width=400 height=150 src='{src}'></iframe>");
    stage
        .show(&format!("<div style='height:200px;overflow:auto'><p style='height:700px'>x</p>{small}</div>"))
        .await;
    let seen = stage.observe().await;
    assert!(find(&seen, "First").attributes.below, "{}", text(&seen));
    stage.act("click", json!({"eid": find(&seen, "Third").eid})).await.unwrap();
    let seen = stage.observe().await;
    assert!(text(&seen).contains("third pressed"), "{}", text(&seen));
    let small = find(&seen, "Small");
    assert!(small.attributes.scroll.as_deref().is_some_and(|scroll| !scroll.starts_with("0/")));
    stage.act("scroll", json!({"eid": small.eid, "direction": "top"})).await.unwrap();
    assert!(find(&*stage.observe().await, "Small").attributes.scroll.as_deref().unwrap().starts_with("0/"));
    stage.finish().await;
}

#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn an_element_over_a_frame_covers_the_elements_in_it() {
    let stage = Stage::open().await;
    let inner = frame("Payment", &at(&other(&stage.site), FIELDS));
    let over = "<div role=dialog aria-label=Cookies id=d style='display:none;position:fixed;inset:0;background:#fff'><button onclick='d.remove()'>Agree</button></div>";
    stage.show(&format!("{inner}{over}<button onclick=\"d.style.display='block'\">Cover</button>")).await;
    let seen = stage.observe().await;
    let pay = find(&seen, "Pay").eid.unwrap();
    stage.act("click", json!({"eid": find(&seen, "Cover").eid})).await.unwrap();
    let fault = stage.act("click", json!({"eid": pay})).await.unwrap_err();
    assert_eq!(fault.code, ErrorCode::Covered, "{fault}");
    assert!(fault.message.contains("covered by dialog 'Cookies' [eid "), "{fault}");
    let seen = stage.observe().await;
    // A dialog over the whole page is modal in effect.
    assert!(text(&seen).contains("what is behind it is left out"), "{}", text(&seen));
    stage.act("click", json!({"eid": find(&seen, "Agree").eid})).await.unwrap();
    let seen = stage.observe().await;
    assert_eq!(find(&seen, "Pay").eid, Some(pay));
    stage.act("click", json!({"eid": pay})).await.unwrap();
    assert!(text(&*stage.observe().await).contains("paid by"));
    stage.finish().await;
}

#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn requests_after_a_click_in_a_frame_are_awaited() {
    let stage = Stage::open().await;
    let inner = "<button onclick=\"fetch('/slow/300').then(r=>r.text()).then(()=>o.textContent='answer came')\">Ask</button>\
        <button onclick=\"o.textContent='said '+confirm('really?')\">Confirm</button>\
        <button onclick=\"window.open('/html?<title>Fresh</title>')\">Open</button><p id=o></p>\
        <script>setTimeout(()=>document.body.append('late words'),700)</script>";
    stage.show(&frame("Inner", &at(&other(&stage.site), inner))).await;
    stage.act("wait", json!({"seconds": 5, "text": "late words"})).await.unwrap();
    let done = stage.click("Ask").await.unwrap();
    assert_ne!(done.settled.word(), "busy");
    let seen = stage.observe().await;
    assert!(text(&seen).contains("answer came"), "{}", text(&seen));
    let done = stage.click("Confirm").await.unwrap();
    assert!(done.notes.iter().any(|note| note.contains("really?")), "{:?}", done.notes);
    stage.act("dialog", json!({"accept": true})).await.unwrap();
    assert!(text(&*stage.observe().await).contains("said true"));
    let done = stage.act("extract", json!({})).await.unwrap();
    assert!(
        done.text.as_deref().is_some_and(|text| text.contains("said ") && text.contains("late words")),
        "{done:?}"
    );
    let done = stage.click("Open").await.unwrap();
    assert_eq!(done.title, "Fresh", "{:?}", done.notes);
    stage.finish().await;
}

#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn a_frame_that_does_not_answer_costs_a_note() {
    let stage = Stage::open().await;
    let stuck = "<button onclick='for(;;);'>Hang</button><script>onmessage=()=>{for(;;);}</script>";
    let inner = frame("Stuck", &at(&other(&stage.site), stuck));
    stage
        .show(&format!(
            "<button onclick=\"this.textContent='Pressed'\">Press</button>\
             <button onclick=\"frames[0].postMessage('hang','*')\">Hang it</button>{inner}"
        ))
        .await;
    let seen = stage.observe().await;
    // A click that its script never comes back from fails, and the script is stopped.
    let fault = stage.act("click", json!({"eid": find(&seen, "Hang").eid})).await.unwrap_err();
    assert_eq!(fault.code, ErrorCode::Unresponsive, "{fault}");
    assert!(text(&*stage.observe().await).contains("button Hang\n"));
    stage.act("click", json!({"eid": find(&seen, "Hang it").eid})).await.unwrap();
    let began = Instant::now();
    let seen = stage.observe().await;
    assert!(began.elapsed() < Duration::from_secs(5), "{:?}", began.elapsed());
    assert!(text(&seen).contains("note the frame does not answer"), "{}", text(&seen));
    stage.act("click", json!({"eid": find(&seen, "Press").eid})).await.unwrap();
    assert!(text(&*stage.observe().await).contains("Pressed"));
    stage.finish().await;
}

// Theirs pause requests page by page, and so frame by frame.
#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn frames_in_a_remote_chromium_do_not_reach_a_blocked_address() {
    let folder = tempfile::tempdir().unwrap();
    let theirs = Chromium::launch(&browser_stage::config(folder.path()), None, None).await.unwrap();
    let shut = browser_stage::site();
    let closed = shut.clone();
    let stage = Stage::open_with(|config| {
        config.cdp_url = Some(theirs.ws_url.clone());
        config.url_policy = UrlPolicy::new(move |url| url.starts_with(&closed).then_some("it lies within"));
    });
    let stage = stage.await;
    let inner = format!(
        "<p id=o></p><script>fetch('{shut}/html?x',{{mode:'no-cors'}})\
         .then(()=>o.textContent='reached',()=>o.textContent='refused')</script>"
    );
    stage.show(&frame("Inner", &at(&other(&stage.site), &inner))).await;
    stage.act("wait", json!({"seconds": 10, "text": "refused"})).await.unwrap();
    stage.finish().await;
    theirs.end().await;
}

#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn frames_without_end_are_bounded() {
    let stage = Stage::open().await;
    let inner = at(&other(&stage.site), "<button>In</button>");
    let frames = format!("<iframe src='{inner}'></iframe>").repeat(30);
    stage.show(&format!("<style>iframe{{width:60px;height:40px}}</style>{frames}")).await;
    // On a busy machine not all answer in time at first; each look says so, and waits for none for long.
    bounded(async {
        loop {
            let lines = text(&*stage.observe().await);
            assert_eq!(lines.matches("too many frames").count(), 6, "{lines}");
            let (seen, late) = (lines.matches("button In").count(), lines.matches("note the frame ").count());
            assert_eq!(seen + late, 24, "{lines}");
            if late == 0 {
                break;
            }
        }
    })
    .await;
    stage.finish().await;
}

#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn fields_that_a_person_filled_in_a_frame_are_reported_by_name() {
    let stage = Stage::open().await;
    stage.show(&frame("Payment", &at(&other(&stage.site), FIELDS))).await;
    stage.click("Name").await.unwrap();
    let holder = SessionId::fresh();
    bounded(stage.browser.send(GiveToPerson { holder: holder.clone() })).await.unwrap().unwrap();
    let hands = PersonInput::Text { text: String::from("Olena") };
    bounded(stage.browser.send(HolderInput { holder: holder.clone(), input: hands })).await.unwrap().unwrap();
    let changes = bounded(stage.browser.send(ReturnToRun { holder: Some(holder) })).await.unwrap().unwrap();
    assert_eq!(changes.fields, ["Name"]);
    stage.finish().await;
}

// S1.24: what the gate judges by and a person approves is the frame's own.
#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn the_target_of_an_element_in_a_frame_names_the_frame() {
    let stage = Stage::open().await;
    let form = "<form method=post action=/pay><input name=sum value=40><button>Pay now</button></form>";
    let src = at(&other(&stage.site), form);
    stage.show(&format!("<div style='height:300px'></div>{}", frame("Payment", &src))).await;
    let target = stage.target("Pay now").await;
    assert_eq!((target.frame.as_str(), target.page.as_str()), ("Payment", src.as_str()));
    assert!(target.top.starts_with(&stage.site), "{}", target.top);
    assert_eq!(target.destination, Some(format!("{}/pay", other(&stage.site))));
    assert!(target.submits && target.bounds[1] > 300.0, "{target:?}");
    let crop =
        bounded(stage.browser.send(Crop { eid: Some(target.eid), bounds: None })).await.unwrap().unwrap();
    let picture = image::load_from_memory(&crop.jpeg).unwrap().to_rgb8();
    // The outline is around the button, and so somewhere in the picture.
    let outlined =
        picture.pixels().filter(|pixel| pixel[0] > 230 && pixel[1] < 110 && pixel[2] > 70 && pixel[2] < 160);
    assert!(outlined.count() > 200);
    stage.finish().await;
}

#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn closed_shadow_roots_are_seen_and_acted_on() {
    let stage = Stage::open().await;
    let page = "<div id=host></div><x-card>Light words</x-card>\
        <section><template shadowrootmode=closed><button onclick=\"this.textContent='Declared pressed'\">Declared</button></template></section>\
        <input aria-label=Plain><script>\
        host.attachShadow({mode:'closed'}).innerHTML='<input aria-label=Name><button>Buy</button><p></p>';\
        customElements.define('x-card', class extends HTMLElement { constructor() { super();\
          const root = this.attachShadow({mode:'closed'}); root.innerHTML='<slot></slot><button>Add</button><div></div>';\
          const [button, inner] = [root.querySelector('button'), root.querySelector('div').attachShadow({mode:'closed'})];\
          button.onclick = () => { inner.innerHTML = '<b>added</b>' } } })</script>";
    stage.show(page).await;
    let seen = stage.observe().await;
    let eid = |name: &str| find(&seen, name).eid.unwrap();
    assert!(text(&seen).contains("Light words"), "{}", text(&seen));
    stage.act("type", json!({"eid": eid("Name"), "text": "lamp"})).await.unwrap();
    stage.act("click", json!({"eid": eid("Add")})).await.unwrap();
    stage.act("click", json!({"eid": eid("Declared")})).await.unwrap();
    let now = stage.observe().await;
    assert_eq!(find(&now, "Name").attributes.value.as_deref(), Some("lamp"));
    assert_eq!(find(&now, "Buy").eid, Some(eid("Buy")));
    let shown = text(&now);
    assert!(shown.contains("added") && shown.contains("button Declared pressed"), "{shown}");
    assert_eq!(shown.matches("Plain").count(), 1, "the roots of Chromium's own controls stay out: {shown}");
    stage.finish().await;
}

/// A custom element whose definition has not come yet, or never does.
#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn a_closed_root_of_an_element_that_is_not_defined_is_seen() {
    let stage = Stage::open().await;
    stage.show("<late-widget></late-widget><script>\
        document.querySelector('late-widget').attachShadow({mode:'closed'}).innerHTML = '<p>A widget</p><button onclick=\"this.textContent=\\'Bought\\'\">Buy</button>'\
        </script>").await;
    stage.click("Buy").await.unwrap();
    assert!(text(&*stage.observe().await).contains("button Bought"));
    stage.finish().await;
}
