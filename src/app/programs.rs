//! Which program an agent's run steps, with what the service lends to it.

use crate::browser::supervisor::{Release, Supervisor};
use crate::config::Limits;
use crate::conversation::Conversation;
use crate::conversation::cx::Deps;
use crate::conversation::desk::Browsers;
use crate::conversation::node::Node;
use crate::conversation::state::State;
use crate::conversation::vault::Vaults;
use crate::files::Shelf;
use crate::gate::shell::Gate;
use crate::ids::RunId;
use crate::model::Planner;
use crate::program::{Beginning, Program, ProgramError, Programs};
use crate::protocol::Locale;
use crate::spec::AgentSpec;
use crate::spec::library::Library;
use crate::store::Store;
use crate::store::rows::RunRow;
use crate::turn::typed;
use actix::Addr;
use serde_json::{Map, Value, json};
use std::sync::Arc;

/// Titles in lists are cut here, in characters.
const TITLE: usize = 80;

pub struct AgentPrograms {
    pub catalogue: Arc<Library>,
    pub planner: Planner,
    pub gate: Arc<Gate>,
    pub supervisor: Addr<Supervisor>,
    pub store: Arc<dyn Store>,
    pub limits: Limits,
    pub files: Shelf,
    /// CSS pixels.
    pub viewport: (u32, u32),
    pub private_hosts: Vec<String>,
    pub own_origin: String,
    /// `observe.full_every`
    pub full_every: u64,
    pub confirm_timeout_s: u64,
    pub vaults: Vaults,
}

impl AgentPrograms {
    fn agent(&self, name: &str) -> Result<Arc<AgentSpec>, ProgramError> {
        self.catalogue.get(name).ok_or_else(|| ProgramError::UnknownAgent(name.to_owned()))
    }

    fn deps(&self, agent: &AgentSpec, root: &RunId) -> Deps {
        let browser = agent.browser.as_ref();
        Deps {
            planner: self.planner.clone(),
            gate: Arc::clone(&self.gate),
            browsers: Browsers {
                supervisor: self.supervisor.clone(),
                profile: browser.and_then(|browser| browser.profile.clone()),
                store: Arc::clone(&self.store),
            },
            store: Arc::clone(&self.store),
            vault: self.vaults.of(root),
            keys: self.vaults.keys().clone(),
            limits: agent.limits(&self.limits),
            files: self.files.clone(),
            goal: browser.and_then(|browser| browser.goal.clone()),
            full_every: self.full_every,
            vision: browser.is_some_and(|browser| browser.vision),
            allowed_hosts: browser.and_then(|browser| browser.allowed_hosts.clone()),
            viewport: self.viewport,
            private_hosts: self.private_hosts.clone(),
            own_origin: self.own_origin.clone(),
            confirm_timeout_s: self.confirm_timeout_s,
            outputs: agent.outputs.iter().map(|output| output.name.clone()).collect(),
        }
    }
}

impl Programs for AgentPrograms {
    fn begin(&self, agent: &str, input: &Map<String, Value>) -> Result<Beginning, ProgramError> {
        let spec = self.agent(agent)?;
        if spec.browser.is_none() {
            return Err(ProgramError::BadInput(format!(
                "{agent} is of a kind that this version cannot run yet"
            )));
        }
        let text = match input.get("text") {
            Some(Value::String(text)) if !text.trim().is_empty() => text.trim(),
            Some(Value::String(_)) => return Err(ProgramError::BadInput(String::from("`text` is empty"))),
            Some(_) => return Err(ProgramError::BadInput(String::from("`text` must be a string"))),
            None => return Err(ProgramError::BadInput(String::from("`text` (what to do) is missing"))),
        };
        Ok(Beginning {
            program: Conversation::NAME,
            node: Node::IngestUserInput.name(),
            state: json!(State::begin(text.to_owned(), Locale::of_input(input))),
            title: title(text),
        })
    }

    fn load(&self, row: &RunRow, state: Value) -> Result<Box<dyn Program>, ProgramError> {
        let spec = self.agent(&row.agent)?;
        Ok(Box::new(Conversation::load(state, Arc::new(self.deps(&spec, &row.root)))?))
    }

    fn conceal(&self, root: &RunId, said: &str, question: Option<&Value>) -> String {
        match question {
            Some(question) => self.vaults.of(root).conceal_answer(said, question),
            None => self.vaults.of(root).conceal(said),
        }
    }

    fn limits(&self, agent: &str) -> Option<Limits> {
        self.catalogue.get(agent).map(|agent| agent.limits(&self.limits))
    }

    fn ended(&self, root: &RunId) {
        self.vaults.forget(root);
        self.supervisor.do_send(Release { owner: root.clone(), linger: None });
    }
}

/// The first line of what was asked.
fn title(text: &str) -> String {
    let text = typed::shown(text);
    let line = text.lines().next().unwrap_or_default().trim();
    match line.char_indices().nth(TITLE) {
        Some((end, _)) => format!("{}…", line[..end].trim_end()),
        None if text.trim().lines().count() > 1 => format!("{line} …"),
        None => line.to_owned(),
    }
}
