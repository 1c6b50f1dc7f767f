//! `askfirst run`: as a person at a terminal and as a script have it, with a service that runs and without.

use crate::support::app::{Http, PATIENCE, Process, free_port, until};
use crate::support::cli::{CommandResult, Terminal, askfirst, askfirst_with};
use crate::support::model::{Reply, ScriptedModel};
use crate::support::site::Site;
use crate::support::ws::Ws;
use actix_web::{App, HttpResponse, HttpServer, web};
use nix::sys::signal::Signal;
use serde_json::{Value, json};
use std::path::Path;

/// A letter that is written and sent, after a question of the rule `message`.
struct Letter {
    site: Site,
    folder: tempfile::TempDir,
    hosts: String,
    order: String,
}

impl Letter {
    fn new() -> Self {
        let site = Site::open();
        let order = format!("open {} then type hi into Message then click Send message", site.url("/room"));
        let hosts = json!([site.host]).to_string();
        Self { site, folder: tempfile::tempdir().unwrap(), hosts, order }
    }

    fn folder(&self) -> &Path {
        self.folder.path()
    }

    fn words<'a>(&'a self, more: &[&'a str]) -> Vec<&'a str> {
        ["run", "browser", &self.order].into_iter().chain(more.iter().copied()).collect()
    }

    fn vars(&self) -> [(&str, &str); 1] {
        [("ASKFIRST_GATE__PRIVATE_HOSTS", &self.hosts)]
    }

    async fn send(&self, more: &[&str]) -> CommandResult {
        askfirst(self.folder(), &self.words(more), &self.vars()).await
    }

    async fn send_with(&self, more: &[&str], input: &str) -> CommandResult {
        askfirst_with(self.folder(), &self.words(more), &self.vars(), input).await
    }

    fn open_terminal(&self, more: &[&str]) -> Terminal {
        Terminal::open(self.folder(), &self.words(more), &self.vars())
    }

    /// Number of times that the letter was sent.
    fn sent(&self) -> usize {
        self.site.sent().len()
    }
}

/// The one run of that service.
async fn only_run(base: &str) -> Value {
    let runs = Http::new().get(&format!("{base}/api/runs")).await;
    assert_eq!(runs["items"].as_array().unwrap().len(), 1, "{runs}");
    runs["items"][0].clone()
}

// Exit codes by outcome, as in the help of `askfirst run`; the result is on standard output, everything else is not.
#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn every_outcome_has_its_exit_code() {
    let folder = tempfile::tempdir().unwrap();
    let room = Site::open();
    let hosts = json!([room.host]).to_string();
    let two = format!("open {} then click Next door", room.url("/room"));
    let held = format!("open {}", room.url("/never"));
    for (code, status, order, variable) in [
        (0, "succeeded", "help", ("ASKFIRST_BROWSER__MAX", "2")),
        (3, "failed", "open example.com", ("ASKFIRST_BROWSER__EXECUTABLE", "/nowhere/chromium")),
        (4, "denied", "open file:///etc/passwd", ("ASKFIRST_BROWSER__MAX", "2")),
        (4, "cancelled", &held, ("ASKFIRST_BROWSER__LOAD_TIMEOUT_S", "600")),
        (5, "blocked", "frobnicate", ("ASKFIRST_BROWSER__MAX", "2")),
        (6, "exhausted", &two, ("ASKFIRST_LIMITS__TOOL_STEPS", "1")),
    ] {
        let vars = [("ASKFIRST_GATE__PRIVATE_HOSTS", hosts.as_str()), variable];
        let mut words = vec!["run", "browser", order, "--json"];
        words.extend(["--timeout", "3"].into_iter().filter(|_| status == "cancelled"));
        let typed = askfirst(folder.path(), &words, &vars).await;
        assert_eq!(typed.code, code, "{status}: {typed:?}");
        let output = typed.json();
        assert_eq!(output["status"], status, "{typed:?}");
        assert_eq!(output["ok"], code == 0);
        assert_eq!(output["error"].is_null(), code == 0, "{output}");
        assert!(typed.err.contains("▸ browser text: ") && typed.err.contains(status), "{typed:?}");
        assert!(!typed.err.contains('\u{1b}'), "colours are for terminals: {typed:?}");
    }
}

#[actix_web::test]
async fn input_that_does_not_fit_is_a_usage_error() {
    let folder = tempfile::tempdir().unwrap();
    let odd = folder.path().join("odd.json");
    std::fs::write(&odd, "[1]").unwrap();
    let odd = odd.to_str().unwrap();
    for (words, expected) in [
        (vec!["nosuch", "x"], "there is no agent nosuch; `askfirst agents list` has them all"),
        (vec!["../../etc/passwd", "x"], "there is no agent"),
        (vec!["browser"], "`text`"),
        (vec!["browser", "-i", "txet=help"], "the agent browser has no input \"txet\"; it has text (string)"),
        (vec!["browser", "help", "-i", "text=help"], "the input text was given twice"),
        (vec!["browser", "-i", "help"], "--input takes NAME=VALUE"),
        (vec!["browser", "-i", "text=@/nowhere/file"], "/nowhere/file cannot be read"),
        (vec!["browser", "--input-json", odd], "must be one JSON object"),
        (vec!["browser", "-i", "text=@-", "--ask"], "not together with --ask"),
        (vec!["browser", "help", "--timeout", "soon"], "--timeout"),
    ] {
        let words = [vec!["run"], words].concat();
        let typed = askfirst(folder.path(), &words, &[]).await;
        assert_eq!((typed.code, typed.out.as_str()), (2, ""), "{words:?}: {typed:?}");
        assert!(typed.err.contains(expected), "{words:?}: {typed:?}");
    }
    let typed = askfirst(folder.path(), &["run", "nosuch", "x", "--json"], &[]).await;
    assert_eq!((typed.code, typed.json()["ok"].clone()), (2, json!(false)));
    assert!(typed.json()["error"].as_str().unwrap().contains("nosuch"), "{typed:?}");
}

#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn a_text_comes_from_a_file_from_standard_input_or_from_an_object() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("order.txt");
    std::fs::write(&file, "help\n").unwrap();
    let named = format!("text=@{}", file.display());
    let from_file = askfirst(folder.path(), &["run", "browser", "--input", &named], &[]).await;
    let from_stdin = ["run", "browser", "--input", "text=@-", "--no-input"];
    let from_stdin = askfirst_with(folder.path(), &from_stdin, &[], "help").await;
    let words = ["run", "browser", "--input-json", "-", "-i", "locale:=\"en\""];
    let from_object = askfirst_with(folder.path(), &words, &[], r#"{"text": "help", "locale": "uk"}"#).await;
    for typed in [from_file, from_stdin, from_object] {
        assert_eq!(typed.code, 0, "{typed:?}");
        assert!(typed.out.starts_with("Without a model I carry out simple commands"), "{typed:?}");
    }
}

// `--yes-to RULE` answers only questions of that rule.
#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn the_flag_yes_to_answers_only_questions_of_its_rule() {
    let letter = Letter::new();
    let refused = letter.send(&["--yes-to", "buy", "--yes-to", "messages", "--json"]).await;
    assert_eq!((refused.code, letter.sent()), (4, 0), "{refused:?}");
    assert_eq!(refused.json()["status"], "cancelled");
    assert_eq!(refused.json()["questions"][0]["payload"]["rule"], "message", "{refused:?}");
    assert!(refused.err.contains("nobody is here to answer: rule message asks"), "{refused:?}");
    assert!(refused.err.contains("allow it with --yes-to message"), "{refused:?}");

    let allowed = letter.send(&["--yes-to", "message", "--json"]).await;
    assert_eq!((allowed.code, letter.sent()), (0, 1), "{allowed:?}");
    assert_eq!(allowed.json()["questions"], json!([]));
    assert!(allowed.err.contains("✓ yes to message: "), "{allowed:?}");
}

#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn the_flag_leave_waiting_leaves_the_question_open() {
    let letter = Letter::new();
    let left = letter.send(&["--leave-waiting", "--json"]).await;
    assert_eq!(left.code, 5, "{left:?}");
    let output = left.json();
    assert_eq!((&output["status"], &output["ok"]), (&json!("waiting"), &json!(false)), "{output}");
    let run = output["run_id"].as_str().unwrap();
    assert!(left.err.contains(run), "{left:?}");

    let service = Process::start(letter.folder(), &letter.vars()).await;
    let waiting = Http::new().get(&format!("{}/api/questions", service.base)).await;
    assert_eq!(waiting["items"][0]["reference"], output["questions"][0]["reference"], "{waiting}");
    let answer =
        format!("{}/api/questions/{}", service.base, waiting["items"][0]["reference"].as_str().unwrap());
    assert_eq!(Http::new().post(&answer, &json!({"confirmed": true})).await.0, 200);
    let (mut ws, _) = Ws::hello(&service.base, json!({"run_id": run})).await;
    assert_eq!(ws.until("run_ended").await["outcome"], "succeeded");
    assert_eq!(letter.sent(), 1);
    assert!(service.terminate().await.success());
}

#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn standard_input_answers_questions_with_ask() {
    let letter = Letter::new();
    // An answer without meaning is asked for again.
    let yes = letter.send_with(&["--ask"], "maybe\n\ny\n").await;
    assert_eq!((yes.code, letter.sent()), (0, 1), "{yes:?}");
    assert!(yes.err.contains("type one of y, r, s, n, c and press Enter"), "{yes:?}");
    for words in ["medium risk, rule message: ", "sends    Message: hi", "see it   http://127.0.0.1:"] {
        assert!(yes.err.contains(words), "{words}: {yes:?}");
    }
    let no = letter.send_with(&["--ask"], "n\n").await;
    assert_eq!((no.code, letter.sent()), (4, 1), "{no:?}");
    let instead = letter.send_with(&["--ask"], "c\nclick Next door\n").await;
    assert_eq!((instead.code, letter.sent()), (0, 1), "{instead:?}");
    assert!(instead.out.contains("Blue room"), "{instead:?}");
    // The end of the input answers nothing.
    let nobody = letter.send_with(&["--ask"], "").await;
    assert_eq!((nobody.code, letter.sent()), (4, 1), "{nobody:?}");
    assert!(nobody.err.contains("--yes-to message"), "{nobody:?}");
}

#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn take_over_and_text_are_asked_for_in_the_terminal() {
    let letter = Letter::new();
    let order = format!("open {} then let me", letter.site.url("/room"));
    let words = ["run", "browser", order.as_str(), "--ask"];
    let done = askfirst_with(letter.folder(), &words, &letter.vars(), "\n").await;
    assert_eq!(done.code, 0, "{done:?}");
    assert!(done.err.contains("do it at http://127.0.0.1:"), "{done:?}");

    let ask = json!({"question": "Which city?", "answer_key": "city", "options": ["Львів", "Київ"]});
    let model = ScriptedModel::start(vec![
        Reply::act("ask_user", ask),
        Reply::seen(|request| {
            assert!(
                request.messages().iter().any(|message| message.to_string().contains("Київ")),
                "{request:?}"
            );
            Reply::stop("It is Kyiv.")
        }),
    ]);
    let vars =
        [("ASKFIRST_MODEL__BASE_URL", model.base_url.as_str()), ("ASKFIRST_MODEL__PLANNER", "scripted")];
    let chosen = askfirst_with(letter.folder(), &["run", "browser", "weather", "--ask"], &vars, "2\n").await;
    assert_eq!((chosen.code, chosen.out.as_str()), (0, "It is Kyiv.\n"), "{chosen:?}");
    assert!(chosen.err.contains("Which city?") && chosen.err.contains("2  Київ"), "{chosen:?}");
    model.finish();
}

#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn input_typed_before_the_question_answers_nothing() {
    let letter = Letter::new();
    let mut terminal = letter.open_terminal(&[]);
    // Typed before there is a question, so it approves nothing.
    terminal.types("y\n").await;
    terminal.shows("[y] yes, this once").await;
    assert_eq!(letter.sent(), 0);
    terminal.types("n\n").await;
    let declined = terminal.ends().await;
    assert_eq!((declined.code, letter.sent()), (4, 0), "{declined:?}");
    assert!(declined.err.contains('\u{1b}'), "a terminal has colours: {declined:?}");

    let mut terminal = letter.open_terminal(&["--json"]);
    terminal.shows("[y] yes, this once").await;
    terminal.types("y\n").await;
    let sent = terminal.ends().await;
    assert_eq!((sent.code, letter.sent()), (0, 1), "{sent:?}");
    assert_eq!(sent.json()["status"], "succeeded", "progress is not on standard output");

    let nobody = letter.open_terminal(&["--no-input"]).ends().await;
    assert_eq!((nobody.code, letter.sent()), (4, 1), "{nobody:?}");
}

#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn an_interrupt_stops_the_run_and_waits_for_its_end() {
    let letter = Letter::new();
    let service = Process::start(letter.folder(), &letter.vars()).await;
    for (signal, count) in [(Signal::SIGINT, 1), (Signal::SIGTERM, 2)] {
        let mut terminal = letter.open_terminal(&["--json"]);
        terminal.shows("[y] yes, this once").await;
        terminal.signal(signal);
        let stopped = terminal.ends().await;
        assert_eq!((stopped.code, letter.sent()), (4, 0), "{stopped:?}");
        assert_eq!(stopped.json()["status"], "cancelled", "it had ended before the command did");
        let runs = Http::new().get(&format!("{}/api/runs?status=cancelled", service.base)).await;
        assert_eq!(runs["items"].as_array().unwrap().len(), count, "{runs}");
    }
    assert!(service.terminate().await.success());

    // The same without a service: the run that it leaves behind has ended.
    let mut terminal = letter.open_terminal(&[]);
    terminal.shows("[y] yes, this once").await;
    terminal.signal(Signal::SIGINT);
    assert_eq!(terminal.ends().await.code, 4);
    let service = Process::start(letter.folder(), &letter.vars()).await;
    let runs = Http::new().get(&format!("{}/api/runs?status=cancelled", service.base)).await;
    assert_eq!(runs["items"].as_array().unwrap().len(), 3, "{runs}");
    assert!(service.terminate().await.success());
}

/// A service that begins runs and lets none of them end.
async fn stubborn(folder: &Path) -> (String, std::fs::File) {
    let server = HttpServer::new(|| {
        let stream = || async {
            let begun = r#"{"type":"run_started","agent":"browser","input":{},"run_id":"r","seq":1}"#;
            let first = format!("data: {begun}\n\n");
            let first =
                futures_util::stream::once(async { Ok::<_, actix_web::Error>(web::Bytes::from(first)) });
            let whole = futures_util::StreamExt::chain(first, futures_util::stream::pending());
            HttpResponse::Ok().content_type("text/event-stream").streaming(whole)
        };
        let agent = || async { HttpResponse::Ok().json(json!({"name": "browser", "browser": {}})) };
        let begin = || async { HttpResponse::Created().json(json!({"run_id": "r", "status": "queued"})) };
        App::new()
            .route("/api/settings", web::get().to(|| async { HttpResponse::Ok().json(json!({})) }))
            .route("/api/agents/browser", web::get().to(agent))
            .route("/api/runs", web::post().to(begin))
            .route("/api/runs/r/events", web::get().to(stream))
            .route("/api/runs/r/stop", web::post().to(|| async { HttpResponse::Accepted().json(json!({})) }))
    })
    .workers(1)
    .disable_signals()
    .bind(("127.0.0.1", 0))
    .unwrap();
    let base = format!("http://{}", server.addrs()[0]);
    actix_web::rt::spawn(server.run());
    let data = folder.join("data");
    std::fs::create_dir_all(&data).unwrap();
    let lock = std::fs::File::create(data.join("lock")).unwrap();
    lock.lock().unwrap();
    let notice = json!({"address": base, "token": null, "pid": 1});
    std::fs::write(data.join("serving.json"), notice.to_string()).unwrap();
    (base, lock)
}

#[actix_web::test]
async fn a_second_interrupt_leaves_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let (_, _lock) = stubborn(folder.path()).await;
    let mut terminal = Terminal::start(folder.path(), &["run", "browser", "x"], &[]);
    terminal.shows("▸ browser").await;
    terminal.signal(Signal::SIGINT);
    terminal.shows("stopping the run").await;
    assert!(!terminal.is_over(), "{}", terminal.screen());
    terminal.signal(Signal::SIGINT);
    assert_eq!(terminal.ends().await.code, 4);
}

#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn a_dead_service_is_reported() {
    let letter = Letter::new();
    let service = Process::start(letter.folder(), &letter.vars()).await;
    let base = service.base.clone();
    let mut terminal = letter.open_terminal(&[]);
    terminal.shows("[y] yes, this once").await;
    service.kill().await;
    let ended = terminal.ends().await;
    assert_eq!(ended.code, 3, "{ended:?}");
    assert!(ended.err.contains(&format!("the service at {base} does not answer")), "{ended:?}");
    assert!(ended.err.contains("continues when the service runs again"), "{ended:?}");
}

// A service that was killed leaves its file; whoever comes next does not believe it.
#[actix_web::test]
async fn the_address_file_of_a_killed_service_is_ignored() {
    let folder = tempfile::tempdir().unwrap();
    let service = Process::start(folder.path(), &[]).await;
    let file = folder.path().join("data/serving.json");
    let text = std::fs::read_to_string(&file).unwrap();
    assert!(text.contains(&service.base), "{text}");
    service.kill().await;
    assert!(file.is_file());
    let typed = askfirst(folder.path(), &["run", "nosuch", "x"], &[]).await;
    assert_eq!(typed.code, 2, "{typed:?}");
    assert!(typed.err.contains("there is no agent nosuch"), "{typed:?}");
    assert!(!file.exists(), "nobody serves any more");
    // A process that holds the lock without serving is reported, and not waited for endlessly.
    let notice = json!({"address": format!("http://127.0.0.1:{}", free_port()), "token": null, "pid": 1});
    std::fs::write(&file, notice.to_string()).unwrap();
    let lock = std::fs::File::create(folder.path().join("data/lock")).unwrap();
    lock.lock().unwrap();
    let typed = askfirst(folder.path(), &["run", "browser", "x"], &[]).await;
    assert_eq!(typed.code, 3, "{typed:?}");
    assert!(
        typed.err.contains("holds the data folder") && typed.err.contains("does not answer"),
        "{typed:?}"
    );
}

#[actix_web::test]
async fn a_service_with_a_token_lets_its_own_folder_in() {
    let folder = tempfile::tempdir().unwrap();
    let token = [("ASKFIRST_SERVER__TOKEN", "a very long word & more")];
    let service = Process::start(folder.path(), &token).await;
    let file = folder.path().join("data/serving.json");
    let mode = std::os::unix::fs::PermissionsExt::mode(&std::fs::metadata(&file).unwrap().permissions());
    assert_eq!(mode & 0o777, 0o600);
    // Without the variable: the token comes from the folder.
    let typed = askfirst(folder.path(), &["run", "browser", "  "], &[]).await;
    assert_eq!(typed.code, 2, "{typed:?}");
    assert!(typed.err.contains("`text` is empty"), "{typed:?}");
    assert!(service.terminate().await.success());
    assert!(!file.exists());
}

// Two commands on one folder: the second works with the service of the first, which waits for it.
#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn two_commands_at_once_share_one_service() {
    let letter = Letter::new();
    let mut first = letter.open_terminal(&[]);
    first.shows("[y] yes, this once").await;
    let address = std::fs::read_to_string(letter.folder().join("data/serving.json")).unwrap();
    let mut second = letter.open_terminal(&[]);
    second.shows("[y] yes, this once").await;
    let now = std::fs::read_to_string(letter.folder().join("data/serving.json")).unwrap();
    assert_eq!(address, now, "there is one service");
    first.types("y\n").await;
    first.shows("another command works with this service").await;
    assert!(!first.is_over());
    second.types("y\n").await;
    assert_eq!(second.ends().await.code, 0);
    assert_eq!(first.ends().await.code, 0);
    assert_eq!(letter.sent(), 2);
}

// Runs of others that are under way stay as they are when a command starts.
#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn a_command_does_not_resume_other_runs() {
    let letter = Letter::new();
    let service = Process::start(letter.folder(), &letter.vars()).await;
    let held = format!("open {} then click Show more", letter.site.url("/waiting"));
    let body = json!({"agent": "browser", "input": {"text": held}});
    let (_, begun) = Http::new().post(&format!("{}/api/runs", service.base), &body).await;
    let run = begun["run_id"].as_str().unwrap().to_owned();
    let http = Http::new();
    loop {
        let events = http.get(&format!("{}/api/runs/{run}/events", service.base)).await;
        if events.to_string().contains("Show more\"")
            && events.to_string().matches("action_started").count() == 2
        {
            break;
        }
    }
    let seen = http.get(&format!("{}/api/runs/{run}", service.base)).await["last_seq"].clone();
    service.kill().await;
    let mut terminal = letter.open_terminal(&[]);
    terminal.shows("[y] yes, this once").await;
    let own = std::fs::read_to_string(letter.folder().join("data/serving.json")).unwrap();
    let own: Value = serde_json::from_str(&own).unwrap();
    let base = own["address"].as_str().unwrap();
    let other = http.get(&format!("{base}/api/runs/{run}")).await;
    assert_eq!((&other["status"], &other["last_seq"]), (&json!("running"), &seen), "{other}");
    terminal.types("n\n").await;
    assert_eq!(terminal.ends().await.code, 4);
}

#[actix_web::test]
#[ignore = "needs Chromium; make test runs it"]
async fn a_question_answered_elsewhere_is_not_awaited() {
    let letter = Letter::new();
    let service = Process::start(letter.folder(), &letter.vars()).await;
    let mut terminal = letter.open_terminal(&[]);
    terminal.shows("[y] yes, this once").await;
    let run = only_run(&service.base).await;
    let answer = format!("{}/api/questions/{}", service.base, run["question"].as_str().unwrap());
    assert_eq!(Http::new().post(&answer, &json!({"confirmed": true})).await.0, 200);
    let ended = terminal.ends().await;
    assert_eq!((ended.code, letter.sent()), (0, 1), "{ended:?}");
    assert!(ended.err.contains("approved"), "{ended:?}");
    assert!(service.terminate().await.success());
    until("no file is left", PATIENCE, || !letter.folder().join("data/serving.json").exists()).await;
}

/// A folder of agents that need no browser and no model.
fn agents(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("agents")).unwrap();
    for (name, rest) in files {
        let path = folder.path().join("agents").join(format!("{name}.yaml"));
        std::fs::write(path, format!("name: {name}\n{rest}")).unwrap();
    }
    folder
}

const SUM: &str = "kind: atomic\noutputs: [{name: sum, type: number}]\ninputs:\n  - {name: n, type: integer}\n  \
    - {name: rows, type: list, default: []}\n  - {name: twice, type: boolean, default: false}\n  \
    - {name: note}\npython: {code: \"sum = (n + sum(rows)) * (2 if twice else 1)\"}\n";
const FILES: &str = "kind: atomic\noutputs: [{name: sum}]\npython: {files: true, code: \"sum = 1\"}\n";
const BREAKS: &str =
    "kind: atomic\noutputs: [{name: sum}]\npython: {code: \"raise ValueError('no luck')\"}\n";
const LANES: &str = r#"kind: composite
inputs: [{name: n, type: integer}, {name: other, type: string, default: files}]
outputs: [{name: sum}]
graph:
  lanes:
    - items:
        - id: one
          agent: adds
          bindings:
            - {from_agent_item_id: __CTX__, from_var: n, to_agent_item_id: one, to_var: n}
            - {from_agent_item_id: __CTX__, from_var: other, to_agent_item_id: one, to_var: note}
    - items:
        - {id: two, agent: files, when: {var: other, equals: files}}
        - {id: three, agent: breaks, when: {var: other, equals: breaks}}
        - {id: four, agent: breaks, on_error: continue, when: {var: other, equals: continues}}
"#;

fn lanes() -> tempfile::TempDir {
    agents(&[("adds", SUM), ("files", FILES), ("breaks", BREAKS), ("whole", LANES)])
}

#[actix_web::test]
async fn inputs_are_read_as_the_agent_declares_them() {
    let folder = lanes();
    let run = async |words: &[&str]| askfirst(folder.path(), &[&["run", "adds"], words].concat(), &[]).await;
    let added = run(&["-i", "n=2", "-i", "rows=[3, 4.5]", "-i", "twice=true", "-i", "note=5"]).await;
    assert_eq!((added.code, added.out.as_str()), (0, "19.0\n"), "{added:?}");
    let json = folder.path().join("in.json");
    std::fs::write(&json, r#"{"n": 1, "note": "x", "rows": [1]}"#).unwrap();
    let added = run(&["--input-json", json.to_str().unwrap(), "-i", "rows=[2]", "--json"]).await;
    assert_eq!((added.code, &added.json()["vars"]), (0, &json!({"sum": 3})), "--input wins: {added:?}");
    for (words, expected) in [
        (vec!["-i", "n=two", "-i", "note="], "--input n: must be a whole number, not \"two\""),
        (vec!["-i", "n=1", "-i", "twice=yes", "-i", "note="], "--input twice: must be true or false"),
        (vec!["-i", "n:={", "-i", "note="], "--input n: is not JSON"),
        (
            vec!["plain words"],
            "no one input for \"TEXT\"; name it: --input NAME=VALUE (n (integer), rows (list)",
        ),
    ] {
        let typed = run(&words).await;
        assert_eq!(typed.code, 2, "{typed:?}");
        assert!(typed.err.contains(expected), "{expected}: {typed:?}");
    }
}

// S0.12, S0.20: what children do stands further in, what is skipped is said.
#[actix_web::test]
async fn children_are_printed_and_their_questions_answered() {
    let folder = lanes();
    let run = async |words: &[&str]| {
        askfirst(folder.path(), &[&["run", "whole", "--input", "n=4"], words].concat(), &[]).await
    };
    let refused = run(&[]).await;
    assert_eq!(refused.code, 4, "{refused:?}");
    assert!(refused.err.contains("rule python asks"), "{refused:?}");
    let allowed = run(&["--yes-to", "python"]).await;
    assert_eq!((allowed.code, allowed.out.as_str()), (0, "1\n"), "{allowed:?}");
    let lines: Vec<&str> = allowed.err.lines().collect();
    let line_index = |words: &str| {
        let found = lines.iter().position(|line| line.starts_with(words));
        found.unwrap_or_else(|| panic!("{words}: {allowed:?}"))
    };
    assert_eq!(lines[0], "▸ whole n: 4", "{allowed:?}");
    assert!(line_index("  ▸ adds n: 4, note: files") < line_index("  ▪ adds succeeded"));
    assert!(line_index("  ▪ adds succeeded") < line_index("  · breaks: skipped"));
    assert!(line_index("  ▸ files") < line_index("  ▪ files succeeded"));
    assert!(allowed.err.contains("✓ yes to python: "), "{allowed:?}");
    assert!(lines.last().unwrap().starts_with("■ succeeded in "), "{allowed:?}");

    let asked = askfirst_with(folder.path(), &["run", "whole", "-i", "n=4", "--ask"], &[], "y\n").await;
    assert_eq!(asked.code, 0, "{asked:?}");
    assert!(asked.err.contains("? files: "), "the question says which agent asks: {asked:?}");
}

#[actix_web::test]
async fn a_partial_result_is_no_success_for_the_command_line() {
    let folder = lanes();
    let failed = ["run", "whole", "-i", "n=4", "-i", "other=breaks", "--json"];
    let failed = askfirst(folder.path(), &failed, &[]).await;
    assert_eq!((failed.code, &failed.json()["status"]), (3, &json!("failed")), "{failed:?}");
    assert!(failed.json()["error"].as_str().unwrap().contains("no luck"), "{failed:?}");
    assert!(failed.err.contains("✗ breaks: "), "{failed:?}");
    let partial = ["run", "whole", "-i", "n=4", "-i", "other=continues"];
    let partial = askfirst(folder.path(), &partial, &[]).await;
    assert_eq!((partial.code, partial.out.lines().last()), (3, Some("4")), "{partial:?}");
    assert!(partial.err.contains("■ partial in "), "{partial:?}");
}
