//! A person at the service's own page: a Chromium of their own, driven by the browser module by the
//! names that people and screen readers know things by.

use super::app::PATIENCE;
use super::devtools::Page;
use crate::browser_stage::{Recorder, action, config, until};
use actix::{Actor, Addr};
use askfirst::browser::fault::Code;
use askfirst::browser::supervisor::{Open, Shutdown, Supervisor};
use askfirst::browser::{Browser, BrowserFact, Look, Perform};
use askfirst::ids::RunId;
use askfirst::page::{Line, Observation};
use serde_json::{Value, json};
use std::sync::Arc;
use tokio::sync::mpsc::UnboundedReceiver;

pub struct Ui {
    supervisor: Addr<Supervisor>,
    browser: Addr<Browser>,
    folder: tempfile::TempDir,
    person: RunId,
    _facts: UnboundedReceiver<BrowserFact>,
}

/// The page's own words in a language.
pub struct Words(Value);

impl Words {
    pub fn of(locale: &str) -> Self {
        let path = format!("{}/static/locales/{locale}.json", env!("CARGO_MANIFEST_DIR"));
        Self(serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap())
    }

    pub fn get(&self, key: &str) -> String {
        self.0[key].as_str().unwrap_or_else(|| panic!("there is no {key}")).to_owned()
    }

    /// With these in their places.
    pub fn with(&self, key: &str, fields: &[(&str, &str)]) -> String {
        let put = |text: String, (name, value): &(&str, &str)| text.replace(&format!("{{{name}}}"), value);
        fields.iter().fold(self.get(key), put)
    }

    /// An item of the plan by its place.
    pub fn item(&self, key: &str, n: u32) -> String {
        self.with(key, &[("n", &n.to_string())])
    }
}

impl Ui {
    /// Opens the page of the service.
    pub async fn open(base: &str) -> Self {
        Self::open_in(base, None).await
    }

    /// The same in a browser whose person reads this language.
    pub async fn open_in(base: &str, languages: Option<&'static str>) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let supervisor = Supervisor::new(config(folder.path())).start();
        let (recorder, facts) = Recorder::start_new();
        let person = RunId::fresh();
        let open =
            Open { owner: person.clone(), snapshot: None, facts: recorder.recipient(), languages, looks: 0 };
        let browser = supervisor.send(open).await.unwrap().unwrap();
        let ui = Self { supervisor, browser, folder, person, _facts: facts };
        ui.arrives("navigate", json!({"url": base})).await;
        ui
    }

    /// On a busy machine a page may take longer than an action waits for one; then it is asked for again.
    async fn arrives(&self, action: &str, params: Value) {
        let done = async {
            while let Err(code) = self.perform(action, params.clone()).await {
                assert_eq!(code, Code::Timeout, "{action}");
            }
        };
        tokio::time::timeout(PATIENCE, done).await.expect("the page comes");
    }

    /// What the page shows, as a screen reader would say it.
    pub async fn look(&self) -> Arc<Observation> {
        let look = tokio::time::timeout(PATIENCE, self.browser.send(Look)).await;
        look.expect("a look ends").unwrap().unwrap().observation
    }

    /// Waits until the page shows this text.
    pub async fn sees(&self, text: &str) {
        let seen = self.perform("wait", json!({"text": text, "seconds": 60})).await;
        if let Err(code) = seen {
            panic!("{text:?} does not show ({code:?}) in {}", lines(&*self.look().await));
        }
    }

    /// Clicks what bears this name, as soon as it is there and can be clicked.
    pub async fn click(&self, role: &str, name: &str) {
        self.on("click", role, name, json!({})).await;
    }

    /// Gives a file of the person's own machine to what asks for one.
    pub async fn gives(&self, button: &str, name: &str, text: &str) {
        let own = config(self.folder.path()).files.of(&self.person);
        let from = own.incoming().unwrap().join("given");
        std::fs::write(&from, text).unwrap();
        own.take_in(&from, name).unwrap();
        self.on("upload", "button", button, json!({"file": name})).await;
    }

    /// What the person has saved under this name, once it is there.
    pub async fn saved(&self, name: &str) -> String {
        let own = config(self.folder.path()).files.of(&self.person);
        until(name, PATIENCE, || own.find(name).is_some()).await;
        std::fs::read_to_string(own.find(name).unwrap().0).unwrap()
    }

    pub async fn types(&self, name: &str, text: &str) {
        self.on("type", "textbox", name, json!({"text": text})).await;
    }

    /// Writes into a field to search by.
    pub async fn searches(&self, name: &str, text: &str) {
        self.on("type", "searchbox", name, json!({"text": text})).await;
    }

    /// Waits until something on the page reads just so.
    pub async fn reads(&self, text: &str) {
        let shown = async { while !self.look().await.lines.iter().any(|line| line.name == text) {} };
        if tokio::time::timeout(PATIENCE, shown).await.is_err() {
            panic!("nothing reads {text:?} in {}", lines(&*self.look().await));
        }
    }

    /// Waits until there is a button of this name.
    pub async fn there_is(&self, name: &str) {
        self.there_is_a("button", name).await;
    }

    pub async fn there_is_a(&self, role: &str, name: &str) {
        let shown = async { while !self.shows(role, name).await {} };
        if tokio::time::timeout(PATIENCE, shown).await.is_err() {
            panic!("there is no {role} {name:?} in {}", lines(&*self.look().await));
        }
    }

    /// Waits until there is no button of this name.
    pub async fn is_gone(&self, name: &str) {
        let gone = async { while self.shows("button", name).await {} };
        if tokio::time::timeout(PATIENCE, gone).await.is_err() {
            panic!("there is still a button {name:?} in {}", lines(&*self.look().await));
        }
    }

    /// Waits until a card of the run is in this state.
    pub async fn stands(&self, card: &str, state: &str) {
        self.there_is(&format!("{card}: {state}")).await;
    }

    /// Waits until the keyboard is with what bears this name.
    pub async fn has_focus(&self, role: &str, name: &str) {
        let there = async {
            while !self.look().await.lines.iter().any(|line| is(line, role, name) && line.attributes.focused)
            {
            }
        };
        if tokio::time::timeout(PATIENCE, there).await.is_err() {
            let seen = self.look().await;
            let focused: Vec<&Line> = seen.lines.iter().filter(|line| line.attributes.focused).collect();
            panic!("{role} {name:?} has not the focus, but {focused:?} in {}", lines(&seen));
        }
    }

    /// Presses a key where the focus is.
    pub async fn presses(&self, key: &str) {
        while let Err(code) = self.perform("press", json!({"key": key})).await {
            assert_eq!(code, Code::FocusMoved, "{key}");
            self.look().await; // the focus has come to where it was going
        }
    }

    /// What stands in the fields of this name.
    pub async fn values(&self, name: &str) -> Vec<String> {
        let seen = self.look().await;
        let fields = seen.lines.iter().filter(|line| is(line, "textbox", name));
        fields.map(|line| line.attributes.value.clone().unwrap_or_default()).collect()
    }

    pub async fn goes(&self, url: &str) {
        self.leaves("navigate", json!({"url": url})).await;
    }

    /// Leaves the page; if it asks whether to, then all the same.
    pub async fn leaves(&self, action: &str, params: Value) {
        self.arrives(action, params).await;
        if self.look().await.dialog.is_some() {
            self.perform("dialog", json!({"accept": true})).await.unwrap();
        }
    }

    pub async fn picks(&self, name: &str, option: &str) {
        self.on("select", "combobox", name, json!({"option": option})).await;
    }

    /// Takes the one and lets it go over the other; both by role and name.
    pub async fn drags(&self, from: (&str, &str), to: (&str, &str)) {
        let done = async {
            loop {
                let seen = self.look().await;
                let eid = |(role, name)| {
                    seen.lines.iter().find(|line| is(line, role, name)).and_then(|line| line.eid)
                };
                let (Some(from_eid), Some(to_eid)) = (eid(from), eid(to)) else { continue };
                match self.perform("drag", json!({"from_eid": from_eid, "to_eid": to_eid})).await {
                    Ok(()) => return,
                    Err(Code::DeadEid | Code::Moving | Code::Hidden | Code::Disabled) => {}
                    Err(code) => panic!("drag of {from:?} to {to:?}: {code:?}"),
                }
            }
        };
        if tokio::time::timeout(PATIENCE, done).await.is_err() {
            panic!("{from:?} or {to:?} is not in {}", lines(&*self.look().await));
        }
    }

    /// The page draws itself anew while facts come in: an element that was just replaced is no fault.
    async fn on(&self, action: &str, role: &str, name: &str, params: Value) {
        let done = async {
            loop {
                let seen = self.look().await;
                let line = seen.lines.iter().find(|line| is(line, role, name) && !line.attributes.disabled);
                let Some(eid) = line.and_then(|line| line.eid) else { continue };
                let mut params = params.clone();
                params["eid"] = json!(eid);
                match self.perform(action, params).await {
                    Ok(()) => return,
                    Err(Code::DeadEid | Code::Moving | Code::Hidden | Code::Disabled) => {}
                    Err(code) => panic!("{action} on {role} {name:?}: {code:?}"),
                }
            }
        };
        if tokio::time::timeout(PATIENCE, done).await.is_err() {
            panic!("there is no {role} {name:?} in {}", lines(&*self.look().await));
        }
    }

    /// Whether something of this role has this text in its name.
    pub async fn shows(&self, role: &str, text: &str) -> bool {
        self.look().await.lines.iter().any(|line| line.role == role && line.name.contains(text))
    }

    /// The run that is open.
    pub async fn run(&self) -> String {
        let opened = async {
            loop {
                if let Some((_, run)) = self.look().await.url.split_once("#/runs/") {
                    return run.to_owned();
                }
            }
        };
        tokio::time::timeout(PATIENCE, opened).await.expect("the page opens the run")
    }

    /// The page's own insides, where names are not enough.
    pub async fn page(&self) -> Page {
        self.page_at("#/runs/").await
    }

    /// The same of the page whose address contains `place`.
    pub async fn page_at(&self, place: &str) -> Page {
        Page::find(self.folder.path(), place).await
    }

    pub async fn finish(self) {
        self.supervisor.send(Shutdown).await.unwrap();
    }

    async fn perform(&self, name: &str, params: Value) -> Result<(), Code> {
        let perform = self.browser.send(Perform::of(action(name, params)));
        let done = tokio::time::timeout(PATIENCE * 2, perform).await.expect("an action ends").unwrap();
        done.map(|_| ()).map_err(|fault| fault.code)
    }
}

/// Of this role and name; where an icon or a key stands in the name too, it ends or begins so.
fn is(line: &Line, role: &str, name: &str) -> bool {
    line.role == role && (line.name == name || line.name.ends_with(&format!(": {name}")))
}

pub fn lines(seen: &Observation) -> String {
    seen.lines.iter().map(|line| format!("{} {:?}\n", line.role, line.name)).collect()
}
