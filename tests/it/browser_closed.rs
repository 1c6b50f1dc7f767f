//! Closed addresses: whatever a page does to reach one, no request leaves Chromium, and it is told.

use crate::browser_stage::{Stage, find, text};
use actix_web::{App, HttpRequest, HttpResponse, HttpServer, web};
use askfirst::browser::closed::Closed;
use askfirst::browser::fault::Code;
use serde_json::json;
use std::os::unix::fs::PermissionsExt;
use std::sync::{Arc, Mutex};

/// A site whose every request is written down, and a browser for which it is closed.
struct Inner {
    stage: Stage,
    address: String,
    asked: Arc<Mutex<Vec<String>>>,
}

impl Inner {
    async fn open() -> Option<Self> {
        let (address, asked) = listen();
        let closed = closing(&address);
        let stage = Stage::open_with(|config| config.closed = closed).await?;
        Some(Self { stage, address, asked })
    }

    fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().clone()
    }
}

fn closing(address: &str) -> Closed {
    let address = address.to_owned();
    Closed::by(move |url| url.starts_with(&address).then_some("it lies in a private network"))
}

fn listen() -> (String, Arc<Mutex<Vec<String>>>) {
    let asked = Arc::new(Mutex::new(Vec::new()));
    let log = Arc::clone(&asked);
    let app = move || {
        let log = Arc::clone(&log);
        App::new().default_service(web::to(move |request: HttpRequest| {
            log.lock().unwrap().push(request.path().to_owned());
            async { HttpResponse::Ok().insert_header(("access-control-allow-origin", "*")).body("secret") }
        }))
    };
    let server = HttpServer::new(app).workers(1).disable_signals().bind(("127.0.0.1", 0)).unwrap();
    let port = server.addrs()[0].port();
    actix::spawn(server.run());
    (format!("http://127.0.0.1:{port}"), asked)
}

#[actix_web::test]
async fn a_document_of_a_closed_address_is_a_failed_action_and_the_page_stays() {
    let Some(inner) = Inner::open().await else { return };
    let (stage, to) = (&inner.stage, &inner.address);
    stage.show("<h1>home</h1>").await;
    let direct = stage.act("navigate", json!({"url": format!("{to}/direct")})).await.unwrap_err();
    let led = stage.go(&format!("/to?{to}/redirected")).await.unwrap_err();
    for fault in [direct, led] {
        assert_eq!(fault.code, Code::Blocked, "{fault}");
        assert!(fault.message.contains(to) && fault.message.contains("private network"), "{fault}");
    }
    let page = format!(
        "<h1>home</h1><a href='{to}/link'>Link</a><a href='/to?{to}/hop'>Hop</a>\
         <a href='{to}/popup' target=_blank>Popup</a><button onclick=\"location='{to}/script'\">Script</button>\
         <form method=post action='{to}/form'><input name=a value=1><button>Send</button></form>"
    );
    stage.show(&page).await;
    for name in ["Link", "Hop", "Popup", "Script", "Send"] {
        let fault = stage.click(name).await.expect_err(name);
        assert_eq!(fault.code, Code::Blocked, "{name}: {fault}");
        let seen = stage.look().await;
        assert_eq!(seen.tab, (1, 1), "{name}");
        assert!(text(&seen).contains("home") && text(&seen).contains("note blocked: "), "{}", text(&seen));
    }
    assert_eq!(inner.asked(), Vec::<String>::new());
    stage.show("<h1>elsewhere</h1>").await;
    assert!(!text(&*stage.look().await).contains("blocked"), "told once");
    inner.stage.finish().await;
}

#[actix_web::test]
async fn scripts_frames_and_workers_do_not_reach_a_closed_address() {
    let Some(inner) = Inner::open().await else { return };
    let (stage, to) = (&inner.stage, &inner.address);
    let localhost = stage.site.replace("127.0.0.1", "localhost");
    // Each says when it is through; `localhost` is another site, and so another process.
    let ways = format!(
        "<h1>ways</h1><p id=o></p><script>\
         const over = (n) => o.textContent += ' ' + n, bad = '{to}';\
         const until = (el, n) => {{ el.onerror = el.onload = () => over(n); document.body.append(el); }};\
         const make = (tag, set) => Object.assign(document.createElement(tag), set);\
         fetch(bad + '/fetch').catch(() => over('fetch'));\
         fetch(bad + '/post', {{method: 'POST', mode: 'no-cors', body: 'x'}}).catch(() => over('post'));\
         fetch('/to?' + bad + '/hop').catch(() => over('hop'));\
         const x = new XMLHttpRequest(); x.onerror = () => over('xhr'); x.open('GET', bad + '/xhr'); x.send();\
         const e = new EventSource(bad + '/events'); e.onerror = () => {{ e.close(); over('events'); }};\
         until(make('img', {{src: bad + '/img'}}), 'img');\
         until(make('script', {{src: bad + '/script'}}), 'script');\
         navigator.sendBeacon(bad + '/beacon', 'x');\
         const work = `fetch('${{bad}}/worker').catch(() => postMessage(1))`;\
         new Worker(URL.createObjectURL(new Blob([work]))).onmessage = () => over('worker');\
         document.body.append(make('iframe', {{src: bad + '/frame'}}), make('iframe', {{src: '/to?' + bad + '/frame'}}));\
         onmessage = (m) => over(m.data);\
         const within = `<script>fetch('${{bad}}/within').catch(() => parent.postMessage('within', '*'))</scr` + `ipt>`;\
         document.body.append(make('iframe', {{src: '{localhost}/html?' + encodeURIComponent(within)}}));\
         </script>"
    );
    stage.show(&ways).await;
    for way in ["fetch", "post", "hop", "xhr", "events", "img", "script", "worker", "within"] {
        stage.act("wait", json!({"text": way, "seconds": 10})).await.unwrap_or_else(|_| panic!("{way}"));
    }
    let seen = stage.look().await;
    assert!(text(&seen).contains("note blocked: "), "{}", text(&seen));
    assert_eq!(inner.asked(), Vec::<String>::new());
    // What is open stays open, by all of these ways.
    stage
        .show("<button onclick=\"fetch('/html?fine').then((r) => r.text()).then((t) => o.textContent = t)\">Ask</button><p id=o>")
        .await;
    stage.click("Ask").await.unwrap();
    assert!(text(&*stage.look().await).contains("fine"));
    inner.stage.finish().await;
}

#[actix_web::test]
async fn a_page_that_goes_astray_by_itself_is_told_of_in_the_next_look() {
    let Some(inner) = Inner::open().await else { return };
    let (stage, to) = (&inner.stage, &inner.address);
    let page = format!(
        "<h1>home</h1><button onclick=\"setTimeout(() => {{ location = '{to}/late';\
         fetch('/slow/300').then(() => o.textContent = 'through'); }}, 200)\">Later</button><p id=o>"
    );
    stage.show(&page).await;
    // It may happen as early as in one of these, which then fail of it.
    let _ = stage.click("Later").await;
    let _ = stage.act("wait", json!({"text": "through", "seconds": 10})).await;
    let seen = stage.look().await;
    assert!(text(&seen).contains("home") && text(&seen).contains("/late"), "{}", text(&seen));
    assert!(find(&seen, "Later").eid.is_some());
    assert_eq!(inner.asked(), Vec::<String>::new());
    inner.stage.finish().await;
}

/// What is told of sockets in `browser/closed.rs`: the page counts as one of the public web here.
#[actix_web::test]
async fn a_socket_of_a_public_page_does_not_reach_this_machine() {
    let (address, asked) = listen();
    let folder = tempfile::tempdir().unwrap();
    let Some(stage) = Stage::open_at(|config, site| {
        let chromium = askfirst::browser::chromium::executable(None).unwrap();
        let wrapper = folder.path().join("chromium");
        let public = site.trim_start_matches("http://");
        let script = format!(
            "#!/bin/sh\nexec {} --ip-address-space-overrides={public}=public \"$@\"\n",
            chromium.display()
        );
        std::fs::write(&wrapper, script).unwrap();
        std::fs::set_permissions(&wrapper, std::fs::Permissions::from_mode(0o755)).unwrap();
        config.executable = Some(wrapper);
    })
    .await
    else {
        return;
    };
    let socket = address.replace("http:", "ws:");
    stage
        .show(&format!(
            "<p id=o></p><script>\
             new WebSocket('{socket}/page').onerror = () => o.textContent += ' page';\
             const work = `new WebSocket('{socket}/worker').onerror = () => postMessage(1)`;\
             new Worker(URL.createObjectURL(new Blob([work]))).onmessage = () => o.textContent += ' worker';</script>"
        ))
        .await;
    for way in ["page", "worker"] {
        stage.act("wait", json!({"text": way, "seconds": 10})).await.unwrap_or_else(|_| panic!("{way}"));
    }
    assert_eq!(*asked.lock().unwrap(), Vec::<String>::new());
    stage.finish().await;
}
