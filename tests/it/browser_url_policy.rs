//! Closed addresses: whatever a page does to reach one, no request leaves Chromium, and it is told.

use crate::browser_stage::{Stage, find, text};
use actix_web::{App, HttpRequest, HttpResponse, HttpServer, web};
use askfirst::browser::error::ErrorCode;
use askfirst::browser::network::egress_proxy::Proxy;
use askfirst::browser::network::url_policy::UrlPolicy;
use askfirst::store::tree_leases::deadline::LeaseDeadline;
use serde_json::json;
use std::sync::{Arc, Mutex};

/// A site whose every request is written down, and a browser for which it is closed.
struct Inner {
    stage: Stage,
    address: String,
    asked: Arc<Mutex<Vec<String>>>,
}

impl Inner {
    async fn open() -> Self {
        let (address, asked) = listen();
        let closed = closing(&address);
        let stage = Stage::open_with(|config| config.url_policy = closed).await;
        Self { stage, address, asked }
    }

    fn list_requests(&self) -> Vec<String> {
        self.asked.lock().unwrap().clone()
    }
}

fn closing(address: &str) -> UrlPolicy {
    let address = address.to_owned();
    UrlPolicy::new(move |url| url.starts_with(&address).then_some("it lies in a private network"))
}

pub fn listen() -> (String, Arc<Mutex<Vec<String>>>) {
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
#[ignore = "needs Chromium; make test runs it"]
async fn opening_a_blocked_address_fails_and_the_page_stays() {
    let inner = Inner::open().await;
    let (stage, to) = (&inner.stage, &inner.address);
    stage.show("<h1>home</h1>").await;
    let direct = stage.act("navigate", json!({"url": format!("{to}/direct")})).await.unwrap_err();
    let led = stage.go(&format!("/to?{to}/redirected")).await.unwrap_err();
    for fault in [direct, led] {
        assert_eq!(fault.code, ErrorCode::Blocked, "{fault}");
        assert!(fault.message.contains(to) && fault.message.contains("private network"), "{fault}");
    }
    let page = format!(
        "<h1>home</h1><a href='{to}/link'>Link</a><a href='/to?{to}/hop'>Hop</a>\
         <a href='{to}/popup' target=_blank>Popup</a><button onclick=\"window.open('{to}/window')\">Window</button>\
         <button onclick=\"location='{to}/script'\">Script</button>\
         <form method=post action='{to}/form'><input name=a value=1><button>Send</button></form>"
    );
    stage.show(&page).await;
    for name in ["Link", "Hop", "Popup", "Window", "Script", "Send"] {
        let fault = stage.click(name).await.expect_err(name);
        assert_eq!(fault.code, ErrorCode::Blocked, "{name}: {fault}");
        let seen = stage.observe().await;
        assert_eq!(seen.tab, (1, 1), "{name}");
        assert!(text(&seen).contains("home") && text(&seen).contains("note blocked: "), "{}", text(&seen));
    }
    assert_eq!(inner.list_requests(), Vec::<String>::new());
    stage.show("<h1>elsewhere</h1>").await;
    assert!(!text(&*stage.observe().await).contains("blocked"), "told once");
    inner.stage.finish().await;
}

#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn scripts_frames_and_workers_do_not_reach_a_blocked_address() {
    let inner = Inner::open().await;
    let (stage, to) = (&inner.stage, &inner.address);
    let localhost = stage.site.replace("127.0.0.1", "localhost");
    // Every way reports its end; `localhost` is another site, and so another process.
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
    let seen = stage.observe().await;
    assert!(text(&seen).contains("note blocked: "), "{}", text(&seen));
    assert_eq!(inner.list_requests(), Vec::<String>::new());
    // Open addresses stay reachable in all of these ways.
    stage
        .show("<button onclick=\"fetch('/html?fine').then((r) => r.text()).then((t) => o.textContent = t)\">Ask</button><p id=o>")
        .await;
    stage.click("Ask").await.unwrap();
    assert!(text(&*stage.observe().await).contains("fine"));
    inner.stage.finish().await;
}

#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn a_page_that_navigates_to_a_blocked_address_is_noted() {
    let inner = Inner::open().await;
    let (stage, to) = (&inner.stage, &inner.address);
    let page = format!(
        "<h1>home</h1><button onclick=\"setTimeout(() => {{ location = '{to}/late';\
         fetch('/slow/300').then(() => o.textContent = 'through'); }}, 200)\">Later</button><p id=o>"
    );
    stage.show(&page).await;
    // The navigation may be blocked during either of these actions, which then fail.
    let _ = stage.click("Later").await;
    let _ = stage.act("wait", json!({"text": "through", "seconds": 10})).await;
    let seen = stage.observe().await;
    assert!(text(&seen).contains("home") && text(&seen).contains("/late"), "{}", text(&seen));
    assert!(find(&seen, "Later").eid.is_some());
    assert_eq!(inner.list_requests(), Vec::<String>::new());
    inner.stage.finish().await;
}

/// A page that is open to all says which of these came to their end.
async fn ends(stage: &Stage, ways: &[&str]) {
    for way in ways {
        stage.act("wait", json!({"text": way, "seconds": 10})).await.unwrap_or_else(|_| panic!("{way}"));
    }
}

fn sockets(to: &str) -> String {
    let socket = to.replace("http:", "ws:");
    format!(
        "<p id=o></p><script>\
         const over = (n) => o.textContent += ' ' + n;\
         new WebSocket('{socket}/page').onerror = () => over('page');\
         const work = `new WebSocket('{socket}/worker').onerror = () => postMessage(1)`;\
         new Worker(URL.createObjectURL(new Blob([work]))).onmessage = () => over('worker');</script>"
    )
}

// The URL policy covers WebSockets, also those of pages on this machine.
#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn a_websocket_does_not_reach_a_blocked_address() {
    let inner = Inner::open().await;
    inner.stage.show(&sockets(&inner.address)).await;
    ends(&inner.stage, &["page", "worker"]).await;
    assert_eq!(inner.list_requests(), Vec::<String>::new());
    // Sockets to open addresses are connected.
    let (open, asked) = listen();
    inner.stage.show(&sockets(&open)).await;
    ends(&inner.stage, &["page", "worker"]).await;
    let mut asked = asked.lock().unwrap().clone();
    asked.sort();
    assert_eq!(asked, ["/page", "/worker"]);
    inner.stage.finish().await;
}

// A name that is open leads to an address that is not: DNS rebinding.
#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn a_host_name_that_resolves_to_a_private_address_is_blocked() {
    let (address, asked) = listen();
    let inside = address.replace("127.0.0.1", "localhost");
    let stage = Stage::open_with(|config| {
        config.url_policy = UrlPolicy::new(|_| None).with_address_check(|url, address| {
            (url.starts_with("http://localhost") && address.is_loopback())
                .then_some("its name leads into a private network")
        });
    })
    .await;
    let fault = stage.act("navigate", json!({"url": format!("{inside}/direct")})).await.unwrap_err();
    assert_eq!(fault.code, ErrorCode::Blocked, "{fault}");
    assert!(fault.message.contains("its name leads into a private network"), "{fault}");
    stage.show(&format!("<h1>home</h1><a href='{inside}/link'>Link</a>")).await;
    let fault = stage.click("Link").await.unwrap_err();
    assert!(fault.message.contains("blocked: ") && fault.message.contains("private network"), "{fault}");
    let page = format!(
        "{}<script>fetch('{inside}/fetch').catch(() => over('fetch'));\
         fetch('{inside}/post', {{method: 'POST', mode: 'no-cors', body: 'x'}}).catch(() => over('post'));</script>",
        sockets(&inside)
    );
    stage.show(&page).await;
    ends(&stage, &["page", "worker", "fetch", "post"]).await;
    assert_eq!(*asked.lock().unwrap(), Vec::<String>::new());
    stage.finish().await;
}

// Calls between browsers look for ways out of their own.
#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn no_datagram_leaves_a_page() {
    let stage = Stage::open().await;
    let server = std::net::UdpSocket::bind("127.0.0.1:0").unwrap();
    server.set_nonblocking(true).unwrap();
    let port = server.local_addr().unwrap().port();
    stage
        .show(&format!(
            "<p id=o></p><script>const c = new RTCPeerConnection({{iceServers: [{{urls: 'stun:127.0.0.1:{port}'}}]}});\
             c.createDataChannel('x'); c.onicecandidate = (e) => {{ if (e.candidate) o.textContent += ' ' + e.candidate.candidate; }};\
             c.onicegatheringstatechange = () => {{ if (c.iceGatheringState == 'complete') o.textContent += ' gathered'; }};\
             c.createOffer().then((offer) => c.setLocalDescription(offer));</script>"
        ))
        .await;
    ends(&stage, &["gathered"]).await;
    let seen = stage.observe().await;
    assert!(!text(&seen).contains(" udp "), "{}", text(&seen));
    assert!(server.recv(&mut [0; 64]).is_err(), "a datagram came");
    stage.finish().await;
}

// The proxy's password is known to Chromium alone, and requests without it get no answer.
#[actix_web::test]
async fn the_proxy_serves_no_other_programs() {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    let (address, asked) = listen();
    let proxy = Proxy::start(UrlPolicy::new(|_| None), LeaseDeadline::default()).unwrap();
    let say = async |head: String| {
        let mut stream = tokio::net::TcpStream::connect(("127.0.0.1", proxy.port)).await.unwrap();
        // The sending half stays open: a client that closes it counts as gone, and may get no answer.
        stream.write_all(head.as_bytes()).await.unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.unwrap();
        answer
    };
    let host = address.trim_start_matches("http://");
    let get = format!("GET {address}/x HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n");
    assert!(say(format!("{get}\r\n")).await.starts_with("HTTP/1.1 407 "));
    assert!(say(format!("{get}Proxy-Authorization: Basic YTpi\r\n\r\n")).await.starts_with("HTTP/1.1 407 "));
    assert!(
        say(format!("CONNECT {host} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n"))
            .await
            .starts_with("HTTP/1.1 407 ")
    );
    assert_eq!(say(String::from("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")).await, "");
    assert_eq!(*asked.lock().unwrap(), Vec::<String>::new());
}
