//! Access to the service: hosts, origins, token, limits, headers, each by a request.

use actix_web::dev::ServerHandle;
use actix_web::middleware::from_fn;
use actix_web::{App, HttpRequest, HttpResponse, HttpServer, web};
use actix_web_actors::ws;
use askfirst::config::Server;
use askfirst::config::proxies::Network;
use askfirst::config::secret::Secret;
use askfirst::http::guard::{self, Guard};
use askfirst::http::problem;
use futures_util::{SinkExt, StreamExt};
use reqwest::{Client, Method, StatusCode, redirect};
use serde_json::Value;
use std::net::TcpListener;
use tokio_tungstenite::connect_async;
use tokio_tungstenite::tungstenite::{Error as SocketError, Message, client::IntoClientRequest};

/// A small service behind the guard, on a port of its own.
struct Guarded {
    port: u16,
    token: Option<String>,
    handle: ServerHandle,
    client: Client,
}

impl Guarded {
    fn local() -> Self {
        Self::start("127.0.0.1", &[], None)
    }

    /// `host` is what the settings say; the test itself always listens on loopback.
    fn start(host: &str, allowed: &[&str], token: Option<&str>) -> Self {
        Self::start_trusting(host, allowed, token, &[])
    }

    /// With a token, and with proxies on this machine.
    fn behind(host: &str, allowed: &[&str], token: &str) -> Self {
        Self::start_trusting(host, allowed, Some(token), &["127.0.0.1"])
    }

    fn start_trusting(host: &str, allowed: &[&str], token: Option<&str>, trusted: &[&str]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let server = Server {
            host: host.to_owned(),
            allowed_hosts: allowed.iter().map(|name| (*name).to_owned()).collect(),
            token: token.map(Secret::new),
            trusted_proxies: trusted.iter().map(|text| Network::read(text).unwrap()).collect(),
            ..Server::default()
        };
        let guard = web::Data::new(Guard::new(&server, port));
        let printed = guard.address().split_once("token=").map(|(_, word)| word.to_owned());
        assert_eq!(
            printed.is_some(),
            guard.token_required() && token.is_none(),
            "only what was made is printed"
        );
        let app = move || {
            App::new()
                .app_data(guard.clone())
                .configure(guard::size_limits::limits)
                .wrap(from_fn(guard::enforce))
                .route("/", web::get().to(async || "page"))
                .route("/healthz", web::get().to(async || "alive"))
                .route("/ws", web::get().to(async || "socket"))
                .route("/live", web::get().to(live))
                .route("/api/runs/{id}/stop", web::post().to(async || "stopped"))
                .route("/api/questions/{reference}", web::post().to(async || "answered"))
                .route("/api/echo", web::post().to(async |body: web::Json<Value>| body))
                .route("/demo/form", web::post().to(async || "demo"))
                .default_service(web::to(problem::no_such_page))
        };
        let service = HttpServer::new(app).workers(1).disable_signals().listen(listener).unwrap().run();
        let handle = service.handle();
        actix_web::rt::spawn(service);
        let client = Client::builder().redirect(redirect::Policy::none()).build().unwrap();
        Self { port, token: printed, handle, client }
    }

    fn ask(&self, method: Method, path: &str) -> reqwest::RequestBuilder {
        self.client.request(method, format!("http://127.0.0.1:{}{path}", self.port))
    }

    fn get(&self, path: &str) -> reqwest::RequestBuilder {
        self.ask(Method::GET, path)
    }

    fn post(&self) -> reqwest::RequestBuilder {
        self.ask(Method::POST, "/api/echo").json(&serde_json::json!({"a": 1}))
    }

    async fn finish(self) {
        self.handle.stop(false).await;
    }
}

/// A socket that says back what it is told.
struct Echo;

impl actix::Actor for Echo {
    type Context = ws::WebsocketContext<Self>;
}

impl actix::StreamHandler<Result<ws::Message, ws::ProtocolError>> for Echo {
    fn handle(&mut self, frame: Result<ws::Message, ws::ProtocolError>, context: &mut Self::Context) {
        if let Ok(ws::Message::Text(text)) = frame {
            context.text(text);
        }
    }
}

async fn live(request: HttpRequest, frames: web::Payload) -> Result<HttpResponse, actix_web::Error> {
    ws::start(Echo, &request, frames)
}

/// Status and code of an answer; the code is empty where the answer is no problem.
async fn outcome(request: reqwest::RequestBuilder) -> (u16, String) {
    let answer = request.send().await.unwrap();
    let status = answer.status().as_u16();
    let kind = answer.headers().get("content-type").map(|v| v.to_str().unwrap().to_owned());
    if kind.as_deref() != Some("application/problem+json") {
        return (status, String::new());
    }
    let body: Value = answer.json().await.unwrap();
    assert_eq!(body["status"], status);
    assert!(!body["title"].as_str().unwrap().is_empty() && !body["detail"].as_str().unwrap().is_empty());
    (status, body["code"].as_str().unwrap().to_owned())
}

fn refused(status: u16, code: &str) -> (u16, String) {
    (status, code.to_owned())
}

#[actix_web::test]
async fn a_foreign_host_name_is_refused_everywhere() {
    let app = Guarded::local();
    for path in ["/", "/healthz", "/ws", "/api/echo", "/demo/form", "/nowhere"] {
        let seen = outcome(app.get(path).header("host", format!("evil.test:{}", app.port))).await;
        assert_eq!(seen, refused(403, "bad_host"), "{path}");
    }
    for host in ["127.0.0.1:1", "localhost", ""] {
        assert_eq!(outcome(app.get("/").header("host", host)).await, refused(403, "bad_host"), "{host}");
    }
    assert_eq!(outcome(app.get("/").header("host", format!("localhost:{}", app.port))).await.0, 200);
    assert_eq!(outcome(app.get("/")).await.0, 200);
    app.finish().await;
}

#[actix_web::test]
async fn other_origins_may_not_change_or_open_sockets() {
    let app = Guarded::local();
    let own = format!("http://127.0.0.1:{}", app.port);
    let near = format!("http://localhost:{}", app.port);
    assert_eq!(outcome(app.post()).await.0, 200);
    assert_eq!(outcome(app.post().header("origin", &own)).await.0, 200);
    for origin in ["http://evil.test", "null", "http://127.0.0.1:1", &near, "file://", ""] {
        assert_eq!(
            outcome(app.post().header("origin", origin)).await,
            refused(403, "bad_origin"),
            "{origin}"
        );
        let socket = app.get("/ws").header("upgrade", "websocket").header("origin", origin);
        assert_eq!(outcome(socket).await, refused(403, "bad_origin"), "{origin}");
    }
    let socket = app.get("/ws").header("upgrade", "websocket").header("origin", &own);
    assert_eq!(outcome(socket).await.0, 200);
    for (site, status) in [("cross-site", 403), ("same-site", 403), ("same-origin", 200), ("none", 200)] {
        assert_eq!(outcome(app.post().header("sec-fetch-site", site)).await.0, status, "{site}");
    }
    let link = app.get("/").header("sec-fetch-site", "cross-site").header("origin", "http://evil.test");
    assert_eq!(outcome(link).await.0, 200, "a link from elsewhere may open the page");
    app.finish().await;
}

#[actix_web::test]
async fn beyond_loopback_a_token_is_required_and_a_cookie_follows() {
    let app = Guarded::start("0.0.0.0", &[], None);
    let token = app.token.clone().unwrap();
    assert!(token.len() >= 32);
    for path in ["/", "/ws", "/?token=wrong", "/nowhere"] {
        assert_eq!(outcome(app.get(path)).await, refused(401, "unauthorized"), "{path}");
    }
    assert_eq!(outcome(app.post()).await, refused(401, "unauthorized"));
    assert_eq!(outcome(app.get("/healthz")).await.0, 200);
    assert_eq!(outcome(app.ask(Method::POST, "/demo/form")).await.0, 200);
    assert_eq!(outcome(app.get("/").bearer_auth(&token)).await.0, 200);
    assert_eq!(outcome(app.get("/").bearer_auth(format!("{token}x"))).await.0, 401);

    let entry = app.get(&format!("/?token={token}&run=7")).send().await.unwrap();
    assert_eq!(entry.status(), StatusCode::SEE_OTHER);
    assert_eq!(entry.headers()["location"], "/?run=7");
    let cookie = entry.headers()["set-cookie"].to_str().unwrap().to_owned();
    for part in ["askfirst_session=", "HttpOnly", "SameSite=Lax", "Path=/", "Max-Age=2592000"] {
        assert!(cookie.contains(part), "{part} is missing in {cookie}");
    }
    assert!(!cookie.contains(&token) && !cookie.contains("Secure"), "{cookie}");
    let pair = cookie.split(';').next().unwrap();
    assert_eq!(outcome(app.get("/").header("cookie", pair)).await.0, 200);
    assert_eq!(outcome(app.get("/").header("cookie", format!("askfirst_session={token}"))).await.0, 401);
    let open = app.get(&format!("//evil.test/?token={token}")).send().await.unwrap();
    assert_eq!(open.headers()["location"], "/evil.test/", "the way in leads nowhere else");
    app.finish().await;
}

#[actix_web::test]
async fn a_configured_token_and_a_proxy_require_the_token_too() {
    let own = Guarded::start("127.0.0.1", &[], Some("a token of my own & more"));
    assert_eq!(own.token, None);
    assert_eq!(outcome(own.get("/")).await.0, 401);
    assert_eq!(outcome(own.get("/").bearer_auth("a token of my own & more")).await.0, 200);
    own.finish().await;

    let proxied = Guarded::start("127.0.0.1", &["askfirst.example"], None);
    let request = || proxied.get("/").header("host", "askfirst.example");
    assert_eq!(outcome(request()).await, refused(401, "unauthorized"));
    assert_eq!(outcome(request().bearer_auth(proxied.token.clone().unwrap())).await.0, 200);
    let page = proxied.post().header("host", "askfirst.example").header("origin", "https://askfirst.example");
    assert_eq!(outcome(page.bearer_auth(proxied.token.clone().unwrap())).await.0, 200);
    proxied.finish().await;

    let local = Guarded::local();
    assert!(local.token.is_none());
    local.finish().await;
}

#[actix_web::test]
async fn bodies_are_limited_and_faults_are_problems() {
    let app = Guarded::local();
    let send = |body: String| {
        app.ask(Method::POST, "/api/echo").header("content-type", "application/json").body(body)
    };
    let fits = format!("\"{}\"", "a".repeat(1024 * 1024 - 2));
    assert_eq!(outcome(send(fits.clone())).await.0, 200);
    assert_eq!(outcome(send(format!("{fits} "))).await, refused(413, "too_large"));
    let stream = futures_util::stream::iter(vec![Ok::<_, std::io::Error>(fits.clone()), Ok(fits)]);
    let chunked = app
        .ask(Method::POST, "/api/echo")
        .header("content-type", "application/json")
        .body(reqwest::Body::wrap_stream(stream));
    assert_eq!(outcome(chunked).await, refused(413, "too_large"));
    assert_eq!(outcome(send("{".to_owned())).await, refused(400, "bad_json"));
    let plain = app.ask(Method::POST, "/api/echo").header("content-type", "text/plain").body("{}");
    assert_eq!(outcome(plain).await, refused(415, "bad_media_type"));
    assert_eq!(outcome(app.get("/nowhere")).await, refused(404, "not_found"));
    app.finish().await;
}

#[actix_web::test]
async fn a_flood_is_slowed_but_reading_is_not() {
    let app = Guarded::local();
    let mut slowed = None;
    // Requests come at once, so that a slow machine is flooded, too.
    for _ in 0..200 {
        let batch = (0..100).map(|_| app.ask(Method::DELETE, "/nowhere").send());
        for answer in futures_util::future::join_all(batch).await.into_iter().map(Result::unwrap) {
            if answer.status() == StatusCode::TOO_MANY_REQUESTS {
                slowed = Some(answer.headers()["retry-after"].to_str().unwrap().to_owned());
            }
        }
        if slowed.is_some() {
            break;
        }
    }
    assert_eq!(slowed.as_deref(), Some("1"));
    assert_eq!(outcome(app.get("/")).await.0, 200);
    app.finish().await;
}

// However much another program of this machine sends: a person can stop, answer and connect.
#[actix_web::test]
async fn a_flood_of_requests_does_not_refuse_control_calls() {
    let app = Guarded::local();
    let mut floods = 0;
    for _ in 0..200 {
        let flood = (0..400).map(|_| app.ask(Method::DELETE, "/nowhere").send());
        let person = ["/api/runs/r/stop", "/api/runs/r/stop", "/api/questions/q"];
        let person = person.map(|path| app.ask(Method::POST, path).send());
        let connects = app.get("/ws").header("upgrade", "websocket").send();
        let all = flood.chain(person).chain([connects]);
        let answers = futures_util::future::join_all(all).await;
        let statuses: Vec<u16> =
            answers.into_iter().map(|answer| answer.unwrap().status().as_u16()).collect();
        assert_eq!(statuses[400..], [200; 4]);
        floods += u32::from(statuses[..400].iter().filter(|status| **status == 429).count() > 200);
        if floods == 3 {
            break;
        }
    }
    assert_eq!(floods, 3, "no flood was slowed");
    app.finish().await;
}

#[actix_web::test]
async fn every_answer_bears_the_security_headers() {
    let app = Guarded::local();
    for request in [app.get("/"), app.get("/nowhere"), app.get("/").header("host", "evil.test")] {
        let answer = request.send().await.unwrap();
        let header = |name: &str| answer.headers()[name].to_str().unwrap().to_owned();
        let policy = header("content-security-policy");
        for part in [
            "default-src 'self'",
            "connect-src 'self'",
            "img-src 'self' blob: data:",
            "frame-ancestors 'none'",
        ] {
            assert!(policy.contains(part), "{part} is missing in {policy}");
        }
        assert!(!policy.contains("unsafe"));
        assert_eq!(header("x-content-type-options"), "nosniff");
        assert_eq!(header("referrer-policy"), "same-origin");
        assert_eq!(header("cross-origin-resource-policy"), "same-origin");
    }
    let demo = app.ask(Method::POST, "/demo/form").send().await.unwrap();
    assert!(!demo.headers().contains_key("content-security-policy"), "the demo sets its own");
    assert_eq!(demo.headers()["x-content-type-options"], "nosniff");
    let api = app.post().send().await.unwrap();
    assert_eq!(api.headers()["cache-control"], "no-store");
    app.finish().await;
}

#[actix_web::test]
async fn sockets_pass_from_our_own_page_and_from_no_other() {
    let app = Guarded::local();
    let request = |origin: Option<String>| {
        let mut request = format!("ws://127.0.0.1:{}/live", app.port).into_client_request().unwrap();
        if let Some(origin) = origin {
            request.headers_mut().insert("origin", origin.parse().unwrap());
        }
        request
    };
    for origin in [None, Some(format!("http://127.0.0.1:{}", app.port))] {
        let (mut socket, _) = connect_async(request(origin)).await.unwrap();
        socket.send(Message::text("hello")).await.unwrap();
        assert_eq!(socket.next().await.unwrap().unwrap(), Message::text("hello"));
    }
    match connect_async(request(Some("http://evil.test".to_owned()))).await {
        Err(SocketError::Http(answer)) => assert_eq!(answer.status().as_u16(), 403),
        other => panic!("not refused: {other:?}"),
    }
    app.finish().await;
}

#[actix_web::test]
async fn behind_a_proxy_both_names_are_judged_and_its_own_origins_pass() {
    let app =
        Guarded::behind("127.0.0.1", &["askfirst.example", "askfirst.example:8443"], "0123456789abcdef");
    let request = |host: &str, forwarded: Option<&str>| {
        let request = app.post().bearer_auth("0123456789abcdef").header("host", host);
        match forwarded {
            Some(name) => request.header("x-forwarded-host", name),
            None => request,
        }
    };
    let own = format!("127.0.0.1:{}", app.port);
    for (host, forwarded, status) in [
        ("askfirst.example", None, 200),
        (own.as_str(), Some("askfirst.example"), 200),
        // A rebound name's page can write the one header, but not the other.
        ("evil.test", Some("askfirst.example"), 403),
        (own.as_str(), Some("evil.test"), 403),
    ] {
        assert_eq!(outcome(request(host, forwarded)).await.0, status, "{host} {forwarded:?}");
    }
    let refused = request("evil.test", None).send().await.unwrap().text().await.unwrap();
    assert!(refused.contains(r#"server.allowed_hosts = [\"evil.test\"]"#), "{refused}");

    for (host, origin, tls, status) in [
        ("askfirst.example", "https://askfirst.example", "https", 200),
        ("askfirst.example", "http://askfirst.example", "https", 403),
        ("askfirst.example", "https://askfirst.example", "http", 403),
        ("askfirst.example", "https://askfirst.example:8443", "https", 200),
        ("askfirst.example", "https://askfirst.example:9443", "https", 403),
        // A proxy that passes on its own name for the service.
        (own.as_str(), "https://askfirst.example", "https", 200),
        (own.as_str(), "https://evil.test", "https", 403),
    ] {
        let sent = request(host, None).header("origin", origin).header("x-forwarded-proto", tls);
        assert_eq!(outcome(sent).await.0, status, "{host} {origin} {tls}");
    }
    app.finish().await;
}

#[actix_web::test]
async fn a_client_that_guesses_tokens_waits_and_others_do_not() {
    let app = Guarded::behind("127.0.0.1", &[], "0123456789abcdef");
    let shown = |client: &str, word: &str| app.get("/").header("x-forwarded-for", client).bearer_auth(word);
    for n in 0..10 {
        assert_eq!(outcome(shown("203.0.113.7", &format!("guess {n}"))).await, refused(401, "unauthorized"));
    }
    for word in ["another guess", "0123456789abcdef"] {
        let seen = outcome(shown("203.0.113.7", word)).await;
        assert_eq!(seen, refused(429, "too_many_guesses"), "{word}");
    }
    assert_eq!(outcome(shown("203.0.113.8", "0123456789abcdef")).await.0, 200);
    app.finish().await;
}
