//! Stop, pause and resume are stored before they are answered: they hold when the service dies before they are
//! carried out.

use crate::support::app::{Http, PATIENCE, Process, free_port, random, until};
use crate::support::lanes::{composite, item};
use askfirst::ids::RunId;
use askfirst::store::rows::user_command::{StoredUserCommand, UserCommand};
use askfirst::store::sqlite::connection::store::SqliteStore;
use askfirst::store::user_commands::UserCommands;
use futures_util::future::join_all;
use rusqlite::{Connection, params};
use serde_json::{Value, json};
use std::path::Path;
use std::time::Duration;

/// Asks before it begins; then an effect is under way for longer than any test looks at it.
const SLOW: &str = "
kind: atomic
outputs: [{name: done, type: boolean}]
python: {code: 'import time; time.sleep(60); done = True', files: true}
";

const TICK: Duration = Duration::from_millis(20);

/// The service is killed a random number of milliseconds after its answer, so often: at once, and then within each of
/// these bounds, as it writes and tells.
const MOMENTS: [std::ops::RangeInclusive<u64>; 4] = [0..=0, 1..=8, 9..=60, 61..=300];

struct Killed {
    folder: tempfile::TempDir,
    port: u16,
    process: Process,
    http: Http,
}

impl Killed {
    async fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let agents = folder.path().join("agents");
        std::fs::create_dir_all(&agents).unwrap();
        let two = composite(&[], &[], "", &[item("a", "slow", "") + &item("b", "slow", "")]);
        for (name, text) in [("slow", SLOW), ("two", two.as_str())] {
            std::fs::write(agents.join(format!("{name}.yaml")), format!("name: {name}\n{text}")).unwrap();
        }
        let port = free_port();
        let process = Process::start_on(port, folder.path(), &[]).await;
        Self { folder, port, process, http: Http::new() }
    }

    /// `kill -9`, so long after now, and the service is there again.
    async fn dies(self, after: u64) -> Self {
        let Self { folder, port, process, http } = self;
        let moment = tokio::time::timeout(Duration::from_millis(after), std::future::pending::<()>());
        assert!(moment.await.is_err());
        process.kill().await;
        let process = Process::start_on(port, folder.path(), &[]).await;
        Self { folder, port, process, http }
    }

    async fn get(&self, path: &str) -> Value {
        self.http.get(&format!("{}{path}", self.process.base)).await
    }

    async fn post(&self, path: &str, body: Value) -> (u16, Value) {
        self.http.post(&format!("{}{path}", self.process.base), &body).await
    }

    /// A run of this agent, with so many effects under way.
    async fn start_with_effects(&self, agent: &str, effects: usize) -> String {
        let (_, begun) = self.post("/api/runs", json!({"agent": agent, "input": {}})).await;
        let run = begun["run_id"].as_str().unwrap_or_else(|| panic!("{begun}")).to_owned();
        let mut answered = Vec::new();
        let mut ticks = tokio::time::interval(TICK);
        while answered.len() < effects {
            ticks.tick().await;
            for question in self.get("/api/questions").await["items"].as_array().unwrap() {
                let ours =
                    question["root_run_id"] == run.as_str() && !answered.contains(&question["reference"]);
                if ours {
                    let path = format!("/api/questions/{}", question["reference"].as_str().unwrap());
                    assert_eq!(self.post(&path, json!({"confirmed": true})).await.0, 200);
                    answered.push(question["reference"].clone());
                }
            }
        }
        let started = || {
            let open = "select count(*) from effects where receipt_at is null
                        and run_id in (select id from runs where root_id = ?)";
            self.store().query_row(open, [&run], |row| row.get::<_, usize>(0)).unwrap() == effects
        };
        until("the effects are under way", PATIENCE, started).await;
        run
    }

    fn store(&self) -> Connection {
        Connection::open(self.folder.path().join("data/askfirst.db")).unwrap()
    }

    async fn steer(&self, run: &str, command: &str) {
        let (status, answer) = self.post(&format!("/api/runs/{run}/{command}"), json!({})).await;
        assert!([200, 202].contains(&status), "{command}: {answer}");
    }

    /// Statuses of all runs of the tree, once none of them changes any more.
    async fn stand(&self, root: &str) -> Vec<String> {
        let rests = |run: &Value| run["status"] == "paused" || run["outcome"].is_string();
        let mut ticks = tokio::time::interval(TICK);
        loop {
            ticks.tick().await;
            let list = self.get(&format!("/api/runs?limit=50&root={root}")).await;
            let runs = list["items"].as_array().unwrap();
            if runs.iter().all(rests) {
                return runs.iter().map(|run| run["status"].as_str().unwrap().to_owned()).collect();
            }
        }
    }
}

// Kills the service at random moments between the answer to a command and the moment that it can be carried out.
#[actix_web::test]
async fn commands_accepted_during_an_effect_hold_after_kill_9() {
    let mut app = Killed::start().await;
    for moments in MOMENTS {
        let after = random(moments);
        let one = app.start_with_effects("slow", 1).await;
        let two = app.start_with_effects("two", 2).await;
        let [stopped, resumed] =
            [app.start_with_effects("slow", 1).await, app.start_with_effects("slow", 1).await];
        let commands = [(&one, "pause"), (&two, "pause"), (&stopped, "stop"), (&resumed, "pause")];
        join_all(commands.map(|(run, command)| app.steer(run, command))).await;
        // The last command counts, so that this run is not paused any more.
        app.steer(&resumed, "resume").await;
        app = app.dies(after).await;
        assert_eq!(app.stand(&one).await, ["paused"], "{after} ms");
        assert_eq!(app.stand(&two).await, ["paused"; 3], "{after} ms: those below stand still, too");
        assert_eq!(app.stand(&stopped).await, ["cancelled"], "{after} ms");
        assert_eq!(app.stand(&resumed).await, ["failed"], "{after} ms: nobody knows what became of it");
        // A command is carried out once.
        app.steer(&one, "resume").await;
        assert_eq!(app.stand(&one).await, ["failed"], "{after} ms");
        app = app.dies(0).await;
        assert_eq!(app.stand(&two).await, ["paused"; 3], "{after} ms: also after the next start");
        app.steer(&two, "resume").await;
        app = app.dies(after).await;
        assert!(!app.stand(&two).await.contains(&String::from("paused")), "{after} ms: it went on");
        let left: u32 =
            app.store().query_row("select count(*) from user_commands", [], |row| row.get(0)).unwrap();
        assert_eq!(left, 0, "{after} ms: nothing is wanted any more");
    }
    assert!(app.process.terminate().await.success());
}

/// A store with a run, two below it and one below those; the last has ended.
fn store(folder: &Path) -> (SqliteStore, Connection) {
    let store = SqliteStore::open(folder, Box::new(|_| ())).unwrap();
    let rows = Connection::open(folder.join("askfirst.db")).unwrap();
    for (id, parent, ended) in
        [("r", None, None), ("a", Some("r"), None), ("b", Some("a"), None), ("c", Some("r"), Some(1))]
    {
        let sql =
            "insert into runs (id, root_id, parent_id, depth, agent, program, title, input, status, node,
                                     created_at, updated_at, ended_at)
                   values (?, 'r', ?, 0, '', '', '', '{}', 'running', '', 0, 0, ?)";
        rows.execute(sql, params![id, parent, ended]).unwrap();
    }
    (store, rows)
}

fn run(id: &str) -> RunId {
    RunId::from(id)
}

#[actix_web::test]
async fn the_last_command_counts_and_a_stop_is_final() {
    let folder = tempfile::tempdir().unwrap();
    let (store, _rows) = store(folder.path());
    let StoredUserCommand { row: pause, runs } =
        store.add_user_command(run("r"), UserCommand::Pause, true).await.unwrap().unwrap();
    assert_eq!(runs, [run("r"), run("a"), run("b")], "callers first, and none that has ended");
    let StoredUserCommand { row: resume, runs } =
        store.add_user_command(run("a"), UserCommand::Resume, true).await.unwrap().unwrap();
    assert!(resume.n > pause.n && runs == [run("a"), run("b")], "{runs:?}");
    assert_eq!(
        store.pending_user_commands().await.unwrap(),
        [(run("r"), pause), (run("a"), resume), (run("b"), resume)]
    );
    let StoredUserCommand { row: stop, .. } =
        store.add_user_command(run("b"), UserCommand::Stop, true).await.unwrap().unwrap();
    let later = store.add_user_command(run("a"), UserCommand::Pause, true).await.unwrap().unwrap();
    assert_eq!(later.runs, [run("a")], "one that is to be stopped is asked nothing else");
    store.withdraw_user_command(later.row.n).await.unwrap();
    assert_eq!(store.pending_user_commands().await.unwrap(), [(run("r"), pause), (run("b"), stop)]);
    assert_eq!(
        store.add_user_command(run("c"), UserCommand::Stop, true).await.unwrap(),
        None,
        "it has ended"
    );
    assert_eq!(store.add_user_command(run("nobody"), UserCommand::Stop, true).await.unwrap(), None);
    let last = store.add_user_command(run("r"), UserCommand::Pause, false).await.unwrap().unwrap();
    assert_eq!((last.runs, last.row.n > later.row.n), (vec![run("r")], true), "numbers never come again");
}
