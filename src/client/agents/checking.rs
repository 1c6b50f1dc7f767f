//! Whether agents make sense, before they are saved: the checks of the service itself, with the agents that
//! are given together taking the place of those that it has.

use super::documents::{self, Document};
use crate::cli::agents::Validate;
use crate::client::api::{self, Answer, Api, YAML, segment};
use crate::client::screen::{self, plain};
use crate::client::{ClientError, Exit};
use crate::spec::AgentSpec;
use crate::spec::check::{self, Others, is_agent_name};
use crate::spec::fault::Fault;
use crate::spec::native;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

/// An agent that was given.
#[derive(Debug)]
pub struct Given {
    pub document: Document,
    /// None where it is none.
    pub spec: Option<Arc<AgentSpec>>,
    pub faults: Vec<Fault>,
}

impl Given {
    pub fn is_sound(&self) -> bool {
        !self.faults.iter().any(Fault::is_error)
    }

    pub fn name(&self) -> &str {
        self.spec.as_ref().map_or("", |spec| &spec.name)
    }
}

/// The agents that others are checked against.
#[derive(Default)]
struct Known {
    names: BTreeSet<String>,
    agents: BTreeMap<String, Arc<AgentSpec>>,
}

impl Others for Known {
    fn agent(&self, name: &str) -> Option<Arc<AgentSpec>> {
        // What comes with the service has no file that could be asked for.
        self.agents.get(name).cloned().or_else(|| native::version(name).map(|version| version.spec))
    }

    fn names(&self) -> Vec<String> {
        self.names.iter().cloned().collect()
    }
}

/// Names of the agents that this one calls.
pub fn called(spec: &AgentSpec) -> BTreeSet<&str> {
    let items = spec.graph.iter().flat_map(|graph| &graph.lanes).flat_map(|lane| &lane.items);
    let uses = spec.llm.iter().flat_map(|llm| &llm.uses);
    let uses = uses.chain(spec.browser.iter().flat_map(|browser| &browser.uses));
    let names = items.map(|item| &item.agent).chain(uses).map(String::as_str);
    names.filter(|name| *name != spec.name).collect()
}

/// What else counts as there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Beside {
    /// The agents of the service alone.
    Service,
    /// Before those, the agents whose files lie in the folder of a given file.
    Folder,
}

/// Checks all of them, as if all of them were saved.
pub async fn examine(api: &Api, documents: Vec<Document>, beside: Beside) -> Result<Vec<Given>, ClientError> {
    let specs: Vec<Option<Arc<AgentSpec>>> =
        documents.iter().map(|document| check::parse(&document.text).ok().map(Arc::new)).collect();
    let mut known = Known { names: names(api).await?, agents: BTreeMap::new() };
    let own = specs.iter().flatten().map(|spec| (spec.name.clone(), Arc::clone(spec)));
    known.agents.extend(own);
    for (document, spec) in documents.iter().zip(&specs) {
        for name in wanted(document, spec.as_deref(), &known.names) {
            let lying = (beside == Beside::Folder).then(|| lying_beside(document, &name)).flatten();
            if known.agents.contains_key(&name) {
                continue;
            }
            let found = match lying {
                Some(text) => check::parse(&text).ok(),
                None if known.names.contains(&name) => saved(api, &name).await?,
                None => continue,
            };
            known.agents.extend(found.map(|spec| (name.clone(), Arc::new(spec))));
            known.names.insert(name);
        }
    }
    known.names.extend(specs.iter().flatten().map(|spec| spec.name.clone()));
    let mut seen = BTreeSet::new();
    let examined = documents.into_iter().zip(specs).map(|(document, spec)| {
        let mut faults = check::examine(&document.text, document.name.as_deref(), Some(&known)).faults;
        if let Some(spec) = &spec
            && !seen.insert(spec.name.clone())
        {
            faults.push(Fault::new("name", format!("\"{}\" was given twice", spec.name)).on_line(Some(1)));
        }
        Given { document, spec, faults }
    });
    Ok(examined.collect())
}

/// The agents that it calls; where it has not the shape of an agent, those that it may mean.
fn wanted(document: &Document, spec: Option<&AgentSpec>, names: &BTreeSet<String>) -> Vec<String> {
    match spec {
        Some(spec) => called(spec).into_iter().map(str::to_owned).collect(),
        None => names.iter().filter(|name| document.text.contains(&***name)).cloned().collect(),
    }
}

/// The text of the file of that name in the folder of the document's own.
fn lying_beside(document: &Document, name: &str) -> Option<String> {
    let folder = Path::new(&document.place).parent().filter(|_| document.name.is_none())?;
    let whole = is_agent_name(name) && document.place != "-";
    whole.then(|| std::fs::read_to_string(folder.join(format!("{name}.yaml"))).ok()).flatten()
}

/// One of the service; none if it is faulty.
async fn saved(api: &Api, name: &str) -> Result<Option<AgentSpec>, ClientError> {
    match api.agent(name).await {
        Ok(agent) => Ok(check::parse(&agent.to_string()).ok()),
        Err(ClientError::Refused(refusal)) if !refusal.faults.is_empty() => Ok(None),
        Err(fault) => Err(fault),
    }
}

async fn names(api: &Api) -> Result<BTreeSet<String>, ClientError> {
    let listed = api.get("/api/agents").await?;
    let rows = listed.as_array().map_or(&[][..], Vec::as_slice);
    Ok(rows.iter().filter_map(|row| row["name"].as_str().map(str::to_owned)).collect())
}

/// The text of an agent's file, faulty or not; its faults, if it cannot be read.
pub async fn text_of(api: &Api, name: &str) -> Result<String, ClientError> {
    Ok(file_of(api, name).await?.text)
}

/// The same, with its version.
pub async fn file_of(api: &Api, name: &str) -> Result<Answer, ClientError> {
    let path = format!("/api/agents/{}", segment(name));
    api.text(&path, YAML).await.map_err(|fault| api::unknown(name, fault))
}

/// `askfirst agents validate`.
pub async fn validate(api: &Api, order: &Validate) -> Result<Exit, ClientError> {
    let (mut documents, mut lines) = (Vec::new(), Vec::new());
    for what in &order.what {
        if is_file(what) {
            documents.extend(documents::read(Path::new(what)).await?);
            continue;
        }
        match text_of(api, what).await {
            Ok(text) => {
                let (place, name) = (what.clone(), Some(what.clone()));
                documents.push(Document { place, name, above: 0, text });
            }
            Err(ClientError::Refused(refusal)) if !refusal.faults.is_empty() => {
                lines.extend(refusal.faults.iter().map(|fault| told(what, 0, fault)));
            }
            Err(fault) => return Err(fault),
        }
    }
    let count = documents.len();
    for given in examine(api, documents, Beside::Folder).await? {
        lines.extend(faults_of(&given));
    }
    let sound = lines.iter().all(|line| line["severity"] == "warning");
    if order.json {
        screen::print(&format!("{}\n", json!({"ok": sound, "faults": lines})));
    } else {
        screen::print(&lines.iter().map(|line| format!("{}\n", words(line))).collect::<String>());
        if lines.is_empty() {
            screen::note(&format!("no fault in {count} {}", if count == 1 { "agent" } else { "agents" }));
        }
    }
    Ok(if sound { Exit::Succeeded } else { Exit::Failed })
}

/// A path, an ending, or something that is there.
fn is_file(what: &str) -> bool {
    what == "-" || what.contains(['/', '\\', '.']) || Path::new(what).exists()
}

/// Its faults, with the lines of the file that it stands in.
fn faults_of(given: &Given) -> Vec<Value> {
    let Document { place, above, .. } = &given.document;
    given.faults.iter().map(|fault| told(place, *above, &json!(fault))).collect()
}

fn told(place: &str, above: u64, fault: &Value) -> Value {
    let mut whole = json!({"file": place});
    if let (Value::Object(whole), Some(fault)) = (&mut whole, fault.as_object()) {
        whole.extend(fault.clone());
        whole.insert(String::from("line"), json!(fault["line"].as_u64().map(|line| line + above)));
    }
    whole
}

/// `FILE:LINE: path: message (hint)`
fn words(fault: &Value) -> String {
    let word = |name: &str| fault[name].as_str().map(plain).filter(|text| !text.is_empty());
    let mut words = word("file").unwrap_or_default();
    if let Some(line) = fault["line"].as_u64() {
        words.push_str(&format!(":{line}"));
    }
    if fault["severity"] == "warning" {
        words.push_str(": warning");
    }
    for part in ["path", "message"].into_iter().filter_map(word) {
        words.push_str(&format!(": {part}"));
    }
    if let Some(hint) = word("hint") {
        words.push_str(&format!(" ({hint})"));
    }
    words
}

/// The faults of what was given, as `validate` tells them.
pub fn lines(given: &Given) -> Vec<String> {
    faults_of(given).iter().map(words).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fault_is_told_with_the_line_of_its_file() {
        let document = Document { place: String::from("x.yaml"), name: None, above: 8, text: String::new() };
        let fault = Fault::new("python.code", "is missing").on_line(Some(2)).hint("write it");
        let warning = Fault::warning("", "says nothing\nat all").on_line(None);
        let given = Given { document, spec: None, faults: vec![fault, warning] };
        assert_eq!(
            lines(&given),
            ["x.yaml:10: python.code: is missing (write it)", "x.yaml: warning: says nothing at all"]
        );
    }
}
