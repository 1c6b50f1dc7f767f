//! Signing in and out: pages, cookies, the token against forgery, and everything below a path. The page itself in a
//! real browser behind a real proxy is in `proxy.rs`.

use crate::support::app::{PATIENCE, Process, TestApp, spawn, until};
use askfirst::http::routes;
use futures_util::StreamExt;
use reqwest::{Client, Method, RequestBuilder, Response, redirect};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use tokio_tungstenite::connect_async;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;

const TOKEN: &str = "a token of my own";
const WITH_TOKEN: (&str, &str) = ("ASKFIRST_SERVER__TOKEN", TOKEN);
const BELOW: (&str, &str) = ("ASKFIRST_SERVER__BASE_PATH", "/askfirst");

/// A browser that follows nothing by itself.
struct Visitor {
    base: String,
    client: Client,
    cookie: Option<String>,
}

impl Visitor {
    fn connect(base: &str) -> Self {
        let client = Client::builder().redirect(redirect::Policy::none()).build().unwrap();
        Self { base: base.to_owned(), client, cookie: None }
    }

    fn ask(&self, method: Method, path: &str) -> RequestBuilder {
        let request = self.client.request(method, format!("{}{path}", self.base));
        match &self.cookie {
            Some(cookie) => request.header("cookie", cookie),
            None => request,
        }
    }

    fn page(&self, path: &str) -> RequestBuilder {
        self.ask(Method::GET, path).header("accept", "text/html,application/xhtml+xml,*/*;q=0.8")
    }

    fn shows(&self, token: &str, next: &str) -> RequestBuilder {
        let form = url::form_urlencoded::Serializer::new(String::new())
            .extend_pairs([("token", token), ("next", next)])
            .finish();
        let request = self.ask(Method::POST, "/sign-in");
        request.header("content-type", "application/x-www-form-urlencoded").body(form)
    }

    /// Signs in, and keeps the cookie; its attributes.
    async fn signs_in(&mut self) -> String {
        let answer = self.shows(TOKEN, "").send().await.unwrap();
        assert_eq!(answer.status(), 303);
        let whole = answer.headers()["set-cookie"].to_str().unwrap().to_owned();
        self.cookie = whole.split(';').next().map(str::to_owned);
        whole
    }

    async fn me(&self) -> (u16, Value) {
        read(self.ask(Method::GET, "/api/me").send().await.unwrap()).await
    }

    /// A call that changes something, with this token against forgery.
    async fn starts_a_run(&self, csrf: Option<&str>) -> (u16, Value) {
        let request = self.ask(Method::POST, "/api/runs").json(&json!({"agent": "nobody", "input": {}}));
        let request = match csrf {
            Some(csrf) => request.header("x-askfirst-csrf", csrf),
            None => request,
        };
        read(request.send().await.unwrap()).await
    }
}

async fn read(answer: Response) -> (u16, Value) {
    let status = answer.status().as_u16();
    (status, answer.json().await.unwrap_or_default())
}

fn location_of(answer: &Response) -> &str {
    answer.headers()["location"].to_str().unwrap()
}

async fn with_token() -> TestApp {
    spawn(&[WITH_TOKEN]).await
}

#[actix_web::test]
async fn a_browser_gets_the_sign_in_page_and_a_program_an_error() {
    let app = with_token().await;
    let visitor = Visitor::connect(&app.base);
    for (languages, code, word) in [("uk-UA,uk;q=0.9", "uk", "Увійти"), ("en-GB", "en", "Sign in")] {
        for path in ["/", "/api/docs?x=1", "/nowhere"] {
            let answer = visitor.page(path).header("accept-language", languages).send().await.unwrap();
            assert_eq!(answer.status(), 401, "{path}");
            assert_eq!(answer.headers()["content-type"], "text/html; charset=utf-8");
            assert_eq!(answer.headers()["cache-control"], "no-store");
            assert!(answer.headers().contains_key("content-security-policy"));
            let html = answer.text().await.unwrap();
            let parts =
                [format!("<html lang=\"{code}\">"), word.to_owned(), String::from("current-password")];
            assert!(parts.iter().all(|part| html.contains(part)), "{path}: {html}");
            for file in html.split('"').filter(|part| part.starts_with("/static/")) {
                assert_eq!(visitor.ask(Method::GET, file).send().await.unwrap().status(), 200, "{file}");
            }
        }
    }
    assert_eq!(visitor.ask(Method::GET, "/static/app.js").send().await.unwrap().status(), 401);
    let program = read(visitor.ask(Method::GET, "/api/runs").send().await.unwrap()).await;
    assert_eq!((program.0, &program.1["code"]), (401, &json!("unauthorized")));
    let socket = visitor.page("/ws").header("upgrade", "websocket").send().await.unwrap();
    assert_eq!(socket.headers()["content-type"], "application/problem+json");
    app.finish().await;
}

#[actix_web::test]
async fn a_wrong_token_shows_the_page_again_and_too_many_make_one_wait() {
    let app = with_token().await;
    let visitor = Visitor::connect(&app.base);
    let wrong = |n: u32| visitor.shows(&format!("guess {n}"), "/#/runs/7").header("accept-language", "uk");
    for n in 0..10 {
        let answer = wrong(n).send().await.unwrap();
        assert_eq!((answer.status().as_u16(), answer.headers().contains_key("set-cookie")), (401, false));
        let html = answer.text().await.unwrap();
        assert!(html.contains("Це не той токен") && html.contains("role=\"alert\""), "{html}");
        assert!(
            html.contains("/runs/7") || html.contains("&#x2f;runs&#x2f;7"),
            "the way back is lost: {html}"
        );
    }
    let answer = wrong(11).send().await.unwrap();
    assert_eq!(answer.status(), 429);
    assert!(answer.headers().contains_key("retry-after"));
    assert!(answer.text().await.unwrap().contains("Забагато хибних токенів"));
    assert_eq!(visitor.shows(TOKEN, "/").send().await.unwrap().status(), 429, "a guess more");
    app.finish().await;
}

#[actix_web::test]
async fn the_cookie_is_no_token_lasts_and_leads_back_to_this_site_only() {
    let app = with_token().await;
    let mut visitor = Visitor::connect(&app.base);
    for (next, there) in
        [("/api/docs?x=1#y", "/api/docs?x=1#y"), ("//evil.test/", "/"), ("https://evil.test", "/")]
    {
        assert_eq!(location_of(&visitor.shows(TOKEN, next).send().await.unwrap()), there);
    }
    let cookie = visitor.signs_in().await;
    for part in ["HttpOnly", "SameSite=Lax", "Path=/", "Max-Age=2592000"] {
        assert!(cookie.contains(part), "{part} is missing in {cookie}");
    }
    assert!(!cookie.contains("Secure"), "{cookie}");
    assert!(!cookie.contains("token"), "{cookie}");
    assert_eq!(visitor.page("/").send().await.unwrap().status(), 200);
    let sent_on = visitor.page("/sign-in?next=/api/docs").send().await.unwrap();
    assert_eq!((sent_on.status().as_u16(), location_of(&sent_on)), (303, "/api/docs"));
    let over_tls = visitor.shows(TOKEN, "/").header("x-forwarded-proto", "https").send().await.unwrap();
    assert!(over_tls.headers()["set-cookie"].to_str().unwrap().contains("; Secure"));
    // A link of another site is an ordinary way in.
    let link = visitor.page("/").header("sec-fetch-site", "cross-site").send().await.unwrap();
    assert_eq!(link.status(), 200);
    app.finish().await;
}

#[actix_web::test]
async fn changing_calls_with_a_cookie_need_the_csrf_token() {
    let app = with_token().await;
    let (mut one, mut other) = (Visitor::connect(&app.base), Visitor::connect(&app.base));
    one.signs_in().await;
    other.signs_in().await;
    let (_, me) = one.me().await;
    assert_eq!((&me["signed_in"], &me["token_required"]), (&json!(true), &json!(true)));
    let csrf = me["csrf"].as_str().unwrap();
    let html = one.page("/").send().await.unwrap().text().await.unwrap();
    assert!(
        html.contains(&format!("<meta name=\"askfirst-csrf\" content=\"{csrf}\">")),
        "it is not in the page"
    );
    let theirs = other.me().await.1["csrf"].as_str().unwrap().to_owned();
    for wrong in [None, Some(""), Some("x"), Some(theirs.as_str())] {
        let (status, problem) = one.starts_a_run(wrong).await;
        assert_eq!((status, &problem["code"]), (403, &json!("forgery")), "{wrong:?}");
    }
    // The request passes the checks and fails only at the unknown agent.
    assert_eq!(one.starts_a_run(Some(csrf)).await.1["code"], "unknown_agent");
    let bearer = Visitor::connect(&app.base).ask(Method::POST, "/api/runs").bearer_auth(TOKEN);
    let (_, problem) = read(bearer.json(&json!({"agent": "nobody"})).send().await.unwrap()).await;
    assert_eq!(problem["code"], "unknown_agent");
    app.finish().await;
}

#[actix_web::test]
async fn a_local_service_without_a_token_needs_no_sign_in() {
    let app = spawn(&[]).await;
    let visitor = Visitor::connect(&app.base);
    assert_eq!(visitor.me().await.1, json!({"signed_in": false, "token_required": false, "csrf": null}));
    assert_eq!(visitor.starts_a_run(None).await.1["code"], "unknown_agent");
    let sent_on = visitor.page("/sign-in").send().await.unwrap();
    assert_eq!((sent_on.status().as_u16(), location_of(&sent_on)), (303, "/"));
    app.finish().await;
}

/// A socket with the cookie.
async fn socket(
    visitor: &Visitor,
) -> impl StreamExt<Item = Result<Message, tokio_tungstenite::tungstenite::Error>> + Unpin {
    let url = format!("{}/ws", visitor.base.replacen("http", "ws", 1));
    let mut request = url.into_client_request().unwrap();
    if let Some(cookie) = &visitor.cookie {
        request.headers_mut().insert("cookie", cookie.parse().unwrap());
    }
    connect_async(request).await.unwrap().0
}

#[actix_web::test]
async fn signing_out_ends_the_cookie_and_its_sockets_and_no_other() {
    let app = with_token().await;
    let (mut one, mut other) = (Visitor::connect(&app.base), Visitor::connect(&app.base));
    one.signs_in().await;
    other.signs_in().await;
    let mut open = socket(&one).await;
    let csrf = one.me().await.1["csrf"].as_str().unwrap().to_owned();
    let run = one.ask(Method::POST, "/api/runs").header("x-askfirst-csrf", &csrf);
    let run = run.json(&json!({"agent": "browser", "input": {"text": "help"}})).send().await.unwrap();
    let run = read(run).await.1["run_id"].as_str().unwrap().to_owned();
    let events =
        one.ask(Method::GET, &format!("/api/runs/{run}/events")).header("accept", "text/event-stream");
    let mut events = events.send().await.unwrap();
    assert!(events.chunk().await.unwrap().is_some(), "events come");
    let leave = || one.ask(Method::POST, "/sign-out");
    assert_eq!(read(leave().send().await.unwrap()).await.1["code"], "forgery", "nobody else signs one out");
    let left = leave().header("x-askfirst-csrf", csrf).send().await.unwrap();
    assert_eq!((left.status().as_u16(), location_of(&left)), (303, "/"));
    assert!(left.headers()["set-cookie"].to_str().unwrap().contains("Max-Age=0"));
    assert_eq!(one.me().await.0, 401, "a stolen cookie is dead");
    let closed = async {
        loop {
            if let Some(Ok(Message::Close(Some(why)))) = open.next().await {
                return why;
            }
        }
    };
    let why = tokio::time::timeout(PATIENCE, closed).await.expect("the socket is closed");
    assert_eq!(u16::from(why.code), 1008);
    let end = async { while events.chunk().await.unwrap().is_some() {} };
    tokio::time::timeout(PATIENCE, end).await.expect("the stream of events ends");
    assert_eq!(other.me().await.0, 200);
    app.finish().await;
}

#[actix_web::test]
async fn sign_in_and_sign_out_survive_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("log.txt");
    let process = Process::logged(folder.path(), &[WITH_TOKEN], &log).await;
    let (mut stays, mut goes) = (Visitor::connect(&process.base), Visitor::connect(&process.base));
    stays.signs_in().await;
    goes.signs_in().await;
    let csrf = goes.me().await.1["csrf"].as_str().unwrap().to_owned();
    goes.ask(Method::POST, "/sign-out").header("x-askfirst-csrf", csrf).send().await.unwrap();
    let refused = goes.page("/").header("x-forwarded-for", "203.0.113.7").send().await.unwrap();
    assert_eq!(refused.status(), 401);
    process.kill().await;
    let words = std::fs::read_to_string(&log).unwrap();
    let line = words.lines().find(|line| line.contains("203.0.113.7")).unwrap_or_else(|| panic!("{words}"));
    assert!(line.contains("unauthorized") && line.contains("request refused"), "{line}");
    assert!(!words.contains(TOKEN), "{words}");

    let process = Process::start(folder.path(), &[WITH_TOKEN]).await;
    (stays.base, goes.base) = (process.base.clone(), process.base.clone());
    assert_eq!((stays.me().await.0, goes.me().await.0), (200, 401));
    process.kill().await;
    let process = Process::start(folder.path(), &[("ASKFIRST_SERVER__TOKEN", "another token")]).await;
    stays.base = process.base.clone();
    assert_eq!(stays.me().await.0, 401, "who knew the old token is out");
    process.kill().await;
}

#[actix_web::test]
async fn everything_is_served_below_the_path_and_leads_below_it() {
    let app = spawn(&[WITH_TOKEN, BELOW]).await;
    let mut visitor = Visitor::connect(&format!("{}/askfirst", app.base));
    let cookie = visitor.signs_in().await;
    assert!(cookie.contains("Path=/askfirst"), "{cookie}");
    assert_eq!(
        location_of(&visitor.shows(TOKEN, "/askfirst/api/docs").send().await.unwrap()),
        "/askfirst/api/docs"
    );
    assert_eq!(location_of(&visitor.shows(TOKEN, "/api/docs").send().await.unwrap()), "/askfirst/");
    let html = visitor.page("/").send().await.unwrap().text().await.unwrap();
    assert!(!html.contains("=\"/static"), "what it loads is found from where it is: {html}");
    for path in ["/static/app.js", "/api/docs", "/api/runs", "/healthz", "/metrics", "/v1/models", "/demo/"] {
        assert_eq!(visitor.ask(Method::GET, path).send().await.unwrap().status(), 200, "{path}");
        if path != "/demo/" {
            let beside =
                Visitor { base: app.base.clone(), cookie: visitor.cookie.clone(), ..Visitor::connect("") };
            let refused = beside.ask(Method::GET, path).bearer_auth(TOKEN).send().await.unwrap();
            assert_eq!(refused.status(), 404, "{path}");
            assert!(refused.text().await.unwrap().contains("/askfirst/ (server.base_path)"), "{path}");
        }
    }
    let bare = Visitor::connect(&app.base)
        .ask(Method::GET, "/askfirst?x=1")
        .bearer_auth(TOKEN)
        .send()
        .await
        .unwrap();
    assert_eq!((bare.status().as_u16(), location_of(&bare)), (307, "/askfirst/?x=1"));
    let openapi = read(visitor.ask(Method::GET, "/api/openapi.json").send().await.unwrap()).await.1;
    assert_eq!(openapi["servers"], json!([{"url": "/askfirst"}]));
    let shop = visitor.page("/demo/").send().await.unwrap();
    assert!(shop.headers()["set-cookie"].to_str().unwrap().contains("Path=/askfirst/demo"));
    let shop = shop.text().await.unwrap();
    assert!(shop.contains("=\"/askfirst/demo/cart") && !shop.contains("=\"/demo/"), "{shop}");
    assert_eq!(location_of(&visitor.page("/demo").send().await.unwrap()), "/askfirst/demo/");
    drop(socket(&visitor).await);
    app.finish().await;
}

#[actix_web::test]
async fn a_page_refused_below_the_path_leads_back_below_it() {
    let app = spawn(&[WITH_TOKEN, BELOW]).await;
    let visitor = Visitor::connect(&format!("{}/askfirst", app.base));
    let html = visitor.page("/api/docs?x=1").send().await.unwrap().text().await.unwrap();
    assert!(html.contains("action=\"/askfirst/sign-in\""), "{html}");
    assert!(html.replace("&#x2f;", "/").contains("value=\"/askfirst/api/docs?x=1\""), "{html}");
    for file in html.split('"').filter(|part| part.starts_with("/askfirst/static/")) {
        let found = Visitor::connect(&app.base).ask(Method::GET, file).send().await.unwrap();
        assert_eq!(found.status(), 200, "{file}");
    }
    let by_address = visitor.page("/?token=a%20token%20of%20my%20own&x=1").send().await.unwrap();
    assert_eq!((by_address.status().as_u16(), location_of(&by_address)), (303, "/askfirst/?x=1"));
    app.finish().await;
}

#[actix_web::test]
async fn a_configured_token_is_not_printed_and_a_generated_one_is() {
    for (settings, printed) in [
        (&[WITH_TOKEN, ("ASKFIRST_SERVER__ALLOWED_HOSTS", r#"["askfirst.test"]"#)][..], false),
        (&[("ASKFIRST_SERVER__ALLOWED_HOSTS", r#"["askfirst.test"]"#)][..], true),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let output_file = folder.path().join("said.txt");
        let process = Process::start_with_output(folder.path(), settings, &output_file).await;
        let words = || std::fs::read_to_string(&output_file).unwrap();
        if printed {
            until("the address with the token", PATIENCE, || words().contains("?token=")).await;
        }
        let status = process.terminate().await;
        assert!(status.success(), "{status}");
        let words = words();
        assert_eq!(words.contains("token="), printed, "{words}");
        assert!(!words.contains(TOKEN) && !words.contains("a+token"), "{words}");
    }
}

// With cookies that go along with links of other sites, no GET may change anything.
#[actix_web::test]
async fn no_route_that_is_read_changes_anything() {
    let app = spawn(&[]).await;
    let visitor = Visitor::connect(&app.base);
    let state = async || {
        let mut state = BTreeMap::new();
        for path in [
            "/api/runs",
            "/api/questions",
            "/api/grants",
            "/api/audit",
            "/api/agents",
            "/api/tasks",
            "/api/browsers",
        ] {
            state.insert(path, read(visitor.ask(Method::GET, path).send().await.unwrap()).await);
        }
        state
    };
    let before = state().await;
    let mut asked = 0;
    for line in routes::table() {
        if !line.methods.contains(&Method::GET.as_str().parse().unwrap()) {
            continue;
        }
        let path = line.path.replace("{path:.*}", "app.js").replace("{name}", "browser");
        let path: String = path
            .split('/')
            .map(|part| if part.starts_with('{') { "1" } else { part })
            .collect::<Vec<_>>()
            .join("/");
        let answer = visitor.page(&path).send().await.unwrap();
        assert_ne!(answer.status().as_u16(), 500, "{path}");
        asked += 1;
    }
    assert!(asked > 30, "{asked}");
    assert_eq!(state().await, before);
    app.finish().await;
}
