//! Several agents imported together, as by `askfirst agents import`: checked as if all of them were saved
//! already, and saved all or none.

use crate::agent_spec::agent_lookup::AgentLookup;
use crate::agent_spec::check;
use crate::agent_spec::files::library::Library;
use crate::agent_spec::files::library::error::LibraryError;
use crate::agent_spec::parse::fault::SpecFault;
use crate::agent_spec::types::build::Build;
use crate::agent_spec::types::spec::AgentSpec;
use crate::agent_spec::types::tool_ref::{MissingTool, ToolRef};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::{Arc, PoisonError};

/// A text to import as an agent.
#[derive(Clone, Debug, Default)]
pub struct ImportText {
    pub text: String,
    /// Name of its file, if it has one.
    pub name: Option<String>,
}

/// An imported text with its faults.
#[derive(Clone, Debug)]
pub struct CheckedText {
    /// The text to save; an older format is converted.
    pub text: String,
    /// `None` if the text does not have the shape of an agent.
    pub spec: Option<Arc<AgentSpec>>,
    pub faults: Vec<SpecFault>,
}

impl CheckedText {
    pub fn is_sound(&self) -> bool {
        self.spec.is_some() && !self.faults.iter().any(SpecFault::is_error)
    }

    pub fn name(&self) -> &str {
        self.spec.as_ref().map_or("", |spec| &spec.name)
    }
}

/// An agent that was imported.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Imported {
    pub name: String,
    pub done: ImportChange,
}

/// Change that an import made to a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ImportChange {
    Saved,
    Replaced,
    Unchanged,
}

/// Reason why nothing was imported.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    #[error("some of the agents have faults; nothing was saved")]
    Faulty(Vec<CheckedText>),
    #[error("there already: {}", .0.join(", "))]
    Taken(Vec<String>),
    #[error(transparent)]
    Library(#[from] LibraryError),
}

/// The agents of the library, overlaid with the imported ones.
struct ImportOverlay<'l> {
    library: &'l Library,
    imported: BTreeMap<String, Arc<AgentSpec>>,
    /// Names of imported texts that are not valid agents.
    broken: BTreeSet<String>,
}

impl AgentLookup for ImportOverlay<'_> {
    fn agent(&self, name: &str) -> Option<Arc<AgentSpec>> {
        let imported = self.imported.get(name).cloned();
        imported.or_else(|| self.library.agent(name).filter(|_| !self.broken.contains(name)))
    }

    fn names(&self) -> Vec<String> {
        let mut names: BTreeSet<String> = self.library.names().into_iter().collect();
        names.extend(self.imported.keys().cloned());
        names.extend(self.broken.iter().cloned());
        names.into_iter().collect()
    }

    fn missing_tool(&self, tool: &ToolRef) -> Option<MissingTool> {
        self.library.missing_tool(tool)
    }

    fn build_beside(&self, name: &str) -> Option<Result<Build, SpecFault>> {
        self.library.build_beside(name)
    }
}

impl Library {
    /// Checks the texts as if all of them were saved.
    pub fn check_together(&self, texts: &[ImportText]) -> Vec<CheckedText> {
        let specs: Vec<Option<Arc<AgentSpec>>> =
            texts.iter().map(|text| check::parse(&text.text).ok().map(Arc::new)).collect();
        let mut overlay = ImportOverlay { library: self, imported: BTreeMap::new(), broken: BTreeSet::new() };
        for (text, spec) in texts.iter().zip(&specs) {
            match spec {
                Some(spec) => drop(overlay.imported.insert(spec.name.clone(), Arc::clone(spec))),
                None => overlay.broken.extend(text.name.clone().or_else(|| name_in(&text.text))),
            }
        }
        let mut seen = BTreeSet::new();
        let checked = texts.iter().zip(specs).map(|(text, spec)| {
            let mut checked = check_one(text, spec, &overlay);
            if let Some(spec) = &checked.spec
                && !seen.insert(spec.name.clone())
            {
                let fault = SpecFault::new("name", format!("\"{}\" was given twice", spec.name));
                checked.faults.push(fault.on_line(Some(1)));
            }
            checked
        });
        checked.collect()
    }

    /// Saves all agents or none. With `overwrite`, existing agents are replaced.
    pub fn import(&self, texts: &[ImportText], overwrite: bool) -> Result<Vec<Imported>, ImportError> {
        let checked = self.check_together(texts);
        if !checked.iter().all(CheckedText::is_sound) {
            return Err(ImportError::Faulty(checked));
        }
        let _one_at_a_time = self.writing.lock().unwrap_or_else(PoisonError::into_inner);
        let before: BTreeMap<&str, Arc<str>> = checked
            .iter()
            .filter_map(|agent| Some((agent.name(), self.read_text(agent.name())?.0)))
            .collect();
        let changed =
            |checked: &&CheckedText| before.get(checked.name()).is_some_and(|was| **was != *checked.text);
        let taken: Vec<String> =
            checked.iter().filter(changed).map(|agent| agent.name().to_owned()).collect();
        if !overwrite && !taken.is_empty() {
            return Err(ImportError::Taken(taken));
        }
        Ok(self.write_all(&checked, &before)?)
    }

    /// Writes the changed agents, called ones before their callers. On an error, restores the earlier files.
    fn write_all(
        &self,
        checked: &[CheckedText],
        before: &BTreeMap<&str, Arc<str>>,
    ) -> Result<Vec<Imported>, LibraryError> {
        let mut imported: Vec<Imported> = Vec::new();
        for agent in sort_callees_first(checked) {
            let done = match before.get(agent.name()) {
                Some(was) if **was == *agent.text => ImportChange::Unchanged,
                Some(_) => ImportChange::Replaced,
                None => ImportChange::Saved,
            };
            if done != ImportChange::Unchanged
                && let Err(fault) = self.put(agent.name(), &agent.text)
            {
                self.restore_files(&imported, before);
                return Err(fault);
            }
            imported.push(Imported { name: agent.name().to_owned(), done });
        }
        Ok(imported)
    }

    /// Restores the files to their state before the import.
    fn restore_files(&self, imported: &[Imported], before: &BTreeMap<&str, Arc<str>>) {
        for Imported { name, .. } in
            imported.iter().rev().filter(|agent| agent.done != ImportChange::Unchanged)
        {
            let done = match before.get(name.as_str()) {
                Some(text) => self.folder.write(name, text),
                None => self.folder.remove(name),
            };
            if let Err(fault) = done {
                tracing::error!(agent = name, %fault, "agent not restored after a failed import");
            }
            self.refresh(name);
        }
    }
}

fn check_one(text: &ImportText, spec: Option<Arc<AgentSpec>>, overlay: &ImportOverlay<'_>) -> CheckedText {
    let mut faults = check::examine(&text.text, text.name.as_deref(), Some(overlay)).faults;
    let mut content = text.text.clone();
    if let Some(renewed) = check::convert_legacy(&text.text)
        && !faults.iter().any(SpecFault::is_error)
    {
        // Line numbers of the converted text do not match the given text.
        let found = check::examine(&renewed, text.name.as_deref(), Some(overlay)).faults;
        faults.extend(found.into_iter().filter(SpecFault::is_error).map(|fault| fault.on_line(None)));
        content = renewed;
    }
    CheckedText { text: content, spec, faults }
}

/// Extracts the name from a text that does not parse.
fn name_in(text: &str) -> Option<String> {
    let name = text.lines().find_map(|line| line.strip_prefix("name:"))?;
    Some(name.trim().trim_matches(['"', '\'']).to_owned())
}

/// Returns the names of the agents that this one calls, without itself.
pub fn callees(spec: &AgentSpec) -> BTreeSet<&str> {
    let items = spec.graph.iter().flat_map(|graph| &graph.lanes).flat_map(|lane| &lane.items);
    let uses = spec.llm.iter().flat_map(|llm| &llm.uses);
    let uses = uses.chain(spec.browser.iter().flat_map(|browser| &browser.uses));
    let names = items.map(|item| &item.agent).chain(uses).map(String::as_str);
    names.filter(|name| *name != spec.name).collect()
}

/// Sorts called agents before their callers; circular calls keep the given order.
fn sort_callees_first(texts: &[CheckedText]) -> Vec<&CheckedText> {
    let mut left: VecDeque<&CheckedText> = texts.iter().collect();
    let mut ordered: Vec<&CheckedText> = Vec::new();
    while !left.is_empty() {
        let waits = |agent: &CheckedText| {
            let names = agent.spec.as_deref().map(callees).unwrap_or_default();
            left.iter().any(|other| names.contains(other.name()))
        };
        let next = left.iter().position(|agent| !waits(agent)).unwrap_or(0);
        ordered.extend(left.remove(next));
    }
    ordered
}

#[cfg(test)]
mod tests {
    use super::*;

    fn composite(name: &str, calls: &[&str]) -> String {
        let items: Vec<String> =
            calls.iter().enumerate().map(|(id, agent)| format!("{{id: i{id}, agent: {agent}}}")).collect();
        format!("name: {name}\nkind: composite\ngraph: {{lanes: [{{items: [{}]}}]}}\n", items.join(", "))
    }

    fn import_texts(texts: &[String]) -> Vec<ImportText> {
        texts.iter().map(|text| ImportText { text: text.clone(), name: None }).collect()
    }

    #[test]
    fn called_agents_are_saved_before_their_callers() {
        let folder = tempfile::tempdir().unwrap();
        let library = Library::open(folder.path()).unwrap();
        let texts =
            [("top", &["left", "right", "top"][..]), ("right", &["leaf"]), ("left", &[]), ("leaf", &[])]
                .map(|(name, calls)| composite(name, calls));
        let checked = library.check_together(&import_texts(&texts));
        let names: Vec<&str> = sort_callees_first(&checked).into_iter().map(CheckedText::name).collect();
        assert_eq!(names, ["left", "leaf", "right", "top"]);
    }

    // Agents that call each other cannot be saved one by one.
    #[test]
    fn agents_that_call_each_other_are_imported_together() {
        let folder = tempfile::tempdir().unwrap();
        let library = Library::open(folder.path()).unwrap();
        let texts = [composite("ping", &["pong"]), composite("pong", &["ping"])];
        let done = library.import(&import_texts(&texts), false).unwrap();
        assert!(done.iter().all(|agent| agent.done == ImportChange::Saved), "{done:?}");
        assert!(library.get("ping").is_some() && library.get("pong").is_some());
        let alone = library.check_together(&import_texts(&[composite("one", &["nobody"])]));
        assert!(!alone[0].is_sound());
    }
}
