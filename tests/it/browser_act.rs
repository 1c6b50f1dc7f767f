//! Every action on real pages in a real Chromium.

use crate::browser_stage::{Stage, bounded, find, text};
use askfirst::browser::error::ErrorCode;
use askfirst::browser::input::ActionOptions;
use askfirst::browser::messages::Perform;
use serde_json::json;
use std::time::{Duration, Instant};

// S1.13, S1.38
#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn observe_click_and_observe_again() {
    let stage = Stage::open().await;
    stage
        .show("<title>One</title><h1>Hello</h1><button onclick=\"out.textContent='clicked'\">Go</button><p id=out>")
        .await;
    let seen = stage.observe().await;
    assert_eq!((seen.number, seen.title.as_str(), seen.tab, seen.viewport), (1, "One", (1, 1), (1280, 720)));
    let eid = find(&seen, "Go").eid.unwrap();
    let done = stage.act("click", json!({"eid": eid})).await.unwrap();
    assert_eq!((done.title.as_str(), done.settled.word()), ("One", "still"));
    let seen = stage.observe().await;
    assert!(text(&seen).contains("clicked"), "{}", text(&seen));
    assert_eq!(find(&seen, "Go").eid, Some(eid), "an eid belongs to its node");
    stage.show("<button>Other</button>").await;
    let fault = stage.act("click", json!({"eid": eid})).await.unwrap_err();
    assert_eq!(fault.code, ErrorCode::DeadEid, "{fault}");
    assert_ne!(stage.eid("Other").await, eid, "never another element");
    stage.finish().await;
}

#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn an_address_that_does_not_answer_is_a_failed_action_with_its_cause() {
    let stage = Stage::open_with(|config| config.load_timeout = Duration::from_secs(4)).await;
    stage.show("<h1>home</h1>").await;
    let closed = closed_port();
    let fault = stage.act("navigate", json!({"url": closed})).await.unwrap_err();
    assert_eq!(fault.code, ErrorCode::NavigationFailed, "{fault}");
    assert!(fault.message.contains("nothing answers there"), "{fault}");
    let fault = stage.act("navigate", json!({"url": "file:///etc/passwd"})).await.unwrap_err();
    assert_eq!(fault.code, ErrorCode::BadUrl);
    let fault = stage.go("/never").await.unwrap_err();
    assert_eq!(fault.code, ErrorCode::Timeout, "{fault}");
    let fault = stage.go("/nothing").await.unwrap_err();
    assert_eq!(fault.code, ErrorCode::NavigationFailed, "{fault}");
    // A link that leads nowhere fails as a click, with the cause.
    stage.show(&format!("<a href='{closed}'>Dead</a>")).await;
    let fault = stage.click("Dead").await.unwrap_err();
    assert_eq!(fault.code, ErrorCode::NavigationFailed, "{fault}");
    stage.show("<h1>alive</h1>").await;
    assert!(text(&*stage.observe().await).contains("alive"));
    stage.finish().await;
}

#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn dropping_the_caller_stops_the_load() {
    let stage = Stage::open().await;
    stage.show("<h1>home</h1>").await;
    let never = crate::browser_stage::action("navigate", json!({"url": format!("{}/never", stage.site)}));
    let given_up =
        tokio::time::timeout(Duration::from_millis(200), stage.browser.send(Perform::new(never))).await;
    assert!(given_up.is_err());
    let seen = tokio::time::timeout(Duration::from_secs(1), stage.observe()).await.expect("within 1 s");
    assert!(text(&seen).contains("home"));
    stage.finish().await;
}

#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn history_and_links_navigate() {
    let stage = Stage::open().await;
    stage.show("<title>A</title><a href='/html?<title>B</title><p>second'>Next</a><a href='#part'>Part</a><p id=part>x").await;
    let done = stage.click("Part").await.unwrap();
    assert!(done.url.ends_with("#part"), "{}", done.url);
    let done = stage.click("Next").await.unwrap();
    assert_eq!((done.title.as_str(), done.settled.word()), ("B", "loaded"));
    assert_eq!(stage.act("back", json!({})).await.unwrap().title, "A");
    assert_eq!(stage.act("forward", json!({})).await.unwrap().title, "B");
    assert_eq!(stage.act("reload", json!({})).await.unwrap().title, "B");
    let fault = stage.act("forward", json!({})).await.unwrap_err();
    assert_eq!(fault.code, ErrorCode::NavigationFailed, "{fault}");
    let done = stage.act("back", json!({})).await.unwrap();
    let done = if done.url.ends_with("#part") { stage.act("back", json!({})).await.unwrap() } else { done };
    assert_eq!(done.title, "A");
    stage.finish().await;
}

const FIELDS: &str = "<title>F</title><form onsubmit=\"event.preventDefault();sent.textContent='sent '+n.value\">\
    <input id=n aria-label=Name value=old oninput=\"count.textContent=1+ +count.textContent\"></form>\
    <textarea aria-label=Long></textarea><input type=date aria-label=Day><p id=sent></p><p id=count>0</p>\
    <div contenteditable aria-label=Rich role=textbox>rich</div><input readonly aria-label=Fixed value=x>\
    <input disabled aria-label=Off><select aria-label=Land onchange=\"chosen.textContent=this.value\">\
    <option value=ua>Ukraine<option value=pl>Poland</select><p id=chosen></p>";

#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn fields_take_text_as_from_a_keyboard() {
    let stage = Stage::open().await;
    stage.show(FIELDS).await;
    let seen = stage.observe().await;
    let eid = |name: &str| find(&seen, name).eid.unwrap();
    stage.act("type", json!({"eid": eid("Name"), "text": "Олена 🦊"})).await.unwrap();
    stage.act("type", json!({"eid": eid("Name"), "text": "!", "clear": false})).await.unwrap();
    stage.act("type", json!({"eid": eid("Long"), "text": "one\ntwo"})).await.unwrap();
    stage.act("type", json!({"eid": eid("Day"), "text": "2026-05-04"})).await.unwrap();
    stage.act("type", json!({"eid": eid("Rich"), "text": "words"})).await.unwrap();
    let now = stage.observe().await;
    assert_eq!(find(&now, "Name").attributes.value.as_deref(), Some("Олена 🦊!"));
    assert_eq!(find(&now, "Day").attributes.value.as_deref(), Some("2026-05-04"));
    assert_eq!(find(&now, "Rich").attributes.value.as_deref(), Some("words"));
    assert!(find(&now, "Long").attributes.value.as_deref().unwrap().contains("two"));
    let done = stage.act("type", json!({"eid": eid("Name"), "text": "last", "submit": true})).await.unwrap();
    assert_eq!(done.title, "F");
    assert!(text(&*stage.observe().await).contains("sent last"));
    stage.act("type", json!({"eid": eid("Name"), "text": ""})).await.unwrap();
    assert_eq!(find(&*stage.observe().await, "Name").attributes.value.as_deref().unwrap_or(""), "");
    for (name, code) in [("Fixed", ErrorCode::Readonly), ("Off", ErrorCode::Disabled)] {
        let fault = stage.act("type", json!({"eid": eid(name), "text": "x"})).await.unwrap_err();
        assert_eq!(fault.code, code, "{name}: {fault}");
    }
    stage.finish().await;
}

#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn lists_are_selected_and_keys_pressed() {
    let stage = Stage::open().await;
    stage.show(FIELDS).await;
    let land = stage.eid("Land").await;
    stage.act("select", json!({"eid": land, "option": "Poland"})).await.unwrap();
    assert!(text(&*stage.observe().await).contains("pl"));
    stage.act("select", json!({"eid": land, "option": "ua"})).await.unwrap();
    assert!(text(&*stage.observe().await).contains("ua"));
    let fault = stage.act("select", json!({"eid": land, "option": "Narnia"})).await.unwrap_err();
    assert_eq!(fault.code, ErrorCode::InvalidOption);
    assert!(fault.message.contains("Ukraine, Poland"), "{fault}");
    let name = stage.eid("Name").await;
    stage.act("click", json!({"eid": name})).await.unwrap();
    stage.act("press", json!({"key": "Control+A"})).await.unwrap();
    stage.act("press", json!({"key": "x"})).await.unwrap();
    stage.act("press", json!({"key": "Shift+Y"})).await.unwrap();
    assert_eq!(find(&*stage.observe().await, "Name").attributes.value.as_deref(), Some("xY"));
    stage.act("press", json!({"key": "Backspace"})).await.unwrap();
    stage.act("press", json!({"key": "Enter"})).await.unwrap();
    assert!(text(&*stage.observe().await).contains("sent x"));
    stage.act("press", json!({"key": "Tab"})).await.unwrap();
    assert!(find(&*stage.observe().await, "Long").attributes.focused);
    let fault = stage.act("press", json!({"key": "Entre"})).await.unwrap_err();
    assert_eq!(fault.code, ErrorCode::InvalidKey);
    stage.finish().await;
}

// S1.24
#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn a_key_is_not_pressed_when_the_focus_has_moved() {
    let stage = Stage::open().await;
    let page = "<input aria-label=One onkeydown=\"o.textContent='one '+event.key\">\
        <input aria-label=Two onkeydown=\"o.textContent='two '+event.key\"><p id=o>";
    stage.show(page).await;
    let (one, two) = (stage.eid("One").await, stage.eid("Two").await);
    stage.act("click", json!({"eid": one})).await.unwrap();
    let press = |focus_eid| {
        let action = crate::browser_stage::action("press", json!({"key": "Enter"}));
        bounded(stage.browser.send(Perform {
            action,
            options: ActionOptions { focus_eid: Some(focus_eid), ..Default::default() },
        }))
    };
    press(one).await.unwrap().unwrap();
    assert!(text(&*stage.observe().await).contains("one Enter"));
    stage.act("click", json!({"eid": two})).await.unwrap();
    let fault = press(one).await.unwrap().unwrap_err();
    assert_eq!(fault.code.word(), "focus_moved", "{fault}");
    let seen = stage.observe().await;
    assert!(!text(&seen).contains("two Enter"), "{}", text(&seen));
    stage.finish().await;
}

// S1.12, S1.38
#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn picture_and_text_of_a_page_that_changes_all_the_time_are_of_one_moment() {
    let stage = Stage::open().await;
    stage
        .show(
            "<h1>0</h1><script>let n = 0; setInterval(() => { n = (n + 1) % 16; const h = document.querySelector('h1');\
             h.textContent = n; document.body.style.background = `rgb(${n * 16}, ${n * 16}, ${n * 16})`; }, 400)</script>",
        )
        .await;
    for _ in 0..20 {
        let (seen, jpeg) = stage.observe_with_picture().await;
        let heading = seen.lines.iter().find(|line| line.role == "heading").unwrap();
        let number: i32 = heading.name.parse().unwrap();
        let picture = image::load_from_memory(&jpeg).unwrap().to_rgb8();
        let shown = i32::from(picture.get_pixel(640, 600).0[0]);
        assert!(
            (shown - number * 16).abs() <= 4 || number == 0 && shown >= 251,
            "text {number}, picture {shown}"
        );
    }
    stage.finish().await;
}

// Pages that mask, count or hand on what is typed listen to each key.
#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn short_text_is_typed_key_by_key() {
    let stage = Stage::open().await;
    let page = "<input aria-label=Phone onkeydown=\"if(/^[0-9]$/.test(event.key)){event.preventDefault();\
          this.value+=(this.value.length===3?'-':'')+event.key}\">\
        <input aria-label=Counted onkeyup=\"o.textContent=+o.textContent+1\"><p id=o>0</p>\
        <p id=box></p><textarea aria-label=Long onkeyup=\"k.textContent='keys'\"></textarea><p id=k></p><script>\
        for (let i = 0; i < 4; i++) { const el = document.createElement('input'); el.maxLength = 1; el.ariaLabel = 'Digit ' + (i + 1);\
          el.oninput = () => { document.title = [...box.children].map((one) => one.value).join(''); el.nextElementSibling?.focus() };\
          box.append(el) }</script>";
    stage.show(page).await;
    let seen = stage.observe().await;
    let type_into =
        |name: &str, text: String| stage.act("type", json!({"eid": find(&seen, name).eid, "text": text}));
    type_into("Phone", String::from("0501234")).await.unwrap();
    let began = std::time::Instant::now();
    type_into("Counted", String::from("Привіт, Olena! 🦊")).await.unwrap();
    let took = began.elapsed();
    type_into("Digit 1", String::from("1234")).await.unwrap();
    type_into("Long", "long text ".repeat(20)).await.unwrap();
    let seen = stage.observe().await;
    let value = |name: &str| find(&seen, name).attributes.value.clone().unwrap_or_default();
    assert_eq!(value("Phone"), "050-1234");
    assert_eq!(value("Counted"), "Привіт, Olena! 🦊");
    assert!(text(&seen).contains("text 16\n"), "{}", text(&seen));
    // Boxes for single digits hold a code, which is not told.
    assert_eq!((seen.title.as_str(), value("Digit 1").as_str()), ("1234", "••••"));
    assert!(text(&seen).contains("text keys"), "a long text comes at once, with real keys at its end");
    assert!(took < Duration::from_secs(4), "{took:?}");
    stage.finish().await;
}

#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn chords_reach_the_page() {
    let stage = Stage::open().await;
    let page = "<input aria-label=Name value='old words'><p id=o></p><script>addEventListener('keydown',(e)=>{\
        if(e.ctrlKey&&e.shiftKey&&e.code==='KeyK'){o.textContent='palette';e.preventDefault()}\
        if(e.altKey&&e.key==='ArrowDown')o.textContent+=' opened'})</script>";
    stage.show(page).await;
    let name = stage.eid("Name").await;
    stage.act("press", json!({"key": "Control+Shift+K"})).await.unwrap();
    stage.act("press", json!({"key": "Alt+ArrowDown"})).await.unwrap();
    assert!(text(&*stage.observe().await).contains("palette opened"));
    stage.act("click", json!({"eid": name})).await.unwrap();
    stage.act("press", json!({"key": "Control+A"})).await.unwrap();
    stage.act("type", json!({"eid": name, "text": "new", "clear": false})).await.unwrap();
    assert_eq!(find(&*stage.observe().await, "Name").attributes.value.as_deref(), Some("old wordsnew"));
    stage.act("press", json!({"key": "Control+A"})).await.unwrap();
    stage.act("press", json!({"key": "Delete"})).await.unwrap();
    assert_eq!(find(&*stage.observe().await, "Name").attributes.value.as_deref().unwrap_or_default(), "");
    stage.finish().await;
}

#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn extracted_text_is_markdown() {
    let stage = Stage::open().await;
    let page = "<h1>Guide</h1><p>Read <a href='/more?x=1'>the rest</a> and run <code>make</code>.</p>\
        <ol start=3><li>Three<ul><li>inner</li></ul></li><li>Four</li></ol>\
        <table><tr><th>Name</th><th>Price | net</th></tr><tr><td>Lamp</td><td>$20</td></tr></table>\
        <pre>fn main() {\n    done();\n}</pre><blockquote><p>First</p><p>Second</p></blockquote><hr><p>End</p>";
    stage.show(&page.replace("\\n", "\n")).await;
    let read = stage.act("extract", json!({})).await.unwrap().text.unwrap();
    let wanted = "# Guide\n\nRead [the rest](/more?x=1) and run `make`.\n\n3. Three\n  - inner\n4. Four\n\n\
        | Name | Price \\| net |\n| --- | --- |\n| Lamp | $20 |\n\n```\nfn main() {\n    done();\n}\n```\n\n\
        > First\n>\n> Second\n\n---\n\nEnd";
    assert_eq!(read.replace(&stage.site, ""), wanted);
    stage.finish().await;
}

#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn clicks_of_every_kind_reach_the_element() {
    let stage = Stage::open().await;
    let page = "<button ondblclick=\"o.textContent='double'\" oncontextmenu=\"o.textContent='right';return false\" \
        onauxclick=\"if(event.button==1)o.textContent='middle'\" onmouseover=\"o.textContent='over'\">B</button><p id=o>";
    stage.show(page).await;
    let eid = stage.eid("B").await;
    let cases = [
        ("hover", json!({"eid": eid}), "over"),
        ("click", json!({"eid": eid, "count": 2}), "double"),
        ("click", json!({"eid": eid, "button": "right"}), "right"),
        ("click", json!({"eid": eid, "button": "middle"}), "middle"),
    ];
    for (name, params, shown) in cases {
        stage.act(name, params).await.unwrap();
        assert!(text(&*stage.observe().await).contains(shown), "{shown}");
    }
    stage.finish().await;
}

#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn a_page_can_be_scrolled_waited_for_and_read() {
    let stage = Stage::open().await;
    let page = "<div style='height:3000px'>top</div><button onclick=\"setTimeout(()=>o.textContent='it came',400)\">Far</button><p id=o>";
    stage.show(page).await;
    assert_eq!(stage.observe().await.scroll.0, 0);
    stage.act("scroll", json!({"direction": "down", "amount": 1})).await.unwrap();
    assert!(stage.observe().await.scroll.0 > 500);
    stage.act("scroll", json!({"direction": "bottom"})).await.unwrap();
    let seen = stage.observe().await;
    assert_eq!(seen.scroll.0, seen.scroll.1);
    stage.act("scroll", json!({"direction": "top"})).await.unwrap();
    stage.click("Far").await.unwrap();
    stage.act("wait", json!({"text": "it came", "seconds": 5})).await.unwrap();
    let fault = stage.act("wait", json!({"text": "never this", "seconds": 0.3})).await.unwrap_err();
    assert_eq!(fault.code, ErrorCode::Timeout);
    let done = stage.act("extract", json!({})).await.unwrap();
    assert!(done.text.unwrap().contains("it came"));
    stage.finish().await;
}

#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn an_answer_from_the_network_is_in_the_next_observation() {
    let stage = Stage::open().await;
    let page = "<button onclick=\"fetch('/slow/150').then(r=>r.text()).then(t=>o.textContent='answered')\">Ask</button><p id=o></p>\
        <button onclick=\"fetch('/never')\">Poll</button>";
    stage.show(page).await;
    stage.click("Ask").await.unwrap();
    assert!(text(&*stage.observe().await).contains("answered"));
    let done = bounded(stage.click("Poll")).await.unwrap();
    assert_ne!(done.settled.word(), "loaded", "a long poll is not waited for");
    stage.finish().await;
}

// An observation ends the wait on a page that never rests, and waits no longer than needed on one that rests.
#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn the_reason_that_ended_the_wait_for_a_page_is_reported() {
    let stage = Stage::open().await;
    let pressed = async |name: &str| {
        let eid = stage.eid(name).await;
        let watch = Instant::now();
        let done = stage.act("click", json!({"eid": eid})).await.unwrap();
        assert!(watch.elapsed() < Duration::from_secs(3), "{name}: left after {:?}", watch.elapsed());
        done
    };
    // Content that changes with every frame stands still while a busy machine draws none.
    let busy = format!("{}/lab/busy?lang=en", crate::browser_stage::shop());
    stage.act("navigate", json!({"url": busy})).await.unwrap();
    for _ in 0..2 {
        assert!(matches!(pressed("Press me").await.settled.word(), "busy" | "quiet"));
    }
    let seen = text(&*stage.observe().await);
    assert!(seen.contains("text Times pressed:\nstatus \ntext 2\n"), "both presses counted: {seen}");
    // Frames count, of which a busy machine draws fewer, as the wait counts them.
    let page = "<button>Nothing</button><p id=o></p>\
        <button onclick=\"let n=0;const t=()=>{o.textContent=++n;if(n<12)requestAnimationFrame(t)};t()\">Count</button>\
        <button onclick=\"setInterval(()=>o.textContent=Math.random(),5)\">Never rest</button>";
    stage.show(page).await;
    for (name, why) in [("Nothing", "still"), ("Count", "quiet"), ("Never rest", "busy")] {
        let done = pressed(name).await;
        assert_eq!(done.settled.word(), why, "{name}");
        let noted = done.notes.iter().any(|note| note.contains("the page still changes"));
        assert_eq!(noted, why == "busy", "{name}: {:?}", done.notes);
    }
    stage.finish().await;
}

#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn a_moving_target_is_hit_and_a_covered_one_is_refused() {
    let stage = Stage::open().await;
    let page = "<style>@keyframes m{to{transform:translateX(300px)}}#m{animation:m .4s linear}</style>\
        <button id=m onclick=\"o.textContent='hit'\">Runner</button><p id=o></p>\
        <div style='position:relative'><button>Under</button>\
        <div role=dialog aria-label=Cookies style='position:absolute;inset:0;background:#fff'>Accept</div></div>";
    stage.show(page).await;
    stage.click("Runner").await.unwrap();
    assert!(text(&*stage.observe().await).contains("hit"));
    // The button is free at the observation, and covered at the click.
    stage.show("<button>Later</button><div id=c role=dialog aria-label=Cookies hidden style='position:fixed;inset:0;background:#fff'>Cookies</div>\
        <script>addEventListener('mousemove',()=>c.hidden=false)</script>").await;
    let eid = stage.eid("Later").await;
    stage.act("hover", json!({"eid": eid})).await.unwrap();
    let fault = stage.act("click", json!({"eid": eid})).await.unwrap_err();
    assert_eq!(fault.code, ErrorCode::Covered, "{fault}");
    assert!(fault.message.contains("Cookies"), "{fault}");
    stage.finish().await;
}

/// An address where nothing listens.
fn closed_port() -> String {
    let listener = std::net::TcpListener::bind(("127.0.0.1", 0)).unwrap();
    format!("http://{}/", listener.local_addr().unwrap())
}

#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn a_list_of_many_can_be_emptied() {
    let stage = Stage::open().await;
    stage
        .show("<select multiple aria-label=Colours onchange=\"o.textContent='chosen '+[...this.selectedOptions].map(x=>x.value)\"><option selected>Red<option selected>Blue</select>\
            <select aria-label=Size><option>S<option>L</select><p id=o>")
        .await;
    stage.act("select", json!({"eid": stage.eid("Colours").await, "option": []})).await.unwrap();
    let seen = text(&*stage.observe().await);
    assert!(seen.contains("text chosen\n"), "{seen}");
    let fault = stage.act("select", json!({"eid": stage.eid("Size").await, "option": []})).await.unwrap_err();
    assert!(fault.code == ErrorCode::InvalidOption && fault.message.contains("one option"), "{fault}");
    stage.finish().await;
}

#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn keys_that_zoom_the_browser_are_taken_back_unless_the_page_takes_them() {
    let stage = Stage::open().await;
    stage.show("<h1>map</h1><p id=o></p>").await;
    for key in ["Control++", "Control+-"] {
        let fault = stage.act("press", json!({"key": key})).await.unwrap_err();
        assert!(
            fault.code == ErrorCode::InvalidKey && fault.message.contains("zooms the browser's view"),
            "{fault}"
        );
        stage.act("wait", json!({"seconds": 0.3})).await.unwrap();
        assert_eq!(stage.observe().await.viewport, (1280, 720), "{key}");
    }
    stage
        .show("<h1>map</h1><p id=o></p><script>onkeydown=(e)=>{if(e.ctrlKey&&e.key=='+'){e.preventDefault();o.textContent='nearer'}}</script>")
        .await;
    stage.act("press", json!({"key": "Control++"})).await.unwrap();
    assert!(text(&*stage.observe().await).contains("nearer"));
    stage.finish().await;
}

#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn a_site_with_http_authentication_is_reported_as_such() {
    let stage = Stage::open().await;
    stage.show("<a href='/log-in'>Members</a>").await;
    let eid = stage.eid("Members").await;
    let clicked = stage.act("click", json!({"eid": eid})).await.unwrap_err();
    let direct = stage.go("/log-in").await.unwrap_err();
    for fault in [clicked, direct] {
        assert_eq!(fault.code, ErrorCode::NavigationFailed, "{fault}");
        assert!(
            fault.message.contains("/log-in") && fault.message.contains("a name and a password"),
            "{fault}"
        );
    }
    stage.finish().await;
}
