//! Questions and answers: a program that does nothing else, on the engine, the store and the socket of the
//! service. Measures the time from asking to the frame at the viewer's socket, and from sending the answer to
//! the event that the next effect begins.

use super::socket::Viewer;
use super::stage;
use super::table::{Goal, Row, Sample};
use actix::Actor;
use actix_web::{App, HttpServer, web};
use askfirst::browser::pool::supervisor::Supervisor;
use askfirst::clock::Stopwatch;
use askfirst::config::Server;
use askfirst::config::recording::Recording;
use askfirst::engine::archive::Archive;
use askfirst::engine::program::factory::{Concealment, ProgramFactory};
use askfirst::engine::program::run_start::RunStart;
use askfirst::engine::program::{
    ChildRuns, Continuation, Program, ProgramError, QuestionDraft, Replayable, RunEnding, StepInput,
    StepRecord, StepResult,
};
use askfirst::engine::registry::feed::{EventsStored, Feed};
use askfirst::engine::registry::state::Registry;
use askfirst::engine::services::RunServices;
use askfirst::engine::takeover::pages::BrowserPages;
use askfirst::files::FileStore;
use askfirst::http::guard::Guard;
use askfirst::ids::RunId;
use askfirst::protocol::event::Event;
use askfirst::protocol::server::Fact;
use askfirst::protocol::{QuestionKind, Remember, Status};
use askfirst::session::state::SessionDeps;
use askfirst::store::Store;
use askfirst::store::rows::{Intent, RunRow};
use askfirst::store::sqlite::connection::store::SqliteStore;
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use serde_json::{Map, Value, json};
use std::path::Path;
use std::sync::{Arc, Mutex};

const ROUNDS: usize = 300;

/// Creates programs that ask, execute one effect, and ask again.
#[derive(Default)]
pub struct Asker {
    asked: Arc<Mutex<Option<Stopwatch>>>,
}

struct Asking {
    acts: bool,
    asked: Arc<Mutex<Option<Stopwatch>>>,
}

impl Concealment for Asker {}

impl ProgramFactory for Asker {
    fn begin(&self, _: &str, _: &Map<String, Value>) -> Result<RunStart, ProgramError> {
        Ok(RunStart::without_limits("asking", "ask", json!({"acts": false}), String::from("asking")))
    }

    fn load(&self, _: &RunRow, state: Value) -> Result<Box<dyn Program>, ProgramError> {
        Ok(Box::new(Asking { acts: state["acts"] == true, asked: Arc::clone(&self.asked) }))
    }

    fn release_tree(&self, _: &RunId) {}
}

impl Program for Asking {
    fn node(&self) -> &'static str {
        if self.acts { "act" } else { "ask" }
    }

    fn step(&self, given: StepInput) -> BoxFuture<'static, Result<StepResult, ProgramError>> {
        let (node, acts, asked) = (self.node(), self.acts, Arc::clone(&self.asked));
        async move {
            let mut record = StepRecord::default();
            let (acts, next) = match (acts, given.answer) {
                (true, _) => {
                    let intent = Intent {
                        action_id: String::from("a1"),
                        action: json!({"action": "click", "eid": 1}),
                    };
                    given.journal.store_intent(intent, vec![started()]).await?;
                    record.receipt = Some(json!({"ok": true}));
                    (false, Continuation::Go)
                }
                (false, Some(_)) => (true, Continuation::Go),
                (false, None) => {
                    *asked.lock().unwrap() = Some(Stopwatch::start());
                    (false, Continuation::Ask(question()))
                }
            };
            Ok(StepResult { node, outcome: "done", changes: json!({"acts": acts}), next, record })
        }
        .boxed()
    }

    fn apply(&mut self, changes: &Value) -> Result<(), ProgramError> {
        self.acts = changes["acts"] == true;
        Ok(())
    }

    fn state(&self) -> Value {
        json!({"acts": self.acts})
    }

    fn is_repeatable(&self) -> bool {
        !self.acts
    }

    fn recover(&self, _: Option<&Intent>) -> Value {
        json!({"acts": false})
    }

    fn reopen(&self) -> Option<Value> {
        None
    }
}

impl ChildRuns for Asking {}

impl RunEnding for Asking {
    fn interrupted_response(&self, outcome: Status) -> String {
        outcome.word().to_owned()
    }
}

impl Replayable for Asking {}

fn started() -> Fact {
    Fact::Event(Event::ActionStarted {
        action_id: String::from("a1"),
        action: String::from("click"),
        params: Map::from_iter([(String::from("eid"), json!(1))]),
        target: None,
    })
}

/// Creates a question of the size of one on a real page.
fn question() -> QuestionDraft {
    QuestionDraft {
        kind: QuestionKind::Confirm,
        reason: String::from("This buys something."),
        text: String::from("Press \"Buy the lamp\" on 127.0.0.1: a purchase"),
        payload: json!({
            "action": {"action": "click", "eid": 1, "action_id": "a1"}, "effect": "purchase", "risk": "high",
            "rule": "purchase", "page": {"url": "http://127.0.0.1/shop", "title": "Shop", "origin": "http://127.0.0.1"},
            "target": {"eid": 1, "role": "button", "name": "Buy the lamp", "frame": null},
            "values": {"Card number": "••••", "Price": "$40"}, "screenshot": "/api/runs/1/pictures/1",
            "fingerprint": "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
        }),
        remember: vec![Remember::Once],
        expires_at: None,
        on_expire: Status::Cancelled,
    }
}

/// Connects store, feed, engine and registry as the service does.
pub fn lines(folder: &Path, programs: Arc<dyn ProgramFactory>) -> SessionDeps {
    let feed = Feed::default().start();
    let recipient = feed.clone();
    let store =
        SqliteStore::open(folder, Box::new(move |events| recipient.do_send(EventsStored(events)))).unwrap();
    let store: Arc<dyn Store> = Arc::new(store);
    let archive = Archive::new(folder.join("runs"), Arc::clone(&store)).start();
    let browsers = Supervisor::new(stage::config(folder)).start();
    let pages = Arc::new(BrowserPages {
        supervisor: browsers.clone(),
        store: Arc::clone(&store),
        profile: Arc::new(|_| None),
    });
    let files = FileStore::new(folder.join("runs"), 1, 2);
    let engine = Arc::new(RunServices {
        store,
        pages,
        programs,
        archive,
        files,
        recording: Recording::All,
        client_answers: false,
    });
    SessionDeps {
        registry: Registry::new(Arc::clone(&engine)).start(),
        services: engine,
        feed,
        browsers,
        default_agent: String::from("asker"),
        relay: None,
    }
}

pub async fn measure() -> Vec<Row> {
    let folder = tempfile::tempdir().unwrap();
    let asker = Asker::default();
    let asked = Arc::clone(&asker.asked);
    let lines = web::Data::new(lines(folder.path(), Arc::new(asker)));
    // The socket asks the guard when its browser signs out; here nobody signs in.
    let guard = web::Data::new(Guard::new(&Server::default(), 0));
    let app = move || {
        App::new()
            .app_data(lines.clone())
            .app_data(guard.clone())
            .route("/ws", web::get().to(askfirst::http::ui::ws::open))
    };
    let server =
        HttpServer::new(app).tcp_nodelay(true).workers(2).disable_signals().bind(("127.0.0.1", 0)).unwrap();
    let base = format!("http://{}", server.addrs()[0]);
    let server = server.run();
    let handle = server.handle();
    actix::spawn(server);
    let mut viewer = Viewer::hello(&base).await;
    viewer.say("ask", None).await;
    let (mut shown, mut begun) = (Sample::default(), Sample::default());
    for _ in 0..ROUNDS {
        let question = viewer.until("agent_question").await;
        let watch = asked.lock().unwrap().take().unwrap();
        shown.add(watch.seconds() * 1000.0);
        // Wait until the run is parked: a person's answer always comes after that.
        viewer.until("status").await;
        let watch = Stopwatch::start();
        viewer.send(json!({"type": "answer", "reference": question["reference"], "confirmed": true})).await;
        viewer.until("action_started").await;
        begun.add(watch.seconds() * 1000.0);
    }
    handle.stop(false).await;
    vec![
        Row::new("ask → stored and shown", "ms", shown, Goal::Below(5.0)).p95(),
        Row::new("answer → next effect begins", "ms", begun, Goal::Below(5.0)).p95(),
    ]
}
