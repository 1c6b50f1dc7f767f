//! Runs of lanes over the death of the service: killed in the middle of a lane, again and again, they end
//! as they would have, and what had ended does not run again. The model counts what it is asked.

use crate::support::app::{Http, PATIENCE, Process, free_port, until};
use crate::support::lanes::{ASKS, HeldModel, SAY, composite, item, say_item};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::Path;
use std::time::Duration;

/// Interval of checks whether something has ended.
const TICK: Duration = Duration::from_millis(20);

/// Counts the letters of a word, in the sandbox.
const COUNT: &str = "
kind: atomic
inputs: [{name: word, default: nothing}]
outputs: [{name: letters, type: integer}]
python: {code: 'result = {\"letters\": len(word)}'}
";

/// A service that is killed and started again in one folder, at one address.
pub struct Service {
    folder: tempfile::TempDir,
    port: u16,
    base: String,
    model: String,
    http: Http,
    process: Option<Process>,
}

impl Service {
    pub async fn with(agents: &[(&str, &str)], model: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let agents_folder = folder.path().join("agents");
        std::fs::create_dir_all(&agents_folder).unwrap();
        for (name, text) in agents {
            std::fs::write(agents_folder.join(format!("{name}.yaml")), format!("name: {name}\n{text}"))
                .unwrap();
        }
        let (port, base) = (free_port(), String::new());
        let mut service =
            Self { folder, port, base, model: model.to_owned(), http: Http::new(), process: None };
        service.start().await;
        service
    }

    pub async fn start(&mut self) {
        let settings =
            [("ASKFIRST_MODEL__BASE_URL", self.model.as_str()), ("ASKFIRST_MODEL__STRUCTURED", "prompt")];
        let process = Process::start_on(self.port, self.folder.path(), &settings).await;
        self.base.clone_from(&process.base);
        self.process = Some(process);
    }

    pub async fn kill(&mut self) {
        self.process.take().unwrap().kill().await;
    }

    pub async fn begin(&self, agent: &str) -> String {
        self.begin_with(agent, json!({})).await
    }

    pub async fn begin_with(&self, agent: &str, input: Value) -> String {
        let order = json!({"agent": agent, "input": input});
        let (_, started) = self.http.post(&format!("{}/api/runs", self.base), &order).await;
        started["run_id"].as_str().unwrap().to_owned()
    }

    /// Waits until the run has ended.
    pub async fn end(&self, run: &str) -> Value {
        let url = format!("{}/api/runs/{run}", self.base);
        let mut ticks = tokio::time::interval(TICK);
        loop {
            ticks.tick().await;
            let whole = self.http.get(&url).await;
            if whole["outcome"].is_string() {
                return whole;
            }
        }
    }

    /// Waits until the item that says this word has ended.
    pub async fn wait_for_word(&self, root: &str, word: &str) {
        self.wait_for_success(root, "say", &format!("say: {word}")).await;
    }

    /// Waits until the run of this agent with this title has ended, and gives it.
    async fn wait_for_success(&self, root: &str, agent: &str, title: &str) -> Value {
        let url = format!("{}/api/runs?limit=200&agent={agent}&root={root}", self.base);
        let mut ticks = tokio::time::interval(TICK);
        loop {
            ticks.tick().await;
            let runs = self.http.get(&url).await;
            let ended = |run: &&Value| run["title"] == title && run["outcome"] == "succeeded";
            if let Some(run) = runs["items"].as_array().unwrap().iter().find(ended) {
                return run.clone();
            }
        }
    }

    /// Questions that wait for a person.
    async fn questions(&self) -> Vec<Value> {
        let list = self.http.get(&format!("{}/api/questions", self.base)).await;
        list["items"].as_array().unwrap().clone()
    }

    /// Waits until something does.
    async fn question(&self) -> Value {
        let mut ticks = tokio::time::interval(TICK);
        loop {
            ticks.tick().await;
            if let Some(question) = self.questions().await.into_iter().next() {
                return question;
            }
        }
    }

    /// Every run of the tree as it stands in the store: who, how it stands, with what and what it gave.
    pub fn stored(&self, root: &str) -> Vec<(String, String, Value, Value)> {
        let store = rusqlite::Connection::open(self.folder.path().join("data/askfirst.db")).unwrap();
        let sql = "select agent, status, input, coalesce(vars, 'null') from runs where root_id = ?";
        let mut statement = store.prepare(sql).unwrap();
        let rows = statement.query_map([root], |row| {
            let json = |text: String| serde_json::from_str(&text).unwrap();
            Ok((row.get(0)?, row.get(1)?, json(row.get(2)?), json(row.get(3)?)))
        });
        let mut rows: Vec<(String, String, Value, Value)> = rows.unwrap().collect::<Result<_, _>>().unwrap();
        rows.sort_by_key(|row| format!("{row:?}"));
        rows
    }

    /// The words whose runs have ended.
    pub fn over(&self, root: &str) -> BTreeSet<String> {
        let ended = self.stored(root).into_iter().filter(|run| run.0 == "say" && run.1 == "succeeded");
        ended.map(|run| run.2["word"].as_str().unwrap().to_owned()).collect()
    }

    /// S0.50: every run of the tree has left its files.
    async fn files(&self, root: &str) {
        let list = self.http.get(&format!("{}/api/runs?limit=200&root={root}", self.base)).await;
        let runs = list["items"].as_array().unwrap().clone();
        assert!(runs.len() > 3);
        for run in runs {
            for file in ["state.json", "trace.json"] {
                let folder = self.folder.path().join("data/runs").join(run["run_id"].as_str().unwrap());
                until(file, PATIENCE, || Path::is_file(&folder.join(file))).await;
                let text = std::fs::read_to_string(folder.join(file)).unwrap();
                let read: Value = serde_json::from_str(&text).unwrap();
                assert_eq!(read["run_id"], run["run_id"]);
            }
        }
    }

    pub async fn stop(mut self) {
        assert!(self.process.take().unwrap().terminate().await.success());
    }
}

/// Four words two by two, then lanes within a lane, then one that has the last word.
fn agents() -> [(&'static str, String); 4] {
    let inner = composite(
        &["e", "f"],
        &["said", "letters"],
        "",
        &[
            say_item("e", "") + &say_item("f", ""),
            item(
                "count",
                "count",
                ", bindings: [{from_agent_item_id: f, from_var: said, to_agent_item_id: count, to_var: word}]",
            ),
        ],
    );
    let lanes = composite(
        &["a", "b", "c", "d", "g"],
        &["said", "letters"],
        "  max_parallel: 2\n",
        &[
            say_item("a", "") + &say_item("b", "") + &say_item("c", "") + &say_item("d", ""),
            item("inner", "inner", ""),
            say_item("g", ""),
        ],
    );
    [("say", SAY.to_owned()), ("count", COUNT.to_owned()), ("inner", inner), ("lanes", lanes)]
}

async fn service(model: &HeldModel) -> Service {
    let agents = agents();
    let agents: Vec<(&str, &str)> = agents.iter().map(|(name, text)| (*name, text.as_str())).collect();
    Service::with(&agents, &model.model.base_url).await
}

// C3, S0.50: after each kill, only the items under way run again.
#[actix_web::test]
async fn only_items_under_way_run_again_after_kill_9() {
    let model = HeldModel::back(&["a", "b", "c", "d", "e", "f", "g"]);
    let mut service = service(&model).await;
    let run = service.begin("lanes").await;
    model.wait_for_request("a", 1).await;
    model.wait_for_request("b", 1).await;
    model.release("a");
    service.wait_for_word(&run, "a").await;
    model.wait_for_request("c", 1).await;
    service.kill().await;
    // The first item has ended, two are under way, one has not begun.
    assert_eq!(service.over(&run), BTreeSet::from([String::from("a")]));
    service.start().await;
    model.wait_for_request("b", 2).await;
    model.wait_for_request("c", 2).await;
    model.release("b");
    model.release("c");
    model.wait_for_request("d", 1).await;
    service.wait_for_word(&run, "c").await;
    service.wait_for_word(&run, "b").await;
    service.kill().await;
    service.start().await;
    model.wait_for_request("d", 2).await;
    model.release("d");
    // In the middle of the lanes within.
    model.wait_for_request("e", 1).await;
    model.wait_for_request("f", 1).await;
    model.release("f");
    service.wait_for_word(&run, "f").await;
    service.kill().await;
    service.start().await;
    model.wait_for_request("e", 2).await;
    model.release("e");
    model.wait_for_request("g", 1).await;
    service.kill().await;
    service.start().await;
    model.wait_for_request("g", 2).await;
    model.release("g");
    let ended = service.end(&run).await;
    assert_eq!(
        (&ended["status"], &ended["vars"]),
        (&json!("succeeded"), &json!({"said": "g!", "letters": 2}))
    );
    let times: Vec<usize> = ["a", "b", "c", "d", "e", "f", "g"].map(|word| model.times(word)).to_vec();
    assert_eq!(times, [1, 2, 2, 2, 2, 1, 2], "{:?}", model.all());
    service.files(&run).await;
    service.stop().await;
    model.model.finish();
}

// The same at moments that nobody chose: whenever so many requests have arrived, wherever it stands then.
#[actix_web::test]
async fn lanes_killed_at_any_moment_end_with_the_same_result() {
    let model = HeldModel::back(&[]);
    let mut service = service(&model).await;
    let undisturbed = service.begin("lanes").await;
    service.end(&undisturbed).await;
    let expected = service.stored(&undisturbed);
    for kills in [&[1, 2, 3, 5, 7][..], &[2, 4, 6, 8], &[3, 3, 3, 3, 6]] {
        let asked = model.all().len();
        let run = service.begin("lanes").await;
        let (mut under_way, mut over) = (0, Vec::new());
        for after in kills {
            let arrived = model.model.arrived(asked + after);
            tokio::select! {
                () = arrived => {}
                _ = service.end(&run) => break,
            }
            service.kill().await;
            let alive = |run: &&(String, String, Value, Value)| run.0 == "say" && run.1 != "succeeded";
            under_way += service.stored(&run).iter().filter(alive).count();
            over.push((service.over(&run), model.all().len()));
            service.start().await;
        }
        let ended = service.end(&run).await;
        assert_eq!(ended["status"], "succeeded", "{ended}");
        assert_eq!(service.stored(&run), expected);
        for (words, before) in over {
            let again = words.iter().find(|word| model.all()[before..].contains(word));
            assert_eq!(again, None, "it had ended and was asked again: {:?}", &model.all()[asked..]);
        }
        assert!(model.all().len() - asked <= 7 + under_way, "{:?}", &model.all()[asked..]);
        service.files(&run).await;
    }
    service.stop().await;
    model.model.finish();
}

// C3, C4, S0.20, S0.22: what a child at depth asks in the middle of a lane is asked still, as the same; what
// came of the answer is not asked for again, and nobody has gone past the barrier meanwhile.
#[actix_web::test]
async fn a_question_open_in_the_middle_of_a_lane_outlives_kill_9() {
    let model = HeldModel::back(&["a"]);
    let inner = composite(&[], &[], "", &[item("asks", "asks", "")]);
    let middle = composite(&[], &[], "", &[item("inner", "inner", "")]);
    let lanes = composite(
        &["a", "last"],
        &["said"],
        "",
        &[say_item("a", "") + &item("middle", "middle", ""), say_item("last", "")],
    );
    let agents = [("say", SAY), ("asks", ASKS), ("inner", &inner), ("middle", &middle), ("lanes", &lanes)];
    let mut service = Service::with(&agents, &model.model.base_url).await;
    let run = service.begin("lanes").await;
    model.wait_for_request("a", 1).await;
    let question = service.question().await;
    service.kill().await;
    service.start().await;
    model.wait_for_request("a", 2).await;
    assert_eq!(service.questions().await, std::slice::from_ref(&question));
    let url = format!("{}/api/questions/{}", service.base, question["reference"].as_str().unwrap());
    let (status, answer) = service.http.post(&url, &json!({"confirmed": true})).await;
    assert_eq!(status, 200, "{answer}");
    let asking = service.wait_for_success(&run, "asks", "asks").await;
    assert_eq!((&asking["run_id"], &asking["depth"]), (&question["run_id"], &json!(3)));
    service.kill().await;
    service.start().await;
    model.wait_for_request("a", 3).await;
    assert_eq!(service.questions().await, Vec::<Value>::new());
    assert_eq!(service.http.post(&url, &json!({"confirmed": true})).await.1["code"], "already_resolved");
    model.release("a");
    let ended = service.end(&run).await;
    assert_eq!(
        (&ended["status"], &ended["vars"]),
        (&json!("succeeded"), &json!({"said": "last!"})),
        "{ended}"
    );
    assert_eq!(model.all(), ["a", "a", "a", "last"]);
    let trace = format!("{}/api/runs/{}/trace", service.base, asking["run_id"].as_str().unwrap());
    let trace = service.http.get(&trace).await;
    let nodes: Vec<&str> =
        trace["steps"].as_array().unwrap().iter().map(|s| s["node"].as_str().unwrap()).collect();
    assert_eq!(nodes, ["policy_gate", "confirm", "execute", "finalize_done"], "it ran once");
    service.files(&run).await;
    service.stop().await;
    model.model.finish();
}
