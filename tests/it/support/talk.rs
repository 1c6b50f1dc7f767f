//! A conversation with the whole service: planned by a scripted model, in a real Chromium, and followed
//! through a socket.

use super::app::{Http, TestApp, spawn_in};
use super::devtools::Page;
use super::model::{Reply, ScriptedModel};
use super::model_checks::Rules;
use super::site::Site;
use super::ws::Ws;
use serde_json::{Value, json};
use std::sync::{Arc, LazyLock};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// At most two at a time, because the machine has few cores.
static SLOTS: LazyLock<Arc<Semaphore>> = LazyLock::new(|| Arc::new(Semaphore::new(2)));

/// Waits for a slot to use a real Chromium.
pub async fn slot() -> OwnedSemaphorePermit {
    Arc::clone(&SLOTS).acquire_owned().await.unwrap()
}

/// Agent that is sent the picture of the page.
const SEEING: &str = "name: seeing\ntitle_ua: Зрячий\nkind: atomic\ninputs: [{name: text, type: string, required: true}]\n\
    outputs: [{name: answer, type: string}]\nbrowser: {vision: true}\n";

pub struct Talk {
    pub app: TestApp,
    pub model: ScriptedModel,
    pub site: Site,
    pub ws: Ws,
    pub http: Http,
    /// Id of the current run; empty before the first message.
    pub run: String,
    /// Name of the agent that the first message is for; `None` for the assistant.
    agent: Option<&'static str>,
    _slot: OwnedSemaphorePermit,
}

impl Talk {
    /// Starts a conversation.
    pub async fn start(settings: &[(&str, &str)]) -> Self {
        Self::with(Rules::default(), settings).await
    }

    pub async fn with(rules: Rules, settings: &[(&str, &str)]) -> Self {
        Self::start_in(tempfile::tempdir().unwrap(), rules, settings).await
    }

    /// Starts a conversation with an agent that is sent the picture of the page.
    pub async fn seeing(settings: &[(&str, &str)]) -> Self {
        let rules = Rules { vision: true, ..Rules::default() };
        Self::with_agent(("seeing", SEEING), rules, settings).await
    }

    /// Starts a conversation with an agent that is sent the picture where the text is not enough.
    pub async fn glancing(settings: &[(&str, &str)]) -> Self {
        let file = SEEING.replace("vision: true", "vision: auto").replace("seeing", "glancing");
        let rules = Rules { pictures_vary: true, ..Rules::default() };
        Self::with_agent(("glancing", &file), rules, settings).await
    }

    async fn with_agent((name, file): (&'static str, &str), rules: Rules, settings: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(folder.path().join("agents")).unwrap();
        std::fs::write(folder.path().join(format!("agents/{name}.yaml")), file).unwrap();
        Self { agent: Some(name), ..Self::start_in(folder, rules, settings).await }
    }

    async fn start_in(folder: tempfile::TempDir, rules: Rules, settings: &[(&str, &str)]) -> Self {
        let slot = slot().await;
        let (model, site) = (ScriptedModel::with_rules(rules, Vec::new()), Site::open());
        let hosts = json!([site.host, site.host.replace("127.0.0.1", "localhost")]).to_string();
        let mut all = vec![
            ("ASKFIRST_MODEL__BASE_URL", model.base_url.as_str()),
            ("ASKFIRST_MODEL__PLANNER", "scripted"),
            ("ASKFIRST_GATE__PRIVATE_HOSTS", hosts.as_str()),
        ];
        all.extend(settings);
        let app = spawn_in(folder, &all).await;
        let (ws, _) = Ws::hello(&app.base, json!({"locale": "en"})).await;
        Self { app, model, site, ws, http: Http::new(), run: String::new(), agent: None, _slot: slot }
    }

    /// Appends replies to the script of the model.
    pub fn script(&self, replies: impl IntoIterator<Item = Reply>) {
        replies.into_iter().for_each(|reply| self.model.push(reply));
    }

    /// A turn that opens the room.
    pub fn room(&self) -> Reply {
        Reply::act("navigate", json!({"url": self.site.url("/room")}))
    }

    /// A turn that opens a page with this HTML.
    pub fn shows(&self, html: &str) -> Reply {
        let body = url::form_urlencoded::byte_serialize(html.as_bytes()).collect::<String>();
        Reply::act("navigate", json!({"url": self.site.url(&format!("/html?{body}"))}))
    }

    /// Sends a message upon which the model plays these replies.
    pub async fn play(&mut self, text: &str, replies: impl IntoIterator<Item = Reply>) {
        self.script(replies);
        self.say(text).await;
    }

    /// Sends a command for which the model first opens the room.
    pub async fn in_the_room(&mut self, replies: impl IntoIterator<Item = Reply>) {
        self.script([self.room()]);
        self.script(replies);
        self.say("write them a letter").await;
    }

    /// Starts a run with this message, or sends it to the current run.
    pub async fn say(&mut self, text: &str) {
        if self.run.is_empty() {
            let mut message = json!({"type": "user_message", "text": text});
            if let Some(agent) = self.agent {
                message["agent"] = json!(agent);
            }
            self.ws.send(message).await;
            self.run = self.ws.until("run_started").await["run_id"].as_str().unwrap().to_owned();
        } else {
            self.ws.send(json!({"type": "user_message", "text": text, "run_id": self.run})).await;
            self.ws.until("accepted").await;
        }
    }

    /// Waits for the next question.
    pub async fn wait_for_question(&mut self) -> Value {
        self.ws.until("agent_question").await
    }

    pub async fn answer(&mut self, question: &Value, answer: Value) -> Value {
        self.send_answer(question, answer).await;
        let reference = &question["reference"];
        let resolved =
            |frame: &Value| frame["type"] == "question_resolved" && frame["reference"] == *reference;
        self.ws.until_that("question_resolved", resolved).await
    }

    pub async fn send_answer(&mut self, question: &Value, answer: Value) {
        let mut frame = json!({"type": "answer", "reference": question["reference"]});
        frame.as_object_mut().unwrap().extend(answer.as_object().unwrap().clone());
        self.ws.send(frame).await;
    }

    /// Waits for the end of the run, and checks that its final message precedes it.
    pub async fn ended(&mut self) -> Value {
        let ended = self.ws.until("run_ended").await;
        let message = self.ws.events.iter().rfind(|event| event["type"] == "agent_message").unwrap();
        assert_eq!(message["seq"].as_u64().unwrap() + 1, ended["seq"].as_u64().unwrap(), "{message} {ended}");
        assert_eq!((&message["final"], &message["text"]), (&json!(true), &ended["final_response"]));
        assert_ne!(ended["final_response"].as_str().unwrap_or_default(), "", "{ended}");
        ended
    }

    pub async fn ends_as(&mut self, outcome: &str) -> Value {
        let ended = self.ended().await;
        assert_eq!(ended["outcome"], outcome, "{ended}");
        ended
    }

    /// Waits for the success of the run, and ends everything.
    pub async fn succeeds(mut self) {
        self.ends_as("succeeded").await;
        self.finish().await;
    }

    /// Returns the results of the actions with this name.
    pub fn results(&self, action: &str) -> Vec<Value> {
        self.events("action_finished").into_iter().filter(|done| done["action"] == action).collect()
    }

    /// Returns the data of the events of this name so far.
    pub fn events(&self, name: &str) -> Vec<Value> {
        let ours =
            self.ws.events.iter().filter(|event| event["event"] == name && event["run_id"] == self.run);
        ours.map(|event| event["data"].clone()).collect()
    }

    /// Returns every visit of the run as `node:Outcome`.
    pub async fn path(&self) -> Vec<String> {
        let trace = self.get(&format!("/api/runs/{}/trace", self.run)).await;
        let steps = trace["steps"].as_array().unwrap_or_else(|| panic!("no steps in {trace}"));
        let word = |value: &Value| value.as_str().unwrap().to_owned();
        steps.iter().map(|step| format!("{}:{}", word(&step["node"]), word(&step["outcome"]))).collect()
    }

    /// Checks that the path of the run contains these consecutive visits.
    pub async fn assert_path(&self, way: &[&str]) {
        let path = self.path().await;
        assert!(path.windows(way.len()).any(|part| part == way), "{way:#?} is not a part of {path:#?}");
    }

    pub async fn state(&self) -> Value {
        self.get(&format!("/api/runs/{}/state", self.run)).await["state_data"].clone()
    }

    pub async fn get(&self, path: &str) -> Value {
        self.http.get(&format!("{}{path}", self.app.base)).await
    }

    pub async fn post(&self, path: &str, body: Value) -> (u16, Value) {
        self.http.post(&format!("{}{path}", self.app.base), &body).await
    }

    /// Returns the stored picture at this path, if it exists.
    pub async fn picture(&self, path: &str) -> Option<Vec<u8>> {
        let answer = reqwest::get(format!("{}{path}", self.app.base)).await.unwrap();
        if !answer.status().is_success() {
            return None;
        }
        Some(answer.bytes().await.unwrap().to_vec())
    }

    /// Returns direct access to the agent's page at this URL, without the service.
    pub async fn page(&self, url_part: &str) -> Page {
        Page::find(&self.app.data(), url_part).await
    }

    /// Ends everything, and checks that no process and no reply is left.
    pub async fn finish(self) {
        drop(self.ws);
        self.app.finish().await;
        self.model.finish();
    }
}
