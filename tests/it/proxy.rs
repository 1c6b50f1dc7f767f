//! The service behind nginx with TLS, a token and a sub-path, under a name that only a person's browser knows: page,
//! socket, live view, questions, `/v1`, MCP, signing in and out, by a real Chromium.

use crate::support::app::{PATIENCE, Process, free_port, until};
use crate::support::devtools::Page;
use crate::support::installed::assert_on_path;
use crate::support::person::Person;
use crate::support::talk::slot;
use crate::support::ui::Words;
use serde_json::{Value, json};
use std::net::TcpStream;
use std::path::Path;

const TOKEN: &str = "0123456789abcdef of a person";

/// nginx in a folder of its own, with a certificate that it has signed itself.
struct Nginx {
    child: tokio::process::Child,
    public: String,
    other: String,
}

impl Nginx {
    async fn start(folder: &Path, port: u16, other: u16, service: &str) -> Self {
        let certificate = std::process::Command::new("openssl")
            .args([
                "req",
                "-x509",
                "-newkey",
                "ec",
                "-pkeyopt",
                "ec_paramgen_curve:prime256v1",
                "-nodes",
                "-days",
                "2",
            ])
            .args(["-subj", "/CN=askfirst.test", "-keyout", "key.pem", "-out", "cert.pem"])
            .current_dir(folder)
            .output()
            .unwrap();
        assert!(certificate.status.success(), "{certificate:?}");
        let (public, elsewhere) =
            (format!("https://askfirst.test:{port}/askfirst"), format!("https://elsewhere.test:{other}"));
        let upstream = service.strip_suffix("/askfirst").expect("it says its path");
        std::fs::write(folder.join("nginx.conf"), conf(folder, port, other, upstream)).unwrap();
        std::fs::write(folder.join("index.html"), elsewhere_page(&public)).unwrap();
        let log = std::fs::File::create(folder.join("nginx.log")).unwrap();
        let child = tokio::process::Command::new("nginx")
            .env("PATH", format!("{}:/usr/sbin:/usr/local/sbin", std::env::var("PATH").unwrap_or_default()))
            .args(["-e", "stderr", "-p"])
            .arg(folder)
            .arg("-c")
            .arg(folder.join("nginx.conf"))
            .stderr(log)
            .kill_on_drop(true)
            .spawn()
            .unwrap();
        until("nginx listens", PATIENCE, || TcpStream::connect(("127.0.0.1", port)).is_ok()).await;
        Self { child, public, other: elsewhere }
    }

    async fn finish(mut self) {
        self.child.kill().await.unwrap();
    }
}

/// Configuration of nginx: that of `deploy/nginx.conf` below a path, beside another site.
fn conf(folder: &Path, port: u16, other: u16, upstream: &str) -> String {
    let folder = folder.display();
    let shipped = [
        ("listen 443 ssl;", format!("listen 127.0.0.1:{port} ssl;")),
        ("server_name askfirst.example;", String::from("server_name askfirst.test;")),
        ("/etc/ssl/askfirst.pem", format!("{folder}/cert.pem")),
        ("/etc/ssl/askfirst.key", format!("{folder}/key.pem")),
        ("server 127.0.0.1:8787 ", format!("server {} ", upstream.trim_start_matches("http://"))),
        ("location / {", String::from("location /askfirst {")),
    ]
    .into_iter()
    .fold(include_str!("../../deploy/nginx.conf").to_owned(), |conf, (from, to)| {
        assert!(conf.contains(from), "deploy/nginx.conf lacks `{from}`");
        conf.replace(from, &to)
    });
    format!(
        r#"
daemon off;
master_process off;
pid {folder}/nginx.pid;
events {{}}
http {{
    access_log off;
    client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy; fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi; scgi_temp_path {folder}/scgi;
    {shipped}
    server {{
        listen 127.0.0.1:{other} ssl;
        server_name elsewhere.test;
        ssl_certificate {folder}/cert.pem;
        ssl_certificate_key {folder}/key.pem;
        root {folder};
        default_type text/html;
    }}
}}
"#
    )
}

/// A page of another site: a link, and a form that sends something in the person's name.
fn elsewhere_page(public: &str) -> String {
    format!(
        "<!doctype html><title>Elsewhere</title><a id='link' href='{public}/#/agents'>Askfirst</a>\
         <form id='forged' method='post' enctype='text/plain' action='{public}/api/runs'>\
         <input name='{{\"agent\":\"browser\",\"input\":{{\"text\":\"forged\"}},\"x\":\"' value='\"}}'></form>\
         <form id='out' method='post' action='{public}/sign-out'></form>"
    )
}

/// Shows the token on the page to sign in at.
async fn shows_token(page: &mut Page, token: &str) {
    let script = format!(
        "document.querySelector('#token').value = {}; document.querySelector('form').requestSubmit()",
        json!(token)
    );
    page.run(&script).await;
}

/// The page of the service, on the line.
const CONNECTED: &str = "document.querySelector('af-topbar .connection')?.dataset.state === 'open'";
const SIGN_IN: &str = "document.querySelector('form #token') !== null";

#[actix_web::test]
#[ignore = "needs Chromium and nginx; make test runs it"]
async fn behind_nginx_with_tls_a_token_and_a_path_everything_works_in_a_real_browser() {
    let _slot = slot().await;
    ["nginx", "openssl"].into_iter().for_each(assert_on_path);
    let folder = tempfile::tempdir().unwrap();
    let (port, other) = (free_port(), free_port());
    let allowed = json!([format!("askfirst.test:{port}")]).to_string();
    let settings = [
        ("ASKFIRST_SERVER__TOKEN", TOKEN),
        ("ASKFIRST_SERVER__BASE_PATH", "/askfirst"),
        ("ASKFIRST_SERVER__ALLOWED_HOSTS", allowed.as_str()),
    ];
    let log = folder.path().join("log.txt");
    let process = Process::logged(folder.path(), &settings, &log).await;
    let nginx = Nginx::start(folder.path(), port, other, &process.base).await;
    let person = Person::start().await;
    let mut page = person.window().await;

    signs_in(&mut page, &nginx).await;
    does_the_demo(&mut page).await;
    speaks_as_a_program(&mut page).await;
    check_links_and_forms_of_other_sites(&mut page, &nginx).await;
    signs_out(&mut page, &nginx).await;

    person.finish().await;
    nginx.finish().await;
    assert!(process.terminate().await.success());
    let words = std::fs::read_to_string(&log).unwrap();
    let refused =
        |code: &str, client: &str| words.lines().any(|line| line.contains(code) && line.contains(client));
    assert!(refused("unauthorized", "203.0.113.7"), "{words}");
    assert!(refused("bad_origin", "127.0.0.1") && refused("wrong_token", "127.0.0.1"), "{words}");
    assert!(!words.contains(TOKEN), "{words}");
}

async fn signs_in(page: &mut Page, nginx: &Nginx) {
    let words = Words::load("en");
    page.opens(&format!("{}/#/agents", nginx.public), SIGN_IN).await;
    assert_eq!(page.run("document.title").await, "Sign in · Askfirst");
    assert_eq!(
        page.run("getComputedStyle(document.querySelector('.signin-card')).borderRadius").await,
        "18px"
    );
    shows_token(page, "not the token").await;
    page.shows(&format!(
        "document.querySelector('#fault')?.innerText === {}",
        json!(words.get("signin.wrong"))
    ))
    .await;
    shows_token(page, TOKEN).await;
    page.shows(CONNECTED).await;
    assert_eq!(page.run("location.pathname + location.hash").await, "/askfirst/#/agents", "the way is kept");

    let cookies = page.call("Network.getCookies", json!({"urls": [nginx.public]})).await;
    let [cookie] = cookies["cookies"].as_array().unwrap().as_slice() else { panic!("{cookies}") };
    assert_eq!((&cookie["httpOnly"], &cookie["secure"]), (&json!(true), &json!(true)));
    assert_eq!((&cookie["sameSite"], &cookie["path"]), (&json!("Lax"), &json!("/askfirst")));
    assert!(!cookie.to_string().contains(TOKEN));
    let days =
        page.run(&format!("({} - Date.now() / 1000) / 86400", cookie["expires"])).await.as_f64().unwrap();
    assert!((29.0..31.0).contains(&days), "{days}");
}

/// In one click, though the server does not know the name that the person reaches it by.
async fn does_the_demo(page: &mut Page) {
    let words = Words::load("en");
    page.run("location.hash = '#/new'").await;
    let start = format!(
        "[...document.querySelectorAll('button')].find((one) => one.innerText.trim() === {})",
        json!(words.get("demo.start"))
    );
    page.shows(&format!("{start} !== undefined")).await;
    page.run(&format!("{start}.click()")).await;
    let picture = "document.querySelector('.card-picture')";
    for _ in 0..2 {
        // The card of the question before may still be there, without its buttons.
        page.shows("document.querySelector('[data-testid=approve]') !== null").await;
        page.shows(&format!("{picture}?.complete && {picture}.naturalWidth > 100")).await;
        // Pictures of the live view have come over the socket.
        page.shows("document.querySelector('[data-mode=live] canvas')?.width > 300").await;
        let asked = page.run("document.querySelector('af-question').innerText").await;
        page.run("document.querySelector('[data-testid=approve]').click()").await;
        page.shows(&format!("document.querySelector('af-question').innerText !== {asked} || document.querySelector('af-question').hidden")).await;
    }
    let done = words.get("ended.succeeded");
    page.shows(&format!("document.querySelector('af-chat').innerText.includes({})", json!(done))).await;
    let shop = page.fetches("demo/", &json!({})).await;
    assert!(shop.1.contains("=\"/askfirst/demo/cart"), "{shop:?}");
}

/// Programs show the token as a bearer, and no cookie.
async fn speaks_as_a_program(page: &mut Page) {
    let bearer = format!("Bearer {TOKEN}");
    let ask = |method: &str, body: Option<Value>| {
        let headers = json!({
            "authorization": bearer, "content-type": "application/json",
            "accept": "application/json, text/event-stream",
        });
        let body = body.map(|body| body.to_string());
        json!({"method": method, "headers": headers, "credentials": "omit", "body": body})
    };
    let (status, models) = page.fetches("v1/models", &ask("GET", None)).await;
    assert!(status == 200 && models.contains("\"browser\""), "{status} {models}");
    let hello = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-03-26", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"},
    }});
    let (status, hello) = page.fetches("mcp", &ask("POST", Some(hello))).await;
    assert!(status == 200 && hello.contains("serverInfo"), "{status} {hello}");
    let complete = json!({"model": "nobody", "messages": [{"role": "user", "content": "x"}]});
    let (status, none) = page.fetches("v1/chat/completions", &ask("POST", Some(complete))).await;
    assert!(status == 404 && none.contains("model_not_found"), "{status} {none}");

    let mut wrong = ask("GET", None);
    wrong["headers"] = json!({"authorization": "Bearer wrong", "x-forwarded-for": "203.0.113.7"});
    let (status, problem) = page.fetches("api/runs", &wrong).await;
    assert!(status == 401 && problem.contains("unauthorized"), "{status} {problem}");
    let forged = json!({"method": "POST", "headers": {"content-type": "application/json"}, "body": "{}"});
    let (status, problem) = page.fetches("api/runs", &forged).await;
    assert!(status == 403 && problem.contains("forgery"), "{status} {problem}");
}

/// A link works for somebody signed in; a form that another site sends does not.
async fn check_links_and_forms_of_other_sites(page: &mut Page, nginx: &Nginx) {
    let elsewhere = "document.title === 'Elsewhere'";
    page.opens(&nginx.other, elsewhere).await;
    page.presses("#link").await;
    page.shows(CONNECTED).await;
    assert_eq!(page.run("location.pathname + location.hash").await, "/askfirst/#/agents");
    let count = "fetch('api/runs').then((a) => a.json()).then((a) => a.items.length)";
    let runs = page.run(count).await;
    for form in ["#forged", "#out"] {
        page.opens(&nginx.other, elsewhere).await;
        page.run(&format!("document.querySelector('{form}').submit()")).await;
        page.shows("document.body.innerText.includes('bad_origin')").await;
    }
    page.opens(&format!("{}/#/new", nginx.public), CONNECTED).await;
    assert_eq!(page.run(count).await, runs, "nothing was started");
}

async fn signs_out(page: &mut Page, nginx: &Nginx) {
    let words = Words::load("en");
    let cookies = page.call("Network.getCookies", json!({"urls": [nginx.public]})).await;
    let stolen = cookies["cookies"][0].clone();
    // A second window of the same browser, with words that are not sent.
    page.run("document.querySelector('#composer-input').value = 'a long order'").await;
    let button = "document.querySelector('[data-testid=signout]')";
    assert_eq!(page.run(&format!("{button}.innerText.trim()")).await, json!(words.get("signout")));
    page.run("void fetch('api/me').then((a) => a.json()).then((me) => fetch('sign-out', {method: 'POST', redirect: 'manual', headers: {'x-askfirst-csrf': me.csrf}}))").await;
    // The page hears of it by its socket, and leads to where one signs in.
    page.shows(SIGN_IN).await;
    shows_token(page, TOKEN).await;
    page.shows(CONNECTED).await;
    page.shows("document.querySelector('#composer-input')?.value === 'a long order'").await;
    assert_eq!(page.run("location.hash").await, "#/new");

    page.presses("[data-testid=signout]").await;
    page.shows(SIGN_IN).await;
    let put = json!({
        "name": stolen["name"], "value": stolen["value"], "url": nginx.public, "path": "/askfirst",
        "secure": true, "httpOnly": true,
    });
    page.call("Network.setCookie", put).await;
    assert_eq!(page.fetches("api/me", &json!({})).await.0, 401, "a stolen cookie is dead");
}
