//! A person on the service's own page: a separate Chromium, driven by the browser module through accessible
//! names.

use super::app::PATIENCE;
use super::devtools::Page;
use crate::browser_stage::{Recorder, action, config, until};
use actix::{Actor, Addr};
use askfirst::browser::actor::Browser;
use askfirst::browser::config::BrowserConfig;
use askfirst::browser::error::ErrorCode;
use askfirst::browser::messages::{BrowserEvent, Observe, Perform, PictureTime};
use askfirst::browser::pool::messages::{OpenBrowser, Shutdown};
use askfirst::browser::pool::supervisor::Supervisor;
use askfirst::ids::RunId;
use askfirst::page::observation::{Line, Observation};
use serde_json::{Value, json};
use std::sync::Arc;
use tokio::sync::mpsc::UnboundedReceiver;

pub struct Ui {
    supervisor: Addr<Supervisor>,
    browser: Addr<Browser>,
    folder: tempfile::TempDir,
    person: RunId,
    _events: UnboundedReceiver<BrowserEvent>,
}

/// The page's texts in a language.
pub struct Words(Value);

impl Words {
    pub fn load(locale: &str) -> Self {
        let path = format!("{}/static/locales/{locale}.json", env!("CARGO_MANIFEST_DIR"));
        Self(serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap())
    }

    pub fn get(&self, key: &str) -> String {
        self.0[key].as_str().unwrap_or_else(|| panic!("there is no {key}")).to_owned()
    }

    /// Returns the text with its placeholders filled in.
    pub fn with(&self, key: &str, fields: &[(&str, &str)]) -> String {
        let put = |text: String, (name, value): &(&str, &str)| text.replace(&format!("{{{name}}}"), value);
        fields.iter().fold(self.get(key), put)
    }

    /// Returns the text of an item of the plan by its position.
    pub fn item(&self, key: &str, n: u32) -> String {
        self.with(key, &[("n", &n.to_string())])
    }
}

impl Ui {
    /// Opens the page of the service.
    pub async fn open(base: &str) -> Self {
        Self::open_in(base, None).await
    }

    /// Opens the page in a browser with these preferred languages.
    pub async fn open_in(base: &str, languages: Option<&'static str>) -> Self {
        let folder = tempfile::tempdir().unwrap();
        // Its many files take their time on a busy machine.
        let config =
            BrowserConfig { load_timeout: std::time::Duration::from_secs(30), ..config(folder.path()) };
        let supervisor = Supervisor::new(config).start();
        let (recorder, events) = Recorder::start_new();
        let person = RunId::fresh();
        let open = OpenBrowser {
            owner: person.clone(),
            snapshot: None,
            events: recorder.recipient(),
            languages,
            observations: 0,
        };
        let browser = supervisor.send(open).await.unwrap().unwrap();
        let ui = Self { supervisor, browser, folder, person, _events: events };
        ui.arrives("navigate", json!({"url": base})).await;
        ui
    }

    /// Repeats an action that times out, because a page may load slowly on a busy machine.
    async fn arrives(&self, action: &str, params: Value) {
        let done = async {
            while let Err(code) = self.perform(action, params.clone()).await {
                assert_eq!(code, ErrorCode::Timeout, "{action}");
            }
        };
        tokio::time::timeout(PATIENCE, done).await.expect("the page comes");
    }

    /// Observes the page, as a screen reader would see it.
    pub async fn observe(&self) -> Arc<Observation> {
        let reply =
            tokio::time::timeout(PATIENCE, self.browser.send(Observe { picture: PictureTime::Now })).await;
        reply.expect("a look ends").unwrap().unwrap().observation
    }

    /// Waits until the page shows this text.
    pub async fn sees(&self, text: &str) {
        let seen = self.perform("wait", json!({"text": text, "seconds": 60})).await;
        if let Err(code) = seen {
            panic!("{text:?} does not show ({code:?}) in {}", lines(&*self.observe().await));
        }
    }

    /// Clicks the element with this name, as soon as it exists and can be clicked.
    /// Moves the pointer over the first element of this role with this text in its name.
    pub async fn hovers(&self, role: &str, text: &str) {
        let hovered = async {
            loop {
                let seen = self.observe().await;
                let line = seen.lines.iter().find(|line| line.role == role && line.name.contains(text));
                let Some(eid) = line.and_then(|line| line.eid) else { continue };
                if self.perform("hover", json!({"eid": eid})).await.is_ok() {
                    return;
                }
            }
        };
        assert!(tokio::time::timeout(PATIENCE, hovered).await.is_ok(), "there is no {role} with {text:?}");
    }

    pub async fn click(&self, role: &str, name: &str) {
        self.on("click", role, name, json!({})).await;
    }

    /// Uploads a file with this content.
    pub async fn gives(&self, button: &str, name: &str, text: &str) {
        let own = config(self.folder.path()).files.run_files(&self.person);
        let from = own.incoming().unwrap().join("given");
        std::fs::write(&from, text).unwrap();
        own.move_in(&from, name).unwrap();
        self.on("upload", "button", button, json!({"file": name})).await;
    }

    /// Waits for a download of this name and returns its text.
    pub async fn saved(&self, name: &str) -> String {
        let own = config(self.folder.path()).files.run_files(&self.person);
        until(name, PATIENCE, || own.find(name).is_some()).await;
        std::fs::read_to_string(own.find(name).unwrap().0).unwrap()
    }

    pub async fn types(&self, name: &str, text: &str) {
        self.on("type", "textbox", name, json!({"text": text})).await;
    }

    /// Types into a search field.
    pub async fn searches(&self, name: &str, text: &str) {
        self.on("type", "searchbox", name, json!({"text": text})).await;
    }

    /// Waits until an element of the page has exactly this name.
    pub async fn reads(&self, text: &str) {
        let shown = async { while !self.observe().await.lines.iter().any(|line| line.name == text) {} };
        if tokio::time::timeout(PATIENCE, shown).await.is_err() {
            panic!("nothing reads {text:?} in {}", lines(&*self.observe().await));
        }
    }

    /// Waits until there is a button with this name.
    pub async fn there_is(&self, name: &str) {
        self.there_is_a("button", name).await;
    }

    pub async fn there_is_a(&self, role: &str, name: &str) {
        let shown = async { while !self.shows(role, name).await {} };
        if tokio::time::timeout(PATIENCE, shown).await.is_err() {
            panic!("there is no {role} {name:?} in {}", lines(&*self.observe().await));
        }
    }

    /// Waits until there is no button with this name.
    pub async fn is_gone(&self, name: &str) {
        let gone = async { while self.shows("button", name).await {} };
        if tokio::time::timeout(PATIENCE, gone).await.is_err() {
            panic!("there is still a button {name:?} in {}", lines(&*self.observe().await));
        }
    }

    /// Waits until a card of the run is in this state.
    pub async fn assert_card_state(&self, card: &str, state: &str) {
        self.there_is(&format!("{card}: {state}")).await;
    }

    /// Waits until the element with this name has the focus.
    pub async fn has_focus(&self, role: &str, name: &str) {
        let there = async {
            while !self
                .observe()
                .await
                .lines
                .iter()
                .any(|line| is(line, role, name) && line.attributes.focused)
            {}
        };
        if tokio::time::timeout(PATIENCE, there).await.is_err() {
            let seen = self.observe().await;
            let focused: Vec<&Line> = seen.lines.iter().filter(|line| line.attributes.focused).collect();
            panic!("{role} {name:?} has not the focus, but {focused:?} in {}", lines(&seen));
        }
    }

    /// Presses a key at the focused element.
    pub async fn presses(&self, key: &str) {
        while let Err(code) = self.perform("press", json!({"key": key})).await {
            assert_eq!(code, ErrorCode::FocusMoved, "{key}");
            self.observe().await; // the focus moved in the meantime
        }
    }

    /// Returns the values of the fields with this name.
    pub async fn values(&self, name: &str) -> Vec<String> {
        let seen = self.observe().await;
        let fields = seen.lines.iter().filter(|line| is(line, "textbox", name));
        fields.map(|line| line.attributes.value.clone().unwrap_or_default()).collect()
    }

    pub async fn goes(&self, url: &str) {
        self.leaves("navigate", json!({"url": url})).await;
    }

    /// Leaves the page, and confirms the dialog if it asks.
    pub async fn leaves(&self, action: &str, params: Value) {
        self.arrives(action, params).await;
        if self.observe().await.dialog.is_some() {
            self.perform("dialog", json!({"accept": true})).await.unwrap();
        }
    }

    pub async fn picks(&self, name: &str, option: &str) {
        self.on("select", "combobox", name, json!({"option": option})).await;
    }

    /// Drags one element onto another, both given by role and name.
    pub async fn drags(&self, from: (&str, &str), to: (&str, &str)) {
        let done = async {
            loop {
                let seen = self.observe().await;
                let eid = |(role, name)| {
                    seen.lines.iter().find(|line| is(line, role, name)).and_then(|line| line.eid)
                };
                let (Some(from_eid), Some(to_eid)) = (eid(from), eid(to)) else { continue };
                match self.perform("drag", json!({"from_eid": from_eid, "to_eid": to_eid})).await {
                    Ok(()) => return,
                    Err(ErrorCode::DeadEid | ErrorCode::Moving | ErrorCode::Hidden | ErrorCode::Disabled) => {
                    }
                    Err(code) => panic!("drag of {from:?} to {to:?}: {code:?}"),
                }
            }
        };
        if tokio::time::timeout(PATIENCE, done).await.is_err() {
            panic!("{from:?} or {to:?} is not in {}", lines(&*self.observe().await));
        }
    }

    /// Performs an action on an element. Retries if the page has just replaced the element while events
    /// arrive.
    async fn on(&self, action: &str, role: &str, name: &str, params: Value) {
        let done = async {
            loop {
                let seen = self.observe().await;
                let line = seen.lines.iter().find(|line| is(line, role, name) && !line.attributes.disabled);
                let Some(eid) = line.and_then(|line| line.eid) else { continue };
                let mut params = params.clone();
                params["eid"] = json!(eid);
                match self.perform(action, params).await {
                    Ok(()) => return,
                    Err(ErrorCode::DeadEid | ErrorCode::Moving | ErrorCode::Hidden | ErrorCode::Disabled) => {
                    }
                    Err(code) => panic!("{action} on {role} {name:?}: {code:?}"),
                }
            }
        };
        if tokio::time::timeout(PATIENCE, done).await.is_err() {
            panic!("there is no {role} {name:?} in {}", lines(&*self.observe().await));
        }
    }

    /// Reports whether an element with this role has this text in its name.
    pub async fn shows(&self, role: &str, text: &str) -> bool {
        self.observe().await.lines.iter().any(|line| line.role == role && line.name.contains(text))
    }

    /// Waits until a run is open, and returns its id.
    pub async fn run(&self) -> String {
        let opened = async {
            loop {
                if let Some((_, run)) = self.observe().await.url.split_once("#/runs/") {
                    return run.to_owned();
                }
            }
        };
        tokio::time::timeout(PATIENCE, opened).await.expect("the page opens the run")
    }

    /// Returns direct access to the page, where names are not enough.
    pub async fn page(&self) -> Page {
        self.page_at("#/runs/").await
    }

    /// Like [`page`](Self::page), for the page whose URL contains `url_part`.
    pub async fn page_at(&self, url_part: &str) -> Page {
        Page::find(self.folder.path(), url_part).await
    }

    pub async fn finish(self) {
        self.supervisor.send(Shutdown).await.unwrap();
    }

    async fn perform(&self, name: &str, params: Value) -> Result<(), ErrorCode> {
        let perform = self.browser.send(Perform::new(action(name, params)));
        let done = tokio::time::timeout(PATIENCE * 2, perform).await.expect("an action ends").unwrap();
        done.map(|_| ()).map_err(|fault| fault.code)
    }
}

/// Reports whether the line has this role and name, or a name that ends with `: name`, as after an icon or a
/// key.
fn is(line: &Line, role: &str, name: &str) -> bool {
    line.role == role && (line.name == name || line.name.ends_with(&format!(": {name}")))
}

pub fn lines(seen: &Observation) -> String {
    seen.lines.iter().map(|line| format!("{} {:?}\n", line.role, line.name)).collect()
}
