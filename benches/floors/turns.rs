//! Turns of the whole service: from the model's answer to its next request. The baseline does the same with raw
//! commands: it presses, waits for the effect, and walks the page. The first row measures only from the answer to the press.

use super::bare::{BareClient, WALKER};
use super::observe::timed;
use super::phases::PhaseTimes;
use super::socket::Viewer;
use super::stage;
use super::table::{Goal, Row, Sample};
use actix_web::{App, HttpResponse, HttpServer, web};
use askfirst::clock::{Moment, Stopwatch};
use serde_json::{Value, json};
use std::time::Duration;
use tokio::sync::{mpsc, oneshot};

/// Each kind has a run of its own, which may take 30 actions.
const ROUNDS: usize = 20;
/// Pause before each turn of either client.
const REST: Duration = Duration::from_millis(200);

/// A request of the service to the model, which waits for its answer.
struct ModelRequest {
    text: String,
    answer: oneshot::Sender<Value>,
}

/// The model of the service, with the request that waits.
struct Model {
    asked: mpsc::UnboundedReceiver<ModelRequest>,
    waiting: ModelRequest,
}

/// A kind of turn: the page, the element to press, and the script with which the baseline waits for the effect.
struct TurnCase {
    what: &'static str,
    path: &'static str,
    /// Beginning of the line of the element, without its mark.
    line_start: &'static str,
    selector: &'static str,
    effect: Effect,
    /// Text that the next look has to show; the rest of it differs in each turn.
    seen: Option<&'static str>,
    goal: f64,
    /// Why the service takes longer than the baseline.
    cause: &'static str,
}

enum Effect {
    Frames,
    Response,
    Timer,
    Navigation,
}

const TURNS: [TurnCase; 4] = [
    TurnCase {
        what: "effect at once",
        path: "/lab/sync?lang=en",
        line_start: "button ",
        selector: "button",
        effect: Effect::Frames,
        seen: None,
        goal: 1.15,
        cause: "the baseline takes two frames and walks; the service also examines the element for the \
            gate, stores the intent before the press and the step after it, and reads listeners with \
            the look",
    },
    TurnCase {
        what: "effect by a request of 150 ms",
        path: "/lab/fetch?lang=en",
        line_start: "button ",
        selector: "button",
        effect: Effect::Response,
        seen: Some("Came from the network"),
        goal: 1.1,
        cause: "after the answer the service waits for two frames without a change, or for 60 ms after \
            the last change; the baseline takes the first frame",
    },
    TurnCase {
        what: "effect by a timer of 150 ms",
        path: "/timer",
        line_start: "button ",
        selector: "button",
        effect: Effect::Timer,
        seen: Some("Done"),
        goal: 1.15,
        cause: "after the timer the service waits for two frames without a further change; the baseline \
            takes the first frame",
    },
    TurnCase {
        what: "navigation",
        path: "/there",
        line_start: "link ",
        selector: "a",
        effect: Effect::Navigation,
        seen: None,
        goal: 1.2,
        cause: "the baseline walks when the load event fires; the service then makes its world in the \
            new document, waits for two frames without a change, and reads listeners with the look",
    },
];

pub async fn measure() -> Vec<Row> {
    let folder = tempfile::tempdir().unwrap();
    let (model_url, asked) = serve_model();
    let site = stage::site();
    let settings =
        [("ASKFIRST_MODEL__BASE_URL", model_url.as_str()), ("ASKFIRST_MODEL__PLANNER", "scripted")];
    let (service, mut viewer, mut bare) = stage::start_service_with(folder.path(), &site, &settings).await;
    let mut model = Model::start_run(&mut viewer, asked).await;
    let mut rows = vec![time_to_press(&mut model, &mut bare, (&site, &service.base)).await];
    for turn in TURNS {
        model = model.start_next_run(&mut viewer).await;
        rows.push(measure_turn(&turn, &mut model, &mut bare, (&site, &service.base)).await);
    }
    bare.close().await;
    service.terminate().await;
    rows
}

/// Starts the model's server. Returns its address, and the requests that it receives.
fn serve_model() -> (String, mpsc::UnboundedReceiver<ModelRequest>) {
    let (tell, asked) = mpsc::unbounded_channel();
    let app = move || {
        App::new()
            .app_data(web::Data::new(tell.clone()))
            .app_data(web::JsonConfig::default().limit(50_000_000))
            .route("/chat/completions", web::post().to(answer))
    };
    let server = HttpServer::new(app).tcp_nodelay(true).workers(1).disable_signals();
    let server = server.bind(("127.0.0.1", 0)).unwrap();
    let url = format!("http://{}", server.addrs()[0]);
    actix::spawn(server.run());
    (url, asked)
}

async fn answer(
    tell: web::Data<mpsc::UnboundedSender<ModelRequest>>,
    request: web::Json<Value>,
) -> HttpResponse {
    let text = request["messages"].as_array().and_then(|all| all.last()).map(|last| &last["content"]);
    let text = text.and_then(Value::as_str).unwrap_or_default().to_owned();
    let (answer, answered) = oneshot::channel();
    if tell.send(ModelRequest { text, answer }).is_err() {
        return HttpResponse::ServiceUnavailable().finish();
    }
    let Ok(turn) = answered.await else { return HttpResponse::ServiceUnavailable().finish() };
    let message = json!({"role": "assistant", "content": turn.to_string()});
    HttpResponse::Ok().json(json!({
        "id": "1", "object": "chat.completion", "created": 1, "model": "scripted",
        "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 10, "completion_tokens": 1, "total_tokens": 11},
    }))
}

impl Model {
    async fn start_run(viewer: &mut Viewer, mut asked: mpsc::UnboundedReceiver<ModelRequest>) -> Self {
        viewer.say("press the button again and again", None).await;
        let waiting = asked.recv().await.expect("the service asks");
        Self { asked, waiting }
    }

    /// Ends the run and starts another.
    async fn start_next_run(self, viewer: &mut Viewer) -> Self {
        let end = json!({"stop": true, "status": "SUCCESS", "response": "Done."});
        self.waiting.answer.send(end).expect("the service waits");
        viewer.until("run_ended").await;
        Self::start_run(viewer, self.asked).await
    }

    /// Answers with one action, and waits for the next request. Returns the milliseconds between both.
    async fn act(&mut self, action: &str, params: Value) -> f64 {
        let turn = json!({"actions": [{"action": action, "params": params}]});
        let (answer, _) = oneshot::channel();
        let asked = std::mem::replace(&mut self.waiting, ModelRequest { text: String::new(), answer });
        let watch = Stopwatch::start();
        asked.answer.send(turn).expect("the service waits");
        self.waiting = self.asked.recv().await.expect("the service asks");
        watch.seconds() * 1000.0
    }

    /// Returns the number of the first element whose line begins so.
    fn eid(&self, line: &str) -> u32 {
        let mut lines = self.waiting.text.lines();
        let found = lines.find(|one| one.trim_start_matches([' ', '+', '~', '-']).starts_with(line));
        let found = found.unwrap_or_else(|| panic!("no {line:?} in {}", self.waiting.text));
        let number = found.split('[').nth(1).and_then(|rest| rest.split(']').next());
        number.and_then(|number| number.parse().ok()).expect("a number")
    }
}

/// Measures from the model's answer to the press, which the page tells in its text.
async fn time_to_press(model: &mut Model, bare: &mut BareClient, (site, service): (&str, &str)) -> Row {
    let url = format!("{site}/pressed");
    bare.go(&url).await;
    model.act("navigate", json!({"url": url})).await;
    let eid = model.eid("button ");
    let (mut floor, mut ours) = (Sample::default(), Sample::default());
    let before = PhaseTimes::read(service).await;
    for _ in 0..ROUNDS {
        tokio::time::sleep(REST).await;
        let began = Moment::now().millis();
        press(bare, "button").await;
        let pressed = bare.run("Number(o.textContent.split(' ').at(-1))").await;
        floor.add(pressed.as_f64().unwrap() - began as f64);
        tokio::time::sleep(REST).await;
        let began = Moment::now().millis();
        model.act("click", json!({"eid": eid})).await;
        let text = &model.waiting.text;
        let pressed = text.split("pressed at ").last().and_then(|rest| rest.split(['"', ' ']).next());
        ours.add(pressed.and_then(|at| at.parse::<f64>().ok()).expect("a time") - began as f64);
    }
    let gate = PhaseTimes::read(service).await.describe_gate(before, ROUNDS);
    Row::new("the model's answer → the press reaches the page", "ms", ours, Goal::AtMost(10.0))
        .with_floor(floor)
        .missed_because(format!(
            "the answer is read, the element is examined for the gate ({gate}), the intent is stored, and the page \
             script makes sure that the element is in view and at rest before the mouse moves"
        ))
}

async fn press(bare: &mut BareClient, selector: &str) {
    let script = format!(
        "(({{x, y, width, height}}) => [x + width / 2, y + height / 2])(document.querySelector('{selector}').getBoundingClientRect())"
    );
    let center = bare.run(&script).await;
    bare.click(center[0].as_f64().unwrap(), center[1].as_f64().unwrap()).await;
}

async fn measure_turn(
    turn: &TurnCase,
    model: &mut Model,
    bare: &mut BareClient,
    (site, service): (&str, &str),
) -> Row {
    let url = format!("{site}{}", turn.path);
    bare.go(&url).await;
    model.act("navigate", json!({"url": url})).await;
    // Later looks show only what changed, unless there is another document.
    let mut eid = model.eid(turn.line_start);
    let (mut floor, mut ours, mut seen) = (Sample::default(), Sample::default(), 0);
    let before = PhaseTimes::read(service).await;
    for _ in 0..ROUNDS {
        bare.events.clear();
        tokio::time::sleep(REST).await;
        floor.add(timed(press_and_look(turn, bare)).await);
        tokio::time::sleep(REST).await;
        if matches!(turn.effect, Effect::Navigation) {
            eid = model.eid(turn.line_start);
        }
        ours.add(model.act("click", json!({"eid": eid})).await);
        seen += usize::from(turn.seen.is_some_and(|seen| model.waiting.text.contains(seen)));
    }
    let counted = turn.seen.map(|_| format!(" (seen {seen} of {ROUNDS})")).unwrap_or_default();
    let what = format!("click, settle, look: {}{counted}", turn.what);
    let shares = PhaseTimes::read(service).await.describe_shares(before, ROUNDS, ours.mean());
    let row = Row::new(what, "ms", ours, Goal::Ratio(turn.goal)).with_floor(floor);
    row.missed_because(format!("{}; {shares}", turn.cause))
}

async fn press_and_look(turn: &TurnCase, bare: &mut BareClient) {
    press(bare, turn.selector).await;
    match turn.effect {
        Effect::Frames => bare.frames(2).await,
        Effect::Response => {
            bare.event("Network.loadingFinished").await;
            bare.frames(1).await;
        }
        Effect::Timer => {
            bare.run("new Promise((done) => setTimeout(done, 150))").await;
            bare.frames(1).await;
        }
        Effect::Navigation => {
            bare.event("Page.loadEventFired").await;
        }
    }
    bare.run(WALKER).await;
}
