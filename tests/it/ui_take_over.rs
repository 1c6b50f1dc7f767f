//! A person's hands on the live page, through the real page in a real Chromium: real mouse, keys, input
//! method, clipboard and finger there, and what came of it in the page that the agent drives.

use crate::browser_stage::{bounded, site};
use crate::support::app::{Http, TestApp, spawn};
use crate::support::devtools::Page;
use crate::support::model::{Reply, ScriptedModel};
use crate::support::model_checks::Rules;
use crate::support::talk::slot;
use crate::support::ui::Ui;
use crate::support::ws::Ws;
use serde_json::{Value, json};
use std::path::Path;

/// Password known only to the person.
const PASSWORD: &str = "kvitka-9-na-kameni";

const CANVAS: &str = "document.querySelector('af-live canvas')";

/// A person at the service's own page, and what the agent's page is in truth.
struct Person {
    app: TestApp,
    ui: Ui,
    /// The person's window.
    window: Page,
    /// The page that the agent drives.
    page: Page,
    run: String,
    viewer: Ws,
}

impl Person {
    /// Gives the task, and waits until the agent asks for the person's hands at `url_part`.
    async fn start_and_wait(app: TestApp, url_part: &str) -> Self {
        let ui = Ui::open(&app.base).await;
        ui.types("Task or message", "Show me what there is").await;
        ui.click("button", "Send").await;
        let run = ui.run().await;
        let (mut viewer, _) = Ws::hello(&app.base, json!({"run_id": run, "after_seq": 0})).await;
        let question = viewer.until("agent_question").await;
        assert_eq!(question["kind"], "manual");
        let (window, page) = (ui.page().await, Page::find(&app.data(), url_part).await);
        Self { app, ui, window, page, run, viewer }
    }

    /// Position of the picture in the person's window.
    async fn picture(&mut self) -> [f64; 4] {
        let script = format!(
            "(() => {{ const b = {CANVAS}.getBoundingClientRect(); return [b.left, b.top, b.width, b.height]; }})()"
        );
        let bounds = self.window.run(&script).await;
        serde_json::from_value(bounds).unwrap()
    }

    /// The place in the person's window of a part of the picture.
    async fn at(&mut self, (x, y): (f64, f64)) -> (f64, f64) {
        let [left, top, width, height] = self.picture().await;
        (left + x * width, top + y * height)
    }

    /// The same for the middle of an element of the agent's page.
    async fn over(&mut self, selector: &str) -> (f64, f64) {
        let script = format!(
            "(() => {{ const b = document.querySelector({selector:?}).getBoundingClientRect(); \
             return [(b.left + b.width / 2) / innerWidth, (b.top + b.height / 2) / innerHeight]; }})()"
        );
        let part: (f64, f64) = serde_json::from_value(self.page.run(&script).await).unwrap();
        self.at(part).await
    }

    async fn mouse(&mut self, kind: &str, (x, y): (f64, f64), more: Value) {
        let mut order = json!({"type": kind, "x": x, "y": y});
        order.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        self.window.call("Input.dispatchMouseEvent", order).await;
    }

    async fn press(&mut self, at: (f64, f64), button: &str, count: u32, modifiers: u32) {
        let more = json!({"button": button, "clickCount": count, "modifiers": modifiers});
        self.mouse("mouseMoved", at, json!({})).await;
        self.mouse("mousePressed", at, more.clone()).await;
        self.mouse("mouseReleased", at, more).await;
    }

    async fn click(&mut self, selector: &str) {
        let at = self.over(selector).await;
        self.press(at, "left", 1, 0).await;
    }

    /// Letter by letter, as a keyboard does.
    async fn types(&mut self, text: &str) {
        for letter in text.chars() {
            let letter = letter.to_string();
            self.window
                .call("Input.dispatchKeyEvent", json!({"type": "keyDown", "key": letter, "text": letter}))
                .await;
            self.window.call("Input.dispatchKeyEvent", json!({"type": "keyUp", "key": letter})).await;
        }
    }

    async fn key(&mut self, key: &str, code: u32, modifiers: u32) {
        for kind in ["rawKeyDown", "keyUp"] {
            let order = json!({"type": kind, "key": key, "code": key, "windowsVirtualKeyCode": code, "modifiers": modifiers});
            self.window.call("Input.dispatchKeyEvent", order).await;
        }
    }

    async fn take_over(&mut self) -> Value {
        self.ui.click("button", "Take over").await;
        let lease = self.viewer.until("lease").await;
        self.window.until("document.querySelector('af-live').hasAttribute('data-mine')").await;
        lease["data"]["holder"].clone()
    }

    async fn hand_back(&mut self) -> Value {
        self.ui.click("button", "Hand back").await;
        self.viewer.until("question_resolved").await
    }

    async fn ends(&mut self) -> Value {
        self.viewer.until_that("the end", |frame| frame["type"] == "run_ended").await
    }

    /// Entry of the one open page in the service's list of browsers.
    async fn listed(&self) -> Value {
        let listed = Http::new().get(&format!("{}/api/browsers", self.app.base)).await;
        listed["items"][0]["contexts"][0].clone()
    }
}

/// Every file under a folder whose bytes hold this text.
fn files_with(folder: &Path, text: &str) -> Vec<std::path::PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap().flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.extend(files_with(&path, text));
        } else if std::fs::read(&path)
            .is_ok_and(|bytes| bytes.windows(text.len()).any(|part| part == text.as_bytes()))
        {
            found.push(path);
        }
    }
    found
}

async fn with_model(model: &ScriptedModel, more: &[(&str, &str)]) -> TestApp {
    let mut settings =
        vec![("ASKFIRST_MODEL__BASE_URL", model.base_url.as_str()), ("ASKFIRST_MODEL__PLANNER", "scripted")];
    settings.extend(more);
    spawn(&settings).await
}

#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn a_person_logs_in_by_hand_and_the_agent_goes_on() {
    let _slot = slot().await;
    let model = ScriptedModel::with_rules(Rules::default(), Vec::new());
    let app = with_model(&model, &[]).await;
    model.push(Reply::act("navigate", json!({"url": format!("{}/demo/login?lang=en", app.base)})));
    model.push(Reply::act("need_user", json!({"text": "Please sign in to the shop"})));
    model.push(Reply::act("navigate", json!({"url": format!("{}/demo/account", app.base)})));
    model.push(Reply::seen(|request| {
        assert!(request.page().contains("Iryna"), "not signed in: {}", request.page());
        Reply::stop("Signed in as Iryna.")
    }));
    let mut person = Person::start_and_wait(app, "/demo/login").await;
    // The person has an account, with a password that stands on no page.
    let make = format!(
        "fetch('/demo/register', {{method: 'POST', body: new URLSearchParams({{name: 'Iryna', email: 'i@x.test', login: 'iryna', password: {PASSWORD:?}}})}})\
         .then(() => fetch('/demo/logout', {{method: 'POST'}})).then((answer) => answer.ok)"
    );
    assert_eq!(person.page.run(&make).await, true);

    person.window.until("document.querySelector('af-live').dataset.mode === 'live'").await;
    let before = person.picture().await;
    let holder = person.take_over().await;
    let asked_before = model.requests().len();
    // The picture stays in place, so that a person presses what they aim at.
    assert_eq!(person.picture().await, before, "taking over moves the picture");
    let seen = person.listed().await;
    assert_eq!(
        (&seen["state"], &seen["holder"], &seen["agent"]),
        (&json!("held"), &holder, &json!("browser"))
    );

    person.click("input[name=login]").await;
    person.types("iryna").await;
    person.click("input[name=password]").await;
    person.types(PASSWORD).await;
    person
        .page
        .until(&format!("document.querySelector('input[name=password]').value === {PASSWORD:?}"))
        .await;
    assert_eq!(person.page.run("document.querySelector('input[name=login]').value").await, "iryna");
    person.click("form[action='/demo/login'] button").await;
    let signed_in =
        async { while !person.listed().await["url"].as_str().is_some_and(|url| url.ends_with("/demo/")) {} };
    tokio::time::timeout(crate::support::app::PATIENCE, signed_in).await.expect("the form is sent");

    let asked_meanwhile = model.requests().len() - asked_before;
    let resolved = person.hand_back().await;
    let report = resolved["answer"]["message"].as_str().unwrap();
    assert_eq!(resolved["answer"]["done"], true);
    assert!(report.contains("no longer asks for a password") && report.contains("/demo/login"), "{report}");
    let ended = person.ends().await;
    assert_eq!(
        (&ended["outcome"], &ended["final_response"]),
        (&json!("succeeded"), &json!("Signed in as Iryna."))
    );

    // While they had it, nothing was looked at, kept or sent.
    let events = std::mem::take(&mut person.viewer.events);
    let leases = events.iter().enumerate().filter(|(_, event)| event["event"] == "lease").map(|(at, _)| at);
    let [taken, given] = leases.collect::<Vec<_>>()[..] else { panic!("{events:?}") };
    let observations = events[taken..given].iter().filter(|event| event["event"] == "observation").count();
    assert_eq!((observations, asked_before, asked_meanwhile), (0, 2, 0));
    // The password is nowhere in what was stored, shown or sent.
    assert!(!json!(events).to_string().contains(PASSWORD));
    for request in model.requests() {
        assert!(!request.body.to_string().contains(PASSWORD));
    }
    for part in ["", "/state", "/trace", "/events"] {
        let reply = Http::new().get(&format!("{}/api/runs/{}{part}", person.app.base, person.run)).await;
        assert!(!reply.to_string().contains(PASSWORD), "{part}");
    }
    let Person { app, ui, viewer, page, window, .. } = person;
    drop((viewer, page, window));
    ui.finish().await;
    // Written, and searched before the folder is removed.
    let files =
        app.finish_with(|data| (files_with(data, PASSWORD), files_with(data, "Signed in as Iryna."))).await;
    assert_eq!(files.0, Vec::<std::path::PathBuf>::new());
    assert!(!files.1.is_empty(), "what was said is found, so the search works");
    model.finish();
}

/// Tells what befalls it, in `told`.
const PROBE: &str = "<title>Probe</title><style>html,body{margin:0;height:3000px}textarea{position:absolute;left:100px;top:100px;width:400px;height:120px}</style>\
<textarea></textarea><script>told=[];\
for (const kind of ['mousedown','mouseup','click','dblclick','contextmenu']) addEventListener(kind, (e) => told.push([kind, Math.round(e.clientX), Math.round(e.clientY), e.button, e.detail, e.shiftKey]));\
addEventListener('mousemove', (e) => { dragged = e.buttons; });\
addEventListener('keydown', (e) => told.push(['key', e.key, e.ctrlKey]));</script>";

fn near(event: &Value, kind: &str, (x, y): (f64, f64)) -> bool {
    let close =
        |value: &Value, wanted: f64| value.as_f64().is_some_and(|value| (value - wanted).abs() <= 2.0);
    event[0] == kind && close(&event[1], x) && close(&event[2], y)
}

#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn input_by_hand_reaches_the_page_exactly_at_any_size() {
    let _slot = slot().await;
    let site = site();
    let model = ScriptedModel::with_rules(Rules::default(), Vec::new());
    let hosts = json!([site.trim_start_matches("http://")]).to_string();
    let app = with_model(&model, &[("ASKFIRST_GATE__PRIVATE_HOSTS", &hosts)]).await;
    let probe: String = url::form_urlencoded::byte_serialize(PROBE.as_bytes()).collect();
    model.push(Reply::act("navigate", json!({"url": format!("{site}/html?{probe}")})));
    model.push(Reply::act("need_user", json!({"text": "Please have a look"})));
    let mut person = Person::start_and_wait(app, "/html").await;
    person.take_over().await;
    person.window.until("document.querySelector('af-live').dataset.mode === 'live'").await;

    for phone in [false, true] {
        if phone {
            let small = json!({"width": 390, "height": 844, "deviceScaleFactor": 2, "mobile": true});
            person.window.call("Emulation.setDeviceMetricsOverride", small).await;
            person
                .window
                .until(&format!("innerWidth === 390 && {CANVAS}.getBoundingClientRect().width > 100"))
                .await;
        }
        person.page.run("told = []; scrollTo(0, 0)").await;
        // The right place, button and count, with what is held on the keyboard.
        let at = person.at((0.75, 0.5)).await;
        // On a busy machine the second one may come too late to make it a double click.
        bounded(async {
            while person.page.run("told.some((one) => one[0] === 'dblclick')").await == false {
                person.press(at, "left", 1, 0).await;
                person.press(at, "left", 2, 0).await;
            }
        })
        .await;
        person.press(at, "right", 1, 8).await;
        person.page.until("told.some((one) => one[0] === 'contextmenu')").await;
        let events = person.page.run("told").await;
        let events = events.as_array().unwrap();
        assert!(near(&events[0], "mousedown", (960.0, 360.0)), "{events:?}");
        let shifted = events.iter().find(|one| one[0] == "contextmenu").unwrap();
        assert!(near(shifted, "contextmenu", (960.0, 360.0)) && shifted[5] == true, "{events:?}");
        // A drag is a drag.
        person.mouse("mousePressed", at, json!({"button": "left", "clickCount": 1})).await;
        let to = person.at((0.5, 0.75)).await;
        person.mouse("mouseMoved", to, json!({"button": "left", "buttons": 1})).await;
        person.page.until("globalThis.dragged === 1").await;
        person.mouse("mouseReleased", to, json!({"button": "left", "clickCount": 1})).await;
        person.page.until("told.at(-1)[0] === 'click' || told.at(-1)[0] === 'mouseup'").await;
        person.mouse("mouseWheel", to, json!({"deltaX": 0, "deltaY": 300})).await;
        person.page.until("scrollY > 100").await;
        person.page.run("scrollTo(0, 0)").await;
        // Letters, keys and chords.
        person.page.run("document.querySelector('textarea').value = ''").await;
        person.click("textarea").await;
        person.types("hiя!").await;
        person.key("Backspace", 8, 0).await;
        person.page.until("document.querySelector('textarea').value === 'hiя'").await;
        // An input method: what is half composed is not sent, and what is whole is sent once.
        for half in ["n", "ni", "nih"] {
            let order = json!({"text": half, "selectionStart": half.len(), "selectionEnd": half.len()});
            person.window.call("Input.imeSetComposition", order).await;
        }
        person.window.call("Input.insertText", json!({"text": "你好"})).await;
        person.page.until("document.querySelector('textarea').value === 'hiя你好'").await;
        // The person's clipboard.
        person.window.run("(() => { const d = new DataTransfer(); d.setData('text/plain', ' two\\nlines'); document.querySelector('.keys').dispatchEvent(new ClipboardEvent('paste', {clipboardData: d, bubbles: true, cancelable: true})); })()").await;
        person.page.until("document.querySelector('textarea').value === 'hiя你好 two\\nlines'").await;
        person.key("a", 65, 2).await;
        person.page.until("told.some((one) => one[0] === 'key' && one[1] === 'a' && one[2])").await;
        person.types("z").await;
        person.page.until("document.querySelector('textarea').value === 'z'").await;
    }
    // A finger: a tap is a click, held still it is the right button, a stroke scrolls.
    person.page.run("told = []").await;
    let finger = person.at((0.75, 0.5)).await;
    touch(&mut person, "touchStart", Some(finger)).await;
    touch(&mut person, "touchEnd", None).await;
    person.page.until("told.some((one) => one[0] === 'click')").await;
    let events = person.page.run("told").await;
    assert!(near(&events[0], "mousedown", (960.0, 360.0)), "{events}");
    touch(&mut person, "touchStart", Some(finger)).await;
    person.window.run("new Promise((held) => setTimeout(held, 700))").await;
    touch(&mut person, "touchEnd", None).await;
    person.page.until("told.some((one) => one[0] === 'contextmenu')").await;
    touch(&mut person, "touchStart", Some(finger)).await;
    for up in [15.0, 30.0, 45.0] {
        touch(&mut person, "touchMove", Some((finger.0, finger.1 - up))).await;
    }
    touch(&mut person, "touchEnd", None).await;
    person.page.until("scrollY > 50").await;

    // The window closes in the middle of a drag: nothing stays pressed, and the page can be taken over again.
    person.page.run("told = []; scrollTo(0, 0)").await;
    let at = person.at((0.75, 0.5)).await;
    person.mouse("mousePressed", at, json!({"button": "left", "clickCount": 1})).await;
    person.page.until("told.some((one) => one[0] === 'mousedown')").await;
    let Person { app, ui, run, mut viewer, mut page, window, .. } = person;
    drop(window);
    ui.finish().await;
    page.until("told.some((one) => one[0] === 'mouseup')").await;
    assert_eq!(viewer.until("lease").await["data"]["holder"], Value::Null);
    let again = Ui::open(&format!("{}/#/runs/{run}", app.base)).await;
    // The next viewer is not told that the page was handed back.
    again.sees("Whoever was in control lost their connection").await;
    assert!(!again.shows("text", "Control was handed back").await);
    again.click("button", "Take over").await;
    assert!(viewer.until("lease").await["data"]["holder"].is_string());
    let (status, _) = Http::new().post(&format!("{}/api/runs/{run}/stop", app.base), &json!({})).await;
    assert_eq!(status, 200);
    viewer.until_that("the end", |frame| frame["type"] == "run_ended").await;
    drop((viewer, page));
    again.finish().await;
    app.finish().await;
    model.finish();
}

async fn touch(person: &mut Person, kind: &str, at: Option<(f64, f64)>) {
    let points: Vec<Value> = at.into_iter().map(|(x, y)| json!({"x": x, "y": y})).collect();
    person.window.call("Input.dispatchTouchEvent", json!({"type": kind, "touchPoints": points})).await;
}

// A holder sees the address, goes back, opens another address, chooses a file of their own and enlarges the page.
#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn a_person_navigates_and_chooses_a_file_during_a_take_over() {
    let _slot = slot().await;
    let model = ScriptedModel::with_rules(Rules::default(), Vec::new());
    let site = site();
    let hosts = json!([site.strip_prefix("http://").unwrap()]).to_string();
    let app = with_model(&model, &[("ASKFIRST_GATE__PRIVATE_HOSTS", &hosts)]).await;
    let base = app.base.clone();
    model.push(Reply::act("navigate", json!({"url": format!("{base}/demo/login?lang=en")})));
    model.push(Reply::act("need_user", json!({"text": "Please sign in to the shop"})));
    model.push(Reply::stop("Done."));
    let mut person = Person::start_and_wait(app, "/demo/login").await;
    person.window.until("document.querySelector('af-live').dataset.mode === 'live'").await;
    person.take_over().await;
    let field = "document.querySelector('[data-testid=held-address]')";
    person.window.until(&format!("{field}.value.includes('/demo/login')")).await;
    let goes =
        |to: &str| format!("{field}.focus(), {field}.value = {to:?}, {field}.form.requestSubmit(), true");
    let html = "<title>Picks</title><input type=file style='position:fixed;inset:0;width:100%;height:100%' onchange='document.title=this.files[0].name'>";
    let to =
        format!("{site}/html?{}", url::form_urlencoded::byte_serialize(html.as_bytes()).collect::<String>());
    person.window.run(&goes(&to)).await;
    person.page.shows("document.title === 'Picks'").await;
    person.window.until(&format!("{field}.value.includes('/html')")).await;

    person.click("input").await;
    person.window.until("document.querySelector('[data-testid=chooser-file]')").await;
    let given = "(() => { const f = document.querySelector('[data-testid=chooser-file]'); const all = new DataTransfer(); \
        all.items.add(new File(['words'], 'letter.txt')); f.files = all.files; f.dispatchEvent(new Event('change')); return true; })()";
    person.window.run(given).await;
    person.page.shows("document.title === 'letter.txt'").await;
    person.window.until("!document.querySelector('[data-testid=chooser-file]')").await;

    person.window.run("document.querySelector('[data-testid=live-large]').click()").await;
    person
        .window
        .until("document.querySelector('af-live .window').getBoundingClientRect().width === innerWidth")
        .await;
    person.window.run("document.querySelector('[data-testid=held-back]').click()").await;
    person.page.shows("location.pathname === '/demo/login'").await;
    person.window.until(&format!("{field}.value.includes('/demo/login')")).await;
    // The holder is bound by the agent's URL policy: only web addresses are opened.
    person.window.run(&goes("file:///etc/passwd")).await;
    person.window.until("document.querySelector('af-notices').textContent.trim() !== ''").await;
    // The field says where the page is, not where it did not go.
    person.window.until(&format!("{field}.value.includes('/demo/login')")).await;
    // Escape shrinks the page and stops nothing.
    person.window.run("document.querySelector('[data-testid=live-large]').focus()").await;
    person.key("Escape", 27, 0).await;
    person.window.until("!('large' in document.querySelector('af-live').dataset)").await;
    person.hand_back().await;
    assert_eq!(person.ends().await["outcome"], "succeeded");
    let events = std::mem::take(&mut person.viewer.events);
    assert!(!json!(events).to_string().contains("page_address"), "told to a viewer");
    let Person { app, ui, viewer, .. } = person;
    drop(viewer);
    ui.finish().await;
    app.finish().await;
    model.finish();
}
