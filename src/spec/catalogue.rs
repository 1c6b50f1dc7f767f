//! All agents of one folder. At the start the folder is filled from the built-in ones; a file that is
//! there already is never overwritten, and a bad file keeps only itself from running.

use super::AgentSpec;
use super::check::{self, Fault};
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The agents in the binary: name and text.
pub const BUILT_IN: &[(&str, &str)] = &[("browser", include_str!("../../agents/browser.yaml"))];

/// Agents by name, and what could not be read.
#[derive(Clone, Debug, Default)]
pub struct Catalogue {
    agents: BTreeMap<String, Arc<AgentSpec>>,
    faults: BTreeMap<String, Vec<Fault>>,
}

#[derive(Debug, thiserror::Error)]
pub enum CatalogueError {
    #[error("the agents' folder {} cannot be used: {source}; set agents_dir to one that can", path.display())]
    Folder { path: PathBuf, source: io::Error },
}

impl Catalogue {
    /// Fills the folder and reads every `*.yaml` in it.
    pub fn open(folder: &Path) -> Result<Self, CatalogueError> {
        let refused = |source| CatalogueError::Folder { path: folder.to_owned(), source };
        fill(folder).map_err(refused)?;
        let mut found = Self::default();
        for entry in std::fs::read_dir(folder).map_err(refused)? {
            let path = entry.map_err(refused)?.path();
            let Some(name) = agent_name(&path) else { continue };
            found.add(name, std::fs::read_to_string(&path));
        }
        Ok(found)
    }

    /// The agents in the binary, for a service whose folder cannot be used.
    pub fn built_in() -> Self {
        let mut found = Self::default();
        for (name, text) in BUILT_IN {
            found.add((*name).to_owned(), Ok((*text).to_owned()));
        }
        found
    }

    pub fn get(&self, name: &str) -> Option<Arc<AgentSpec>> {
        self.agents.get(name).cloned()
    }

    /// All agents, by name.
    pub fn iter(&self) -> impl Iterator<Item = &Arc<AgentSpec>> {
        self.agents.values()
    }

    /// What is wrong with the file of that name; empty if nothing is, or if there is none.
    pub fn faults_of(&self, name: &str) -> &[Fault] {
        self.faults.get(name).map_or(&[], Vec::as_slice)
    }

    /// Every file that could not be read, with what is wrong.
    pub fn faults(&self) -> impl Iterator<Item = (&str, &[Fault])> {
        self.faults.iter().map(|(name, faults)| (name.as_str(), faults.as_slice()))
    }

    fn add(&mut self, name: String, text: io::Result<String>) {
        let read = text
            .map_err(|error| vec![Fault { path: String::new(), line: None, message: error.to_string() }])
            .and_then(|text| check::read(&text, &name));
        match read {
            Ok(spec) => {
                self.agents.insert(name, Arc::new(spec));
            }
            Err(faults) => {
                self.faults.insert(name, faults);
            }
        }
    }
}

fn agent_name(path: &Path) -> Option<String> {
    let yaml = path.extension().is_some_and(|ending| ending == "yaml");
    let name = path.file_stem()?.to_str()?;
    (yaml && !name.starts_with('.')).then(|| name.to_owned())
}

/// Writes beside and renames, so that nobody ever reads half a file.
fn fill(folder: &Path) -> io::Result<()> {
    std::fs::create_dir_all(folder)?;
    for (name, text) in BUILT_IN {
        let path = folder.join(format!("{name}.yaml"));
        if !path.exists() {
            let beside = folder.join(format!(".{name}.{}.new", std::process::id()));
            std::fs::write(&beside, text)?;
            std::fs::rename(&beside, &path)?;
        }
    }
    Ok(())
}
