//! Messages of sockets that are held until the person has answered. The proof is what the site received. S1.13, S1.24,
//! S1.25, C24.

use crate::support::model::Reply;
use crate::support::talk::Talk;
use serde_json::{Value, json};

/// Vote that the page sends.
const VOTE: &str = r#"s.send('{"type":"vote","for":3}')"#;

/// Page with a socket, which shows what comes back; its button runs this script as soon as the socket is open.
fn poll(pressed: &str) -> String {
    format!(
        "<title>Poll</title><h1>Poll</h1><p id=said>nothing</p><button id=go>Third</button><script>\
         const s = new WebSocket(`ws://${{location.host}}/socket/poll`);\
         const open = new Promise((done) => {{ s.onopen = done; }});\
         s.onmessage = (event) => {{ said.textContent = event.data; }};\
         go.onclick = () => open.then(() => {{ {pressed} }});</script>"
    )
}

fn press(name: &'static str) -> Reply {
    Reply::click("button", name)
}

/// Opens the page and presses the button; returns the question.
async fn press_in(talk: &mut Talk, html: &str, name: &'static str) -> Value {
    talk.script([talk.shows(html), press(name)]);
    talk.say("vote for the third").await;
    let question = talk.wait_for_question().await;
    assert_eq!(question["payload"]["layer"], "wire", "{question}");
    assert_eq!(question["payload"]["request"]["method"], "MESSAGE", "{question}");
    assert_eq!(talk.site.sent(), Vec::<String>::new(), "nothing leaves before the answer");
    question
}

#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn an_approved_message_leaves_once() {
    let mut talk = Talk::start(&[]).await;
    let question = press_in(&mut talk, &poll(VOTE), "Third").await;
    let payload = &question["payload"];
    assert!(payload["request"]["url"].as_str().unwrap().ends_with("/socket/poll"), "{payload}");
    assert_eq!(payload["values"], json!({"type": "vote", "for": "3"}));
    assert_eq!(payload["target"]["name"], "Third");
    talk.script([Reply::seen(|request| {
        assert!(request.page().contains("received"), "{}", request.page());
        Reply::stop("Voted.")
    })]);
    talk.answer(&question, json!({"confirmed": true})).await;
    talk.ends_as("succeeded").await;
    assert_eq!(talk.site.sent(), ["poll: {\"type\":\"vote\",\"for\":3}"]);
    let effects = talk.events("effect");
    assert_eq!(effects.len(), 1, "{effects:?}");
    assert_eq!(effects[0]["covered_by"], question["reference"]);
    talk.finish().await;
}

#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn a_declined_message_never_leaves_and_the_page_sees_nothing_of_it() {
    let mut talk = Talk::start(&[]).await;
    let page = poll(&format!("{VOTE}; said.textContent = 'counted'"));
    let question = press_in(&mut talk, &page, "Third").await;
    talk.script([Reply::seen(|request| {
        assert!(request.last_text().contains("nothing was sent"), "{}", request.last_text());
        assert!(request.page().contains("counted"), "{}", request.page());
        Reply::stop("Left alone.")
    })]);
    talk.answer(&question, json!({"confirmed": false, "comment": "Not today."})).await;
    talk.ends_as("succeeded").await;
    assert_eq!(talk.site.sent(), Vec::<String>::new());
    talk.finish().await;
}

// A page that closes its socket after sending still sends what is approved.
#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn a_socket_that_the_page_closes_waits_for_its_messages() {
    let mut talk = Talk::start(&[]).await;
    let question = press_in(&mut talk, &poll(&format!("{VOTE}; s.close()")), "Third").await;
    talk.script([Reply::stop("Voted.")]);
    talk.answer(&question, json!({"confirmed": true})).await;
    talk.ends_as("succeeded").await;
    assert_eq!(talk.site.sent(), ["poll: {\"type\":\"vote\",\"for\":3}"]);
    talk.finish().await;
}

#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn kinds_that_the_page_sent_before_any_action_pass() {
    let page = "<title>Board</title><p id=said>nothing</p><button id=go>Rows</button><script>\
        const s = new WebSocket(`ws://${location.host}/socket/board`); let n = 0;\
        const beat = () => s.send(JSON.stringify({type: 'position', at: ++n}));\
        s.onopen = beat; s.onmessage = (event) => { said.textContent = event.data; };\
        go.onclick = beat;</script>";
    let mut talk = Talk::start(&[]).await;
    talk.script([
        talk.shows(page),
        Reply::act("wait", json!({"seconds": 5, "text": "received"})),
        press("Rows"),
        Reply::act("wait", json!({"seconds": 5, "text": "\"at\":2"})),
        Reply::stop("Done."),
    ]);
    talk.say("look at the rows").await;
    talk.ends_as("succeeded").await;
    let sent = ["board: {\"type\":\"position\",\"at\":1}", "board: {\"type\":\"position\",\"at\":2}"];
    assert_eq!(talk.site.sent(), sent);
    assert_eq!(talk.events("effect"), Vec::<Value>::new());
    talk.finish().await;
}

#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn messages_of_workers_are_held() {
    for worker in [
        "const w = new Worker('/worker.js'); const tell = (text) => w.postMessage(text);",
        "const w = new SharedWorker('/worker.js'); const tell = (text) => w.port.postMessage(text);",
        "const tell = (text) => navigator.serviceWorker.register('/worker.js')\
         .then(() => navigator.serviceWorker.ready).then((there) => there.active.postMessage(text));",
    ] {
        let page = format!(
            "<title>Poll</title><button id=go>Third</button><script>{worker}\
            go.onclick = () => tell('vote 3');</script>"
        );
        let mut talk = Talk::start(&[]).await;
        // The worker may send after the press has settled.
        let waits = (0..3).map(|_| Reply::act("wait", json!({"seconds": 1})));
        talk.script([talk.shows(&page), press("Third")].into_iter().chain(waits));
        talk.script([Reply::stop("Voted.")]);
        talk.say("vote").await;
        let question = talk.ws.until("agent_question").await;
        talk.answer(&question, json!({"confirmed": true})).await;
        talk.ends_as("succeeded").await;
        assert_eq!(talk.site.sent(), ["worker: vote 3"], "{worker}");
        talk.finish().await;
    }
}

/// Means by which a page may try to get at an unwrapped socket, or to fool the wrapper. Each sends one message by a
/// socket of its own.
const TRICKS: [&str; 17] = [
    // A fresh frame, and its method on a socket of the page.
    "const f = frame(); const x = new f.WebSocket(to('frame')); x.onopen = () => x.send('leak')",
    "const f = frame(); const x = new WebSocket(to('method')); x.onopen = () => f.WebSocket.prototype.send.call(x, 'leak')",
    "const f = document.createElement('iframe'); f.srcdoc = `<script>const x = new WebSocket('${to('srcdoc')}');\
     x.onopen = () => x.send('leak')<\\/script>`; document.body.append(f)",
    "const f = document.createElement('iframe'); f.src = `javascript:x=new WebSocket('${to('address')}');\
     x.onopen=()=>x.send('leak');'<p>'`; document.body.append(f)",
    "const f = frame(); f.document.open(); f.document.write(`<script>const x = new WebSocket('${to('written')}');\
     x.onopen = () => x.send('leak')<\\/script>`); f.document.close()",
    "const w = open('about:blank'); const x = new w.WebSocket(to('window')); const send = w.WebSocket.prototype.send;\
     x.onopen = () => send.call(x, 'leak')",
    "const x = new (class extends WebSocket {})(to('subclass')); x.onopen = () => x.send('leak')",
    "new Worker(URL.createObjectURL(new Blob([`const x = new WebSocket('${to('worker')}'); x.onopen = () => x.send('leak')`])))",
    "new Worker(URL.createObjectURL(new Blob([`new Worker('${location.origin}/worker.js?nested').postMessage('leak')`])))",
    // Builtins that answer what the page wants.
    "const f = frame(); f.Map.prototype.get = f.WeakMap.prototype.get = () => undefined; f.Reflect.apply = () => {};\
     f.Function.prototype.call = f.Function.prototype.apply = () => {}; const x = new f.WebSocket(to('maps'));\
     x.onopen = () => x.send('leak')",
    "const f = frame(); f.JSON.stringify = () => '{}'; f.String.prototype.toWellFormed = () => 'ping';\
     f.TextEncoder.prototype.encode = () => new f.Uint8Array(0); const x = new f.WebSocket(to('json'));\
     x.onopen = () => x.send('leak')",
    "const f = frame(); for (const name of ['first', 'state', 'payload', 'leave', 'get', 'set', 'value', '0', 'toJSON'])\
     f.Object.defineProperty(f.Object.prototype, name, {configurable: true, get: () => 1, set() {}});\
     const x = new f.WebSocket(to('prototype')); x.onopen = () => x.send('leak')",
    "const f = frame(); f.Object.defineProperty(f.WebSocket.prototype, 'readyState', {get: () => 3});\
     const x = new f.WebSocket(to('state')); x.onopen = () => x.send('leak')",
    // Content that changes after it was sent, or that says something else when it is asked twice.
    "const x = new WebSocket(to('bytes')); x.onopen = () => { const b = new Uint8Array([108, 101, 97, 107]); x.send(b); b.fill(66); }",
    "const x = new WebSocket(to('twice')); let n = 0; x.onopen = () => x.send({toString: () => (n++ ? 'leak' : 'first')})",
    "(async () => { const x = new WebSocketStream(to('stream')); const {writable} = await x.opened;\
     new ReadableStream({start(all) { all.enqueue('leak'); }}).pipeTo(writable); })()",
    "(async () => { const f = frame(); const x = new f.WebSocketStream(to('species')); let reads = 0;\
     f.Object.defineProperty(f.Promise.prototype, 'constructor', {configurable: true,\
       get() { if (reads++ === 0) throw 1; return f.Promise; }});\
     try { x.opened; } catch {} const {writable} = await x.opened; writable.getWriter().write('leak'); })()",
];

#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn no_trick_of_a_page_gets_around_the_wrapper() {
    let tricks = TRICKS.map(|trick| format!("() => {{ {trick} }}")).join(",\n");
    let page = format!(
        "<title>Tricks</title><body><button id=go>Play</button><script>\
         const to = (name) => `ws://${{location.host}}/socket/${{name}}`;\
         const frame = () => {{ const f = document.createElement('iframe'); document.body.append(f); return f.contentWindow; }};\
         const tricks = [{tricks}];\
         go.onclick = () => {{ for (const trick of tricks.splice(0, 9)) try {{ trick(); }} catch (fault) {{ console.log(fault); }} }};</script>"
    );
    let mut talk = Talk::start(&[]).await;
    // Some tricks take a moment to open their sockets. At most ten kinds of messages wait at a time.
    let play = || {
        [press("Play"), Reply::act("wait", json!({"seconds": 2})), Reply::act("wait", json!({"seconds": 2}))]
    };
    // A trick opens a window.
    let back = Reply::act("tab", json!({"operation": "switch", "tab": 1}));
    talk.script([talk.shows(&page)].into_iter().chain(play()).chain([back]).chain(play()));
    talk.script([Reply::stop("Played.")]);
    talk.say("play").await;
    let mut asked = std::collections::BTreeSet::new();
    let is_next = |frame: &Value| frame["type"] == "run_ended" || frame["type"] == "agent_question";
    loop {
        let question = talk.ws.until_that("a question or the end", is_next).await;
        if question["type"] == "run_ended" {
            assert_eq!(question["outcome"], "succeeded", "{question}");
            break;
        }
        let url = question["payload"]["request"]["url"].as_str().unwrap().to_owned();
        asked.insert(url.rsplit('/').next().unwrap().to_owned());
        talk.answer(&question, json!({"confirmed": false, "comment": "No."})).await;
    }
    assert_eq!(asked.len(), TRICKS.len(), "{asked:?}");
    assert_eq!(talk.site.sent(), Vec::<String>::new());
    assert_eq!(talk.events("effect"), Vec::<Value>::new());
    talk.finish().await;
}

// Frames of `srcdoc` run as soon as they are inserted, and sandboxed ones may get a process of their own.
#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn messages_of_many_sandboxed_frames_are_held() {
    let page = "<title>Frames</title><button id=go>Next</button><script>go.onclick = () => {\
        const to = `ws://${location.host}/socket/sand`;\
        for (let n = 0; n < 20; n++) setTimeout(() => {\
          const f = document.createElement('iframe'); f.setAttribute('sandbox', 'allow-scripts');\
          f.srcdoc = `<script>const x = new WebSocket('${to}'); x.onopen = () => x.send('{\"order\":${n}}')<\\/script>`;\
          document.body.append(f); if (n === 19) document.title = 'All there'; }, 60 * n); };</script>";
    let mut talk = Talk::start(&[]).await;
    let waits = (0..3).map(|_| Reply::act("wait", json!({"seconds": 1})));
    talk.script([talk.shows(page), press("Next")].into_iter().chain(waits));
    talk.script([Reply::stop("Looked.")]);
    talk.say("look at the next ones").await;
    let is_next = |frame: &Value| frame["type"] == "run_ended" || frame["type"] == "agent_question";
    let mut asked = 0;
    loop {
        let question = talk.ws.until_that("a question or the end", is_next).await;
        if question["type"] == "run_ended" {
            break;
        }
        asked += 1;
        talk.answer(&question, json!({"confirmed": false, "comment": "No."})).await;
    }
    assert!(asked > 0);
    assert_eq!(talk.site.sent(), Vec::<String>::new());
    assert_eq!(talk.events("effect"), Vec::<Value>::new());
    talk.finish().await;
}

// An isolated world of another debugger has its own builtins, like whatever a page may yet find.
#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn a_message_around_the_wrapper_is_told_and_names_decide_from_then_on() {
    let page = "<title>Desk</title><button onclick=\"fetch('/send',{method:'POST',body:'a=1'}).catch(()=>0)\">Begin</button>\
        <button id=go>Rows</button><button>Delete everything</button>";
    let mut talk = Talk::start(&[]).await;
    talk.script([talk.shows(page), press("Begin")]);
    talk.say("work at the desk").await;
    let question = talk.wait_for_question().await;
    let mut desk = talk.page("/html").await;
    let tree = desk.call("Page.getFrameTree", json!({})).await;
    let world = json!({"frameId": tree["frameTree"]["frame"]["id"], "worldName": "other"});
    let world = desk.call("Page.createIsolatedWorld", world).await;
    let script = "new Promise((done) => { const s = new WebSocket(`ws://${location.host}/socket/desk`);\
        s.onopen = () => { go.addEventListener('click', () => s.send('{\"order\":1}')); done(); }; })";
    let order = json!({"expression": script, "contextId": world["executionContextId"], "awaitPromise": true});
    desk.call("Runtime.evaluate", order).await;
    talk.script([press("Rows"), press("Delete everything")]);
    talk.answer(&question, json!({"confirmed": false, "comment": "Not that."})).await;
    let second = talk.wait_for_question().await;
    assert_eq!(second["payload"]["layer"], "intent", "names decide before the press: {second}");
    assert_eq!(talk.site.sent(), ["desk: {\"order\":1}"]);
    let effects = talk.events("effect");
    assert_eq!(effects.len(), 1, "{effects:?}");
    assert_eq!((&effects[0]["method"], &effects[0]["covered_by"]), (&json!("MESSAGE"), &json!("unasked")));
    let finished = talk.events("action_finished");
    let failed = finished.iter().find(|end| end["error"]["code"] == "sent_unasked");
    assert!(failed.is_some(), "{finished:?}");
    talk.answer(&second, json!({"confirmed": false})).await;
    talk.ends_as("cancelled").await;
    talk.finish().await;
}
