//! A model that is connected in the page: its key, its list of models, the trial of it, and who works with it.

use crate::support::agents::{ended, get, run, with_settings};
use crate::support::app::{Process, TestApp, spawn};
use crate::support::model::{Reply, ScriptedModel};
use crate::support::model_checks::Rules;
use actix_web::dev::ServerHandle;
use actix_web::{App, HttpRequest, HttpResponse, HttpServer, web};
use askfirst::cli::doctor;
use askfirst::cli::doctor::finding::Grade;
use askfirst::config;
use askfirst::config::Settings;
use askfirst::config::layers::Flags;
use askfirst::model::connection::{ModelConnection, digit_picture};
use askfirst::protocol::Locale;
use reqwest::Method;
use serde_json::{Value, json};
use std::net::TcpListener;
use std::sync::{Arc, Mutex};

pub const KEY: &str = "sk-test-0123456789abcdef";

/// An endpoint as others make them; what it cannot do, it refuses in their words.
#[derive(Clone, Copy)]
pub struct Endpoint {
    pub lists: bool,
    pub schema: bool,
    pub streams: bool,
    pub sees: bool,
    pub key: Option<&'static str>,
}

pub const ABLE: Endpoint = Endpoint { lists: true, schema: true, streams: true, sees: true, key: None };

pub struct Served {
    pub base: String,
    authorizations: Arc<Mutex<Vec<Option<String>>>>,
    pub handle: ServerHandle,
}

impl Served {
    fn authorizations(&self) -> Vec<Option<String>> {
        std::mem::take(&mut self.authorizations.lock().unwrap())
    }
}

pub fn serve(endpoint: Endpoint) -> Served {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let base = format!("http://{}/v1", listener.local_addr().unwrap());
    let authorizations = Arc::new(Mutex::new(Vec::new()));
    let data = web::Data::new((endpoint, Arc::clone(&authorizations)));
    let app = move || {
        App::new()
            .app_data(data.clone())
            .app_data(web::JsonConfig::default().limit(4 * 1024 * 1024))
            .route("/v1/models", web::get().to(models))
            .route("/v1/chat/completions", web::post().to(complete))
    };
    let server = HttpServer::new(app).workers(1).disable_signals().listen(listener).unwrap().run();
    let handle = server.handle();
    actix_web::rt::spawn(server);
    Served { base, authorizations, handle }
}

type Data = web::Data<(Endpoint, Arc<Mutex<Vec<Option<String>>>>)>;

/// Refuses a wrong key as OpenAI does: by repeating it.
fn unauthorized(request: &HttpRequest, data: &Data) -> Option<HttpResponse> {
    let authorization =
        request.headers().get("authorization").and_then(|value| value.to_str().ok()).map(str::to_owned);
    data.1.lock().unwrap().push(authorization.clone());
    let wanted = data.0.key.map(|key| format!("Bearer {key}"));
    let words = format!(
        "Incorrect API key provided: {}. Find yours at example.com.",
        authorization.clone().unwrap_or_default()
    );
    (wanted.is_some() && authorization != wanted).then(|| {
        HttpResponse::Unauthorized().json(json!({"error": {"message": words, "code": "invalid_api_key"}}))
    })
}

async fn models(request: HttpRequest, data: Data) -> HttpResponse {
    match unauthorized(&request, &data) {
        Some(refused) => refused,
        None if data.0.lists => {
            let one = |id: &str| json!({"id": id, "object": "model"});
            HttpResponse::Ok().json(json!({"object": "list", "data": [one("small"), one("big:70b")]}))
        }
        None => HttpResponse::NotFound().json(json!({"detail": "Not Found"})),
    }
}

async fn complete(request: HttpRequest, data: Data, body: web::Json<Value>) -> HttpResponse {
    if let Some(refused) = unauthorized(&request, &data) {
        return refused;
    }
    let refuse = |words: &str| HttpResponse::BadRequest().json(json!({"error": {"message": words}}));
    let text = if body["response_format"]["type"] == "json_schema" {
        if !data.0.schema {
            return refuse("response_format json_schema is not supported");
        }
        turn()
    } else if body["response_format"]["type"] == "json_object" {
        turn()
    } else if body["stream"] == true && data.0.streams {
        let chunk = |text: &str| format!("data: {}\n\n", json!({"choices": [{"delta": {"content": text}}]}));
        let stream = ["one", " two"].map(chunk).concat() + "data: [DONE]\n\n";
        return HttpResponse::Ok().content_type("text/event-stream").body(stream);
    } else if let Some(picture) = body["messages"][0]["content"][1]["image_url"]["url"].as_str() {
        match data.0.sees {
            true => format!("It says {}.", read(picture)),
            false => return refuse("this model does not support image input"),
        }
    } else {
        String::from("ready")
    };
    HttpResponse::Ok().json(json!({"choices": [{"message": {"content": text}, "finish_reason": "stop"}]}))
}

fn turn() -> String {
    let stop = json!({"action_id": "a1", "action": "stop", "type": "tool", "params": {"response": "ready"}});
    json!({"status": "SUCCESS", "actions": [stop], "stop": true, "response": "ready"}).to_string()
}

/// Reads the number as an eye would: dot by dot.
fn read(picture: &str) -> String {
    use base64::Engine as _;
    let png = picture.strip_prefix("data:image/png;base64,").unwrap();
    let png = base64::engine::general_purpose::STANDARD.decode(png).unwrap();
    let picture = image::load_from_memory(&png).unwrap().to_rgb8();
    let black = |column: u32, row: u32| {
        let middle =
            |middle_dot: u32| (middle_dot + digit_picture::GAP) * digit_picture::DOT + digit_picture::DOT / 2;
        picture.get_pixel(middle(column), middle(row)).0[0] < 128
    };
    let digit = |at: u32| {
        let shape = |digit: usize| {
            let rows = digit_picture::SHAPES[digit];
            (0..digit_picture::HEIGHT).all(|row| {
                (0..digit_picture::WIDTH).all(|column| {
                    let bit = rows[row as usize] >> (digit_picture::WIDTH - 1 - column) & 1 == 1;
                    bit == black(at * (digit_picture::WIDTH + digit_picture::GAP) + column, row)
                })
            })
        };
        (0..10).find(|digit| shape(*digit)).unwrap().to_string()
    };
    (0..u32::try_from(digit_picture::COUNT).unwrap()).map(digit).collect()
}

async fn ask(app: &TestApp, method: Method, path: &str, body: Value) -> (u16, Value) {
    let request = reqwest::Client::new().request(method, format!("{}{path}", app.base));
    let request = if body.is_null() { request } else { request.json(&body) };
    let answer = request.send().await.unwrap();
    (answer.status().as_u16(), answer.json().await.unwrap_or_default())
}

async fn put(app: &TestApp, body: Value) -> (u16, Value) {
    ask(app, Method::PUT, "/api/model", body).await
}

fn settings(app: &TestApp) -> Settings {
    let flags = Flags { data_dir: Some(app.data()), port: Some(0), ..Flags::default() };
    Settings::load(&flags, []).unwrap()
}

fn stored_key(app: &TestApp) -> Option<String> {
    let connected = ModelConnection::open(&settings(app).model, &app.data()).unwrap().current();
    connected.settings.api_key.as_ref().map(|key| key.expose().to_owned())
}

#[actix_web::test]
async fn a_connected_model_plans_the_next_run_and_its_key_is_never_disclosed() {
    let rules = Rules { key: Some(KEY), several_runs: true, ..Rules::default() };
    let model = ScriptedModel::answering(rules, |_| Reply::stop("planned"));
    let app = spawn(&[]).await;
    let before = get(&app, "/api/model").await;
    let none = json!({"configured": false, "base_url": null, "model": null, "key": "none", "source": "file",
        "key_env": null, "structured": "json_schema"});
    assert_eq!(before, none);
    assert_eq!(get(&app, "/api/settings").await["planner"], "commands");

    let wish =
        json!({"base_url": format!("{}/", model.base_url), "model": "mind", "key": format!(" {KEY}\n")});
    let (status, now) = put(&app, wish).await;
    let connected = json!({"configured": true, "base_url": model.base_url, "model": "mind", "key": "set",
        "source": "page", "key_env": null, "structured": "json_schema"});
    assert_eq!((status, &now), (200, &connected));
    assert_eq!(get(&app, "/api/model").await, connected);
    let about = get(&app, "/api/settings").await;
    assert_eq!((&about["planner"], &about["model"]), (&json!("model"), &json!("mind")));

    // Without a start in between.
    let done = run(&app, "assistant", json!({"text": "plan something"})).await;
    assert_eq!(done["ok"], true, "{done}");
    // A task with a model of its own.
    let start = json!({"agent": "assistant", "input": {"text": "plan it well"}, "model": "deep"});
    let (status, begun) = ask(&app, Method::POST, "/api/runs", start).await;
    assert_eq!(status, 201, "{begun}");
    let deep = begun["run_id"].as_str().unwrap().to_owned();
    assert_eq!(ended(&app, &deep).await["model"], "deep");
    let asked: Vec<String> =
        model.requests().iter().map(|request| request.body["model"].as_str().unwrap().to_owned()).collect();
    assert!(asked.contains(&String::from("mind")) && asked.last().unwrap() == "deep", "{asked:?}");

    // After a start it is the same, and nothing tells the key.
    assert_eq!(stored_key(&app).as_deref(), Some(KEY));
    let exported = get(&app, &format!("/api/runs/{deep}/export")).await.to_string();
    assert!(!exported.contains(KEY) && !about.to_string().contains(KEY) && !now.to_string().contains(KEY));
    assert_eq!(crate::conversation_secrets::holders(&app.data(), &[KEY]), Vec::<String>::new());
    #[cfg(unix)]
    for file in ["model.json", "model.key"] {
        use std::os::unix::fs::PermissionsExt;
        let mode = std::fs::metadata(app.data().join(file)).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{file}");
    }

    let (status, after) = ask(&app, Method::DELETE, "/api/model", Value::Null).await;
    assert_eq!((status, after), (200, none));
    assert_eq!(stored_key(&app), None);
    assert_eq!(get(&app, "/api/settings").await["planner"], "commands");
    model.finish();
    app.finish().await;
}

#[actix_web::test]
async fn the_key_stays_as_long_as_the_address_does() {
    let (one, two) = (serve(Endpoint { key: Some(KEY), ..ABLE }), serve(ABLE));
    let app = spawn(&[]).await;
    put(&app, json!({"base_url": one.base, "model": "small", "key": KEY})).await;
    let (_, other_model) = put(&app, json!({"base_url": one.base, "model": "big:70b"})).await;
    assert_eq!((&other_model["key"], stored_key(&app).as_deref()), (&json!("set"), Some(KEY)));
    // A trial of another address does not get it, nor does its list.
    let there = json!({"base_url": two.base, "model": "small"});
    ask(&app, Method::POST, "/api/model/test", there.clone()).await;
    ask(&app, Method::POST, "/api/model/models", json!({"base_url": two.base})).await;
    let sent = two.authorizations();
    assert!(!sent.is_empty() && sent.iter().all(Option::is_none), "{sent:?}");
    let (_, moved) = put(&app, there).await;
    assert_eq!((&moved["key"], stored_key(&app)), (&json!("none"), None));
    put(&app, json!({"base_url": one.base, "model": "small", "key": KEY})).await;
    let (_, removed) = put(&app, json!({"base_url": one.base, "model": "small", "key": null})).await;
    assert_eq!((&removed["key"], stored_key(&app)), (&json!("none"), None));
    for served in [one, two] {
        served.handle.stop(false).await;
    }
    app.finish().await;
}

#[actix_web::test]
async fn an_invalid_model_connection_is_refused_and_changes_nothing() {
    let app = spawn(&[]).await;
    for (wish, expected) in [
        (json!({"model": "m"}), "`base_url` is missing"),
        (json!({"base_url": "http://127.0.0.1:1/v1"}), "`model` is missing"),
        (json!({"base_url": "127.0.0.1:11434", "model": "m"}), "http"),
        (json!({"base_url": "ftp://a.test/v1", "model": "m"}), "http:// or https://"),
        (json!({"base_url": "file:///etc/passwd", "model": "m"}), "http:// or https://"),
        (json!({"base_url": "https://me:secret@a.test/v1", "model": "m"}), "no user name or password"),
        (json!({"base_url": "https://a.test/v1?key=1", "model": "m"}), "without ? and #"),
        (json!({"base_url": "https://a.test/v1", "model": "  "}), "`model` is empty"),
        (json!({"base_url": "https://a.test/v1", "model": "m\u{0}"}), "not the name"),
        (json!({"base_url": "https://a.test/v1", "model": "m", "key": "two words"}), "no key has"),
        (json!({"base_url": "https://a.test/v1", "model": "m", "key_env": "HOME"}), "API_KEY"),
        (
            json!({"base_url": "https://a.test/v1", "model": "m", "key_env": "NOBODY_SET_API_KEY"}),
            "is not set",
        ),
        (
            json!({"base_url": "https://a.test/v1", "model": "m", "key": "k", "key_env": "X_API_KEY"}),
            "not both",
        ),
    ] {
        let (status, problem) = put(&app, wish.clone()).await;
        let detail = problem["detail"].as_str().unwrap_or_default();
        assert_eq!((status, &problem["code"]), (422, &json!("bad_model")), "{wish}: {problem}");
        assert!(detail.contains(expected) && !detail.contains("secret@"), "{wish}: {detail}");
    }
    assert_eq!(get(&app, "/api/model").await["configured"], false);
    let (status, problem) = ask(&app, Method::GET, "/api/model/models", Value::Null).await;
    assert_eq!((status, &problem["code"]), (404, &json!("no_model")));
    let (status, problem) = ask(&app, Method::POST, "/api/model/test", Value::Null).await;
    assert_eq!((status, &problem["code"]), (404, &json!("no_model")));
    app.finish().await;
}

// Redirects of an endpoint are not followed: the other address gets neither the key nor a request.
#[actix_web::test]
async fn an_endpoint_that_redirects_is_refused_and_the_other_address_gets_nothing() {
    let other = serve(ABLE);
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let base = format!("http://{}/v1", listener.local_addr().unwrap());
    let target = other.base.clone();
    let redirect = move |request: HttpRequest| {
        let location = format!("{target}{}", request.path().trim_start_matches("/v1"));
        async move { HttpResponse::TemporaryRedirect().insert_header(("location", location)).finish() }
    };
    let app = move || App::new().default_service(web::to(redirect.clone()));
    let server = HttpServer::new(app).workers(1).disable_signals().listen(listener).unwrap().run();
    let handle = server.handle();
    actix_web::rt::spawn(server);

    let app = spawn(&[]).await;
    let wish = json!({"base_url": base, "model": "small", "key": KEY});
    let (status, problem) = ask(&app, Method::POST, "/api/model/models", wish.clone()).await;
    assert_eq!((status, &problem["code"]), (502, &json!("model_unreachable")), "{problem}");
    let (_, report) = ask(&app, Method::POST, "/api/model/test", wish).await;
    assert_eq!(report["ok"], false, "{report}");
    assert!(report["checks"][0]["detail"].as_str().unwrap().contains("redirects elsewhere"), "{report}");
    assert!(other.authorizations().is_empty(), "nothing is sent there");
    handle.stop(false).await;
    other.handle.stop(false).await;
    app.finish().await;
}

#[actix_web::test]
async fn models_of_the_endpoint_are_listed_or_the_reason_is_given() {
    let (able, silent, keyed) =
        (serve(ABLE), serve(Endpoint { lists: false, ..ABLE }), serve(Endpoint { key: Some(KEY), ..ABLE }));
    let app = spawn(&[]).await;
    put(&app, json!({"base_url": able.base, "model": "small"})).await;
    let (status, listed) = ask(&app, Method::GET, "/api/model/models", Value::Null).await;
    assert_eq!((status, listed), (200, json!({"models": ["big:70b", "small"]})));
    let nowhere = json!({"base_url": "http://127.0.0.1:1/v1"});
    for (wish, code) in [
        (json!({"base_url": silent.base}), "models_not_listed"),
        (json!({"base_url": keyed.base, "key": "sk-wrong-0123456789"}), "key_refused"),
        (nowhere, "model_unreachable"),
    ] {
        let (status, problem) = ask(&app, Method::POST, "/api/model/models", wish).await;
        assert_eq!((status, &problem["code"]), (502, &json!(code)), "{problem}");
        assert!(!problem.to_string().contains("sk-wrong"), "{problem}");
    }
    let (_, listed) =
        ask(&app, Method::POST, "/api/model/models", json!({"base_url": keyed.base, "key": KEY})).await;
    assert_eq!(listed["models"][1], "small");
    // `askfirst doctor` checks the connection that was set in the page.
    let found = doctor::run_checks(&settings(&app), Locale::En).await;
    let model = found.iter().find(|finding| finding.subject == "model").unwrap();
    assert!(model.grade == Grade::Good && model.text.contains("small plans"), "{model:?}");
    for served in [able, silent, keyed] {
        served.handle.stop(false).await;
    }
    app.finish().await;
}

#[actix_web::test]
async fn testing_a_model_connection_makes_real_requests() {
    let app = spawn(&[]).await;
    let works = |report: &Value| -> Vec<bool> {
        let checks = report["checks"].as_array().unwrap();
        let names: Vec<&str> = checks.iter().map(|check| check["name"].as_str().unwrap()).collect();
        assert_eq!(names, ["reachable", "schema", "streaming", "pictures"]);
        assert!(
            checks.iter().all(|check| check["ms"].is_u64() && !check["detail"].as_str().unwrap().is_empty())
        );
        checks.iter().map(|check| check["ok"].as_bool().unwrap()).collect()
    };
    for (endpoint, ok, found, structured) in [
        (ABLE, true, [true, true, true, true], json!("json_schema")),
        (Endpoint { schema: false, ..ABLE }, true, [true, false, true, true], json!("json_object")),
        (
            Endpoint { streams: false, sees: false, ..ABLE },
            true,
            [true, true, false, false],
            json!("json_schema"),
        ),
        (Endpoint { key: Some("sk-other-0123456789"), ..ABLE }, false, [false; 4], Value::Null),
    ] {
        let served = serve(endpoint);
        let wish = json!({"base_url": served.base, "model": "small", "key": KEY, "locale": "en"});
        let (status, report) = ask(&app, Method::POST, "/api/model/test", wish).await;
        assert_eq!(status, 200, "{report}");
        assert_eq!(works(&report), found, "{report}");
        assert_eq!((&report["ok"], &report["structured"]), (&json!(ok), &structured), "{report}");
        assert!(!report.to_string().contains(KEY), "{report}");
        served.handle.stop(false).await;
    }
    let nowhere = json!({"base_url": "http://127.0.0.1:1/v1", "model": "small", "locale": "uk"});
    let (_, report) = ask(&app, Method::POST, "/api/model/test", nowhere).await;
    assert_eq!(works(&report), [false; 4]);
    assert!(report["checks"][0]["detail"].as_str().unwrap().contains("Немає зв’язку"), "{report}");
    assert_eq!(get(&app, "/api/model").await["configured"], false, "nothing of a trial is kept");
    // The abilities found are stored with the connection.
    let weak = serve(Endpoint { schema: false, ..ABLE });
    let wish = json!({"base_url": weak.base, "model": "small", "structured": "json_object"});
    assert_eq!(put(&app, wish).await.1["structured"], "json_object");
    assert_eq!(
        works(&ask(&app, Method::POST, "/api/model/test", Value::Null).await.1),
        [true, false, true, true]
    );
    weak.handle.stop(false).await;
    app.finish().await;
}

#[actix_web::test]
async fn a_run_that_is_taken_up_again_works_with_the_model_of_that_moment() {
    let which = json!({"question": "Which one?", "answer_key": "which", "options": []});
    let one = ScriptedModel::start(vec![Reply::act("ask_user", which)]);
    let two = ScriptedModel::start(vec![Reply::stop("this one")]);
    let app = with_settings(&[], Some(&one), &[]).await;
    let start = json!({"agent": "assistant", "input": {"text": "choose"}, "wait": true});
    let (status, waiting) = ask(&app, Method::POST, "/api/runs", start).await;
    assert_eq!(status, 202, "{waiting}");
    let (run, reference) =
        (waiting["run_id"].as_str().unwrap(), waiting["questions"][0]["reference"].as_str().unwrap());
    assert_eq!(put(&app, json!({"base_url": two.base_url, "model": "other"})).await.0, 200);
    let answer = json!({"text": "this"});
    assert_eq!(ask(&app, Method::POST, &format!("/api/questions/{reference}"), answer).await.0, 200);
    assert_eq!(ended(&app, run).await["final_response"], "this one");
    assert_eq!(two.requests()[0].body["model"], "other");
    one.finish();
    two.finish();
    app.finish().await;
}

#[actix_web::test]
async fn a_key_is_taken_from_a_variable_of_the_environment() {
    let endpoint = serve(Endpoint { key: Some(KEY), ..ABLE });
    let folder = tempfile::tempdir().unwrap();
    let service = Process::start(folder.path(), &[("LENT_API_KEY", KEY)]).await;
    let client = reqwest::Client::new();
    let url = format!("{}/api/model", service.base);
    let wish = json!({"base_url": endpoint.base, "model": "small", "key_env": "LENT_API_KEY"});
    let now: Value = client.put(&url).json(&wish).send().await.unwrap().json().await.unwrap();
    assert_eq!((&now["key"], &now["key_env"]), (&json!("env"), &json!("LENT_API_KEY")), "{now}");
    let listed: Value = client.get(format!("{url}/models")).send().await.unwrap().json().await.unwrap();
    assert_eq!(listed["models"][1], "small", "{listed}");
    assert_eq!(crate::conversation_secrets::holders(folder.path(), &[KEY]), Vec::<String>::new());
    assert!(service.terminate().await.success());
    endpoint.handle.stop(false).await;
}

// Roles that the settings name are models of the settings' own endpoint.
#[test]
fn models_of_other_roles_stay_at_their_own_endpoint() {
    let home = tempfile::tempdir().unwrap();
    let flags = Flags { data_dir: Some(home.path().to_owned()), ..Flags::default() };
    let vars = [
        ("OPENAI_API_KEY", "sk-settings-0123"),
        ("ASKFIRST_MODEL__BASE_URL", "https://a.test/v1"),
        ("ASKFIRST_MODEL__JUDGE", "judge"),
    ];
    let vars = vars.map(|(name, value)| (name.to_owned(), value.to_owned()));
    let settings: config::Model = Settings::load(&flags, vars).unwrap().model;
    let connection = ModelConnection::open(&settings, home.path()).unwrap();
    let wish = |base_url: &str| askfirst::model::connection::ConnectionChange {
        base_url: base_url.to_owned(),
        model: String::from("m"),
        key: askfirst::model::connection::KeyChange::Keep,
        structured: None,
    };
    let now = |connection: &ModelConnection| {
        let now = connection.current();
        (json!([now.key, now.source]), now.settings.judge.clone(), now.settings.api_key.is_some())
    };
    let judge = Some(String::from("judge"));
    assert_eq!(now(&connection), (json!(["env", "file"]), judge.clone(), true));
    connection.connect(wish("https://a.test/v1/")).unwrap();
    assert_eq!(now(&connection), (json!(["env", "page"]), judge, true), "the settings' key is theirs to use");
    connection.connect(wish("https://b.test/v1")).unwrap();
    assert_eq!(now(&connection), (json!(["none", "page"]), None, false));
    // A damaged file is no reason not to start.
    std::fs::write(home.path().join("model.json"), "{").unwrap();
    assert_eq!(now(&ModelConnection::open(&settings, home.path()).unwrap()).0, json!(["env", "file"]));
}
