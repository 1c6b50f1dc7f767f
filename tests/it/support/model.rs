//! A scripted OpenAI-compatible endpoint on a free port. It answers each request with the next reply of its
//! script, and checks every request against the protocol (`model_checks.rs`). When finished or dropped, it
//! fails the test if replies are left or a request broke a rule.

use super::model_checks::{Rules, violations};
use super::reader;
use actix_web::dev::ServerHandle;
use actix_web::{App, HttpRequest, HttpResponse, HttpServer, web};
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::sync::{oneshot, watch};

/// A reply of the script.
pub enum Reply {
    /// A turn as the content of a chat completion.
    Turn(Value),
    /// Any text as the content of a chat completion.
    Text(String),
    /// A whole response body with status 200.
    Body(Value),
    /// A status with headers and a body.
    Status(u16, Vec<(&'static str, String)>, String),
    /// A body that breaks off in the middle.
    CutOff,
    /// A body that never ends.
    Endless,
    /// A reply that is sent when its `Release` is used or dropped.
    Stalled(oneshot::Receiver<()>, Box<Reply>),
    /// An event stream, written by its `StreamWriter`, with keep-alives between.
    Streamed(UnboundedReceiver<String>),
    /// A reply made from the request, for example from the page in it.
    Seen(Box<dyn FnOnce(&Request) -> Reply + Send>),
}

type Always = Box<dyn Fn(&Request) -> Reply + Send + Sync>;

/// Releases a stalled reply when dropped.
pub struct Release(#[allow(dead_code, reason = "dropping it releases")] oneshot::Sender<()>);

/// Writes a streamed reply. Dropping it ends the stream.
pub struct StreamWriter(UnboundedSender<String>);

impl StreamWriter {
    /// Writes a piece of the answer's text.
    pub fn text(&self, piece: &str) {
        self.event(
            &json!({ "model": "scripted", "choices": [{ "index": 0, "delta": { "content": piece } }] }),
        );
    }

    pub fn event(&self, event: &Value) {
        self.0.send(format!("data: {event}\n\n")).expect("the stream is open");
    }

    /// Ends the stream as endpoints do: the reason, the usage, and the last line.
    pub fn done(self) {
        self.event(&json!({ "choices": [{ "index": 0, "delta": {}, "finish_reason": "stop" }] }));
        self.event(&json!({ "choices": [], "usage": { "prompt_tokens": 1234, "completion_tokens": 56 } }));
        self.0.send(String::from("data: [DONE]\n\n")).expect("the stream is open");
    }
}

/// A captured request.
#[derive(Clone, Debug)]
pub struct Request {
    pub body: Value,
    pub authorization: Option<String>,
}

pub struct ScriptedModel {
    /// Value for the setting `model.base_url`.
    pub base_url: String,
    stage: Arc<Stage>,
    server: ServerHandle,
    thread: Option<JoinHandle<()>>,
    finished: bool,
}

struct Stage {
    script: Mutex<VecDeque<Reply>>,
    /// Answers requests beyond the script.
    always: Option<Always>,
    requests: Mutex<Vec<Request>>,
    faults: Mutex<Vec<String>>,
    rules: Rules,
    arrived: watch::Sender<usize>,
    aborted: watch::Sender<usize>,
}

/// Action, role and name of its element if it has one, and further parameters.
pub type Step = (&'static str, Option<(&'static str, &'static str)>, Value);

impl Reply {
    /// A turn with one action.
    pub fn act(action: &str, params: Value) -> Self {
        Self::Turn(turn(action, params))
    }

    /// A turn that ends the run.
    pub fn stop(response: &str) -> Self {
        let mut reply = turn("stop", json!({ "response": response }));
        reply["status"] = json!("SUCCESS");
        reply["stop"] = json!(true);
        reply["response"] = json!(response);
        Self::Turn(reply)
    }

    /// An action on the element with this role and name on the current page.
    pub fn on(action: &'static str, role: &'static str, name: &'static str, params: Value) -> Self {
        Self::seen(move |request| {
            let mut params = params;
            params["eid"] = json!(eid_of(&request.page(), role, name));
            Self::act(action, params)
        })
    }

    /// A turn with several actions. Those with a role and name act on that element of the current page.
    pub fn several(steps: Vec<Step>) -> Self {
        Self::seen(move |request| {
            let page = request.page();
            let mut reply = turn("", json!({}));
            let actions = steps.into_iter().enumerate().map(|(index, (action, element, mut params))| {
                if let Some((role, name)) = element {
                    params["eid"] = json!(eid_of(&page, role, name));
                }
                let mut call = turn(action, params)["actions"][0].take();
                call["action_id"] = json!(format!("a{}", index + 1));
                call
            });
            reply["actions"] = actions.collect();
            Self::Turn(reply)
        })
    }

    pub fn click(role: &'static str, name: &'static str) -> Self {
        Self::on("click", role, name, json!({}))
    }

    pub fn fill(name: &'static str, text: &'static str) -> Self {
        Self::on("type", "textbox", name, json!({ "text": text }))
    }

    pub fn seen(make: impl FnOnce(&Request) -> Self + Send + 'static) -> Self {
        Self::Seen(Box::new(make))
    }

    pub fn status(code: u16, message: &str) -> Self {
        let body = json!({ "error": { "message": message, "type": "test", "code": null } });
        Self::Status(code, Vec::new(), body.to_string())
    }

    pub fn with_header(self, name: &'static str, value: &str) -> Self {
        match self {
            Self::Status(code, mut headers, body) => {
                headers.push((name, value.to_owned()));
                Self::Status(code, headers, body)
            }
            _ => panic!("only a status has headers"),
        }
    }

    /// Returns the body of a reply with status 200.
    fn body(self, request: &Request) -> String {
        match self {
            Self::Turn(turn) => completion(&turn.to_string()).to_string(),
            Self::Text(text) => completion(&text).to_string(),
            Self::Body(body) => body.to_string(),
            Self::Seen(make) => make(request).body(request),
            Self::Status(..) | Self::CutOff | Self::Endless | Self::Stalled(..) | Self::Streamed(_) => {
                panic!("only an answer can stall")
            }
        }
    }

    /// A streamed reply and its writer.
    pub fn streamed() -> (Self, StreamWriter) {
        let (sender, receiver) = unbounded_channel();
        (Self::Streamed(receiver), StreamWriter(sender))
    }

    /// Delays this reply until it is released.
    pub fn stalled(self) -> (Self, Release) {
        let (release, released) = oneshot::channel();
        (Self::Stalled(released, Box::new(self)), Release(release))
    }
}

impl Request {
    pub fn messages(&self) -> &[Value] {
        self.body["messages"].as_array().map_or(&[], Vec::as_slice)
    }

    /// Returns the name of the requested schema.
    pub fn schema_name(&self) -> &str {
        self.body["response_format"]["json_schema"]["name"].as_str().unwrap_or_default()
    }

    pub fn system(&self) -> &str {
        self.messages().first().and_then(|message| message["content"].as_str()).unwrap_or_default()
    }

    /// Returns the text of the last message, without its screenshot.
    pub fn last_text(&self) -> String {
        self.messages().last().map(text_of).unwrap_or_default()
    }

    /// Returns the full page with its fences, also if only its changes are shown. Empty if no page is open.
    pub fn page(&self) -> String {
        reader::whole(&self.messages().iter().map(text_of).collect::<Vec<_>>())
    }

    /// Returns the page text of the last message unchanged.
    pub fn shown(&self) -> String {
        let text = self.last_text();
        text.find("<page nonce=").map_or_else(String::new, |at| text[at..].to_owned())
    }
}

fn text_of(message: &Value) -> String {
    match &message["content"] {
        Value::String(text) => text.clone(),
        Value::Array(parts) => parts.iter().filter_map(|part| part["text"].as_str()).collect(),
        _ => String::new(),
    }
}

impl ScriptedModel {
    pub fn start(script: Vec<Reply>) -> Self {
        Self::with_rules(Rules::default(), script)
    }

    pub fn with_rules(rules: Rules, script: Vec<Reply>) -> Self {
        Self::begin(rules, script, None)
    }

    /// Answers every request with this function.
    pub fn answering(rules: Rules, answer: impl Fn(&Request) -> Reply + Send + Sync + 'static) -> Self {
        Self::begin(rules, Vec::new(), Some(Box::new(answer)))
    }

    fn begin(rules: Rules, script: Vec<Reply>, always: Option<Always>) -> Self {
        let stage = Arc::new(Stage {
            script: Mutex::new(script.into()),
            always,
            requests: Mutex::new(Vec::new()),
            faults: Mutex::new(Vec::new()),
            rules,
            arrived: watch::Sender::new(0),
            aborted: watch::Sender::new(0),
        });
        let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
        let base_url = format!("http://{}/v1", listener.local_addr().expect("an address"));
        let (ready, started) = std::sync::mpsc::channel();
        let shared = web::Data::from(Arc::clone(&stage));
        let thread = std::thread::spawn(move || {
            actix_web::rt::System::new().block_on(async move {
                let app = move || {
                    let limit = web::PayloadConfig::new(32 << 20);
                    App::new().app_data(shared.clone()).app_data(limit).default_service(web::to(answer))
                };
                let server = HttpServer::new(app).workers(1).disable_signals().shutdown_timeout(0);
                let running = server.listen(listener).expect("a server").run();
                ready.send(running.handle()).expect("the test waits");
                running.await.expect("a clean end");
            });
        });
        let server = started.recv().expect("a started server");
        Self { base_url, stage, server, thread: Some(thread), finished: false }
    }

    /// Appends a reply to the script.
    pub fn push(&self, reply: Reply) {
        self.stage.script.lock().unwrap().push_back(reply);
    }

    pub fn requests(&self) -> Vec<Request> {
        self.stage.requests.lock().unwrap().clone()
    }

    /// Waits until this many requests have arrived in total.
    pub async fn arrived(&self, count: usize) {
        wait(&self.stage.arrived, count, "requests").await;
    }

    /// Waits until the callers of this many stalled requests have given up.
    pub async fn aborted(&self, count: usize) {
        wait(&self.stage.aborted, count, "aborted requests").await;
    }

    /// Stops the endpoint, and fails if replies are left or a request was wrong.
    pub fn finish(mut self) {
        self.end();
    }

    fn end(&mut self) {
        self.finished = true;
        // The stop command is sent when the future is created.
        drop(self.server.stop(false));
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
        if std::thread::panicking() {
            return;
        }
        let faults = self.stage.faults.lock().unwrap().clone();
        assert!(faults.is_empty(), "requests broke the protocol:\n{}", faults.join("\n"));
        let left = self.stage.script.lock().unwrap().len();
        assert_eq!(left, 0, "{left} lines of the model's script were not used");
    }
}

impl Drop for ScriptedModel {
    fn drop(&mut self) {
        if !self.finished {
            self.end();
        }
    }
}

async fn wait(counter: &watch::Sender<usize>, count: usize, of: &str) {
    let mut seen = counter.subscribe();
    let all = seen.wait_for(|now| *now >= count);
    let came = tokio::time::timeout(Duration::from_secs(20), all).await;
    assert!(came.is_ok(), "{count} {of} did not come, only {}", *counter.borrow());
}

async fn answer(request: HttpRequest, body: web::Bytes, stage: web::Data<Stage>) -> HttpResponse {
    // The page may list the models; only completions are scripted.
    if request.method() == actix_web::http::Method::GET && request.path().ends_with("/models") {
        return HttpResponse::Ok().json(json!({"object": "list", "data": [{"id": "scripted"}]}));
    }
    let Ok(value) = serde_json::from_slice::<Value>(&body) else {
        if !stage.rules.callers_die {
            stage.fault(String::from("a body is not JSON"));
        }
        return HttpResponse::BadRequest().finish();
    };
    let header = request.headers().get("authorization").and_then(|value| value.to_str().ok());
    let captured = Request { body: value, authorization: header.map(str::to_owned) };
    if request.path() != "/v1/chat/completions" || request.method() != "POST" {
        stage.fault(format!("{} {} was asked for", request.method(), request.path()));
    }
    stage.capture(&captured);
    let reply = stage.script.lock().unwrap().pop_front();
    match reply.or_else(|| stage.always.as_ref().map(|answer| answer(&captured))) {
        Some(reply) => play(reply, &captured, &stage).await,
        None => {
            stage.fault(String::from("a request came when the script was at its end"));
            HttpResponse::BadRequest().json(json!({ "error": { "message": "the script is at its end" } }))
        }
    }
}

async fn play(reply: Reply, request: &Request, stage: &web::Data<Stage>) -> HttpResponse {
    match reply {
        Reply::Turn(turn) => HttpResponse::Ok().json(completion(&turn.to_string())),
        Reply::Text(text) => HttpResponse::Ok().json(completion(&text)),
        Reply::Body(body) => HttpResponse::Ok().json(body),
        Reply::Status(code, headers, body) => {
            let status = actix_web::http::StatusCode::from_u16(code).expect("a status");
            let mut response = HttpResponse::build(status);
            headers.into_iter().for_each(|header| {
                response.insert_header(header);
            });
            response.body(body)
        }
        Reply::CutOff => {
            let pieces = [Ok(web::Bytes::from_static(b"{\"choices\": [")), Err(std::io::Error::other("cut"))];
            HttpResponse::Ok().streaming(futures_util::stream::iter(pieces))
        }
        Reply::Endless => {
            let piece = || web::Bytes::from(vec![b'a'; 64 * 1024]);
            let pieces =
                std::iter::once(web::Bytes::from_static(b"{\"choices\": [{\"message\": {\"content\": \""))
                    .chain(std::iter::repeat_with(piece));
            HttpResponse::Ok().streaming(futures_util::stream::iter(pieces.map(Ok::<_, std::io::Error>)))
        }
        Reply::Stalled(released, reply) => stall(released, reply.body(request), stage.clone()),
        Reply::Streamed(pieces) => stream(pieces, stage.clone()),
        Reply::Seen(make) => Box::pin(play(make(request), request, stage)).await,
    }
}

/// Sends spaces until the reply is released. White space before JSON is ignored, and writing detects that the
/// caller has gone.
fn stall(released: oneshot::Receiver<()>, answer: String, stage: web::Data<Stage>) -> HttpResponse {
    let beat = tokio::time::interval(Duration::from_millis(20));
    let waiting = Some((released, answer, beat, Abandoned(Some(stage))));
    let pieces = futures_util::stream::unfold(waiting, |waiting| async move {
        let (mut released, answer, mut beat, guard) = waiting?;
        tokio::select! {
            _ = &mut released => {
                guard.disarm();
                Some((Ok::<_, std::io::Error>(web::Bytes::from(answer)), None))
            }
            _ = beat.tick() => {
                Some((Ok(web::Bytes::from_static(b" ")), Some((released, answer, beat, guard))))
            }
        }
    });
    HttpResponse::Ok().content_type("application/json").streaming(pieces)
}

/// Sends the pieces of a stream as they come, and keep-alives between, by which it detects that the caller has gone.
fn stream(pieces: UnboundedReceiver<String>, stage: web::Data<Stage>) -> HttpResponse {
    let beat = tokio::time::interval(Duration::from_millis(20));
    let waiting = Some((pieces, beat, Abandoned(Some(stage))));
    let chunks = futures_util::stream::unfold(waiting, |waiting| async move {
        let (mut pieces, mut beat, guard) = waiting?;
        tokio::select! {
            biased;
            piece = pieces.recv() => match piece {
                Some(piece) => Some((Ok::<_, std::io::Error>(web::Bytes::from(piece)), Some((pieces, beat, guard)))),
                None => {
                    guard.disarm();
                    None
                }
            },
            _ = beat.tick() => {
                Some((Ok(web::Bytes::from_static(b": keep-alive\n\n")), Some((pieces, beat, guard))))
            }
        }
    });
    HttpResponse::Ok().content_type("text/event-stream").streaming(chunks)
}

/// Counts a stalled request whose caller has gone, which drops this before its end.
struct Abandoned(Option<web::Data<Stage>>);

impl Abandoned {
    fn disarm(mut self) {
        self.0 = None;
    }
}

impl Drop for Abandoned {
    fn drop(&mut self) {
        if let Some(stage) = &self.0 {
            stage.aborted.send_modify(|count| *count += 1);
        }
    }
}

impl Stage {
    fn capture(&self, request: &Request) {
        let mut requests = self.requests.lock().unwrap();
        for fault in violations(request, &requests, &self.rules) {
            self.fault(format!("request {}: {fault}", requests.len() + 1));
        }
        requests.push(request.clone());
        self.arrived.send_modify(|count| *count += 1);
    }

    fn fault(&self, fault: String) {
        self.faults.lock().unwrap().push(fault);
    }
}

/// Creates a chat completion with this content.
pub fn completion(content: &str) -> Value {
    json!({
        "id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": "scripted",
        "choices": [{ "index": 0, "message": { "role": "assistant", "content": content }, "finish_reason": "stop" }],
        "usage": { "prompt_tokens": 1200, "completion_tokens": 80, "total_tokens": 1280,
                   "prompt_tokens_details": { "cached_tokens": 1000 } },
    })
}

/// Creates a turn with one action in the format of the protocol.
pub fn turn(action: &str, params: Value) -> Value {
    json!({
        "status": "EXECUTING",
        "context": { "knowledge_relics": [], "variables": [] },
        "thoughts": [{ "type": "PLAN", "content": format!("{action} is next") }],
        "step_ref": null, "expected_outcome": null, "confidence": 0.9,
        "actions": [{ "action_id": "a1", "action": action, "type": "tool", "params": params,
                      "execution": "SYNC", "depends_on": null, "display": null, "sub_actions": [] }],
        "stop": false, "response": null,
    })
}

/// Returns the id of the element with this role and exact name in a page text.
pub fn eid_of(page_text: &str, role: &str, name: &str) -> u32 {
    let wanted = format!("- {role} \"{name}\" [");
    let found = page_text.lines().find_map(|line| line.trim_start().strip_prefix(&wanted)?.split(']').next());
    let eid = found.unwrap_or_else(|| panic!("there is no {role} \"{name}\" in\n{page_text}"));
    eid.parse().expect("a number")
}
