//! The agents of one folder, kept up to date: a file that was edited by hand is read again at the next
//! access. A faulty file disables only its own agent, and every version that ran is kept under the hash of
//! its text. Cheap to share in an `Arc`. Missing built-in agents are written at start-up; existing files are
//! never overwritten.

pub mod error;
pub mod import;
pub(crate) mod mcp_tools;
pub(crate) mod saving;

use crate::agent_name;
use crate::agent_name::ORCHESTRATE;
use crate::agent_spec::agent_lookup;
use crate::agent_spec::agent_lookup::AgentLookup;
use crate::agent_spec::check;
use crate::agent_spec::files::built_in::BUILT_IN;
use crate::agent_spec::files::folder::{AgentFolder, Stamp, is_hash};
use crate::agent_spec::files::library::error::LibraryError;
use crate::agent_spec::files::native;
use crate::agent_spec::files::version::{FaultyAgentFile, KeptVersion, Version, hash_text};
use crate::agent_spec::files::{folder, version};
use crate::agent_spec::mcp_tools::ToolServers;
use crate::agent_spec::parse::fault::SpecFault;
use crate::agent_spec::types::build::Build;
use crate::agent_spec::types::spec::AgentSpec;
use crate::agent_spec::types::tool_ref::{MissingTool, ToolRef};
use crate::files;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

/// Old versions kept in memory; others are read from disk when needed.
const OLD_VERSIONS: usize = 256;

#[derive(Debug)]
pub struct Library {
    folder: AgentFolder,
    /// True if the service's own agents are offered (`orchestration.enabled`).
    own: bool,
    /// Held only for moments; no file is read or written under this lock.
    state: Mutex<LibraryState>,
    /// Serializes writers. Held while a file is written, never while waiting for anything else.
    writing: Mutex<()>,
    /// Agents without files: tools of MCP servers.
    tools: OnceLock<Arc<dyn ToolServers>>,
}

#[derive(Debug, Default)]
struct LibraryState {
    seen: BTreeMap<String, ReadFile>,
    old: BTreeMap<(String, String), Arc<AgentSpec>>,
    /// Versions known to be on disk, by name and hash.
    on_disk: BTreeSet<(String, String)>,
}

/// State of a file when it was last read.
#[derive(Clone, Debug)]
struct ReadFile {
    stamp: Stamp,
    hash: String,
    read: Result<Version, Arc<FaultyAgentFile>>,
}

impl Library {
    /// Opens a folder: creates it, writes the missing built-in agents, and reads every `*.yaml`.
    pub fn open(folder: &Path) -> Result<Self, LibraryError> {
        let refused = |source| LibraryError::Folder { path: folder.to_owned(), source };
        std::fs::create_dir_all(folder).map_err(refused)?;
        let folder = AgentFolder::new(folder);
        let (state, writing) = (Mutex::default(), Mutex::default());
        let library = Self { folder, own: false, state, writing, tools: OnceLock::new() };
        library.folder.names().map_err(refused)?;
        library.folder.sweep();
        for (name, text) in BUILT_IN {
            if library.folder.stamp(name).is_none()
                && let Err(fault) = library.folder.write(name, text)
            {
                // A read-only folder can still serve the agents in it.
                tracing::warn!(agent = name, %fault, "built-in agent not put into the agents' folder");
            }
        }
        library.refresh_all();
        Ok(library)
    }

    /// Offers the service's own agents, or hides them.
    pub fn with_service_agents(self, own: bool) -> Self {
        Self { own, ..self }
    }

    /// Returns the path of an agent's file.
    pub fn file(&self, name: &str) -> PathBuf {
        self.folder.file(name)
    }

    /// Returns the agent's own folder beside its file, with its lock file and wheels. The folder may not
    /// exist.
    pub fn own_folder(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Returns the agent as its file defines it now.
    pub fn get(&self, name: &str) -> Option<Arc<AgentSpec>> {
        self.version(name).map(|version| version.spec)
    }

    /// Returns the current agent with its text and hash.
    pub fn version(&self, name: &str) -> Option<Version> {
        if agent_name::is_service_agent(name) {
            return native::version(name).filter(|_| self.own);
        }
        self.refresh(name)?.read.ok()
    }

    /// Returns the file of that name if it is not a valid agent.
    pub fn broken(&self, name: &str) -> Option<Arc<FaultyAgentFile>> {
        self.refresh(name)?.read.err()
    }

    /// Lists all agents by name.
    pub fn list(&self) -> Vec<Version> {
        self.refresh_all();
        let state = self.lock_state();
        let own = self.version_of_own();
        let mut list: Vec<Version> =
            state.seen.values().filter_map(|seen| seen.read.as_ref().ok().cloned()).chain(own).collect();
        list.sort_by(|a, b| a.spec.name.cmp(&b.spec.name));
        list
    }

    fn version_of_own(&self) -> Option<Version> {
        native::version(ORCHESTRATE).filter(|_| self.own)
    }

    /// Returns the faults of the file of that name; empty if it is valid or missing.
    pub fn find_faults(&self, name: &str) -> Vec<SpecFault> {
        self.broken(name).map_or_else(Vec::new, |broken| broken.faults.clone())
    }

    /// Lists the files that are not valid agents, by name.
    pub fn faults(&self) -> Vec<(String, Arc<FaultyAgentFile>)> {
        self.refresh_all();
        let state = self.lock_state();
        let broken = state.seen.iter().filter_map(|(name, seen)| {
            seen.read.as_ref().err().map(|broken| (name.clone(), Arc::clone(broken)))
        });
        broken.collect()
    }

    /// Returns the current agent and its hash, and keeps this version so that `at` finds it whatever happens
    /// to the file. If it cannot be kept (a read-only folder), it lasts as long as the file or this process.
    pub fn pin(&self, name: &str) -> Option<(Arc<AgentSpec>, String)> {
        let version = self.version(name)?;
        let key = (name.to_owned(), version.hash.clone());
        if !self.lock_state().on_disk.contains(&key) {
            match self.folder.keep(name, &version.hash, &version.text) {
                Ok(()) => drop(self.lock_state().on_disk.insert(key)),
                Err(fault) => {
                    tracing::warn!(agent = name, version = version.hash, %fault, "version not stored");
                }
            }
        }
        self.remember(name, &version.hash, &version.spec);
        Some((version.spec, version.hash))
    }

    /// Returns a version of the agent.
    pub fn version_spec(&self, name: &str, hash: &str) -> Option<Arc<AgentSpec>> {
        if let Some(seen) = self.lock_state().seen.get(name).filter(|seen| seen.hash == hash) {
            return seen.read.as_ref().ok().map(|version| Arc::clone(&version.spec));
        }
        let key = (name.to_owned(), hash.to_owned());
        if let Some(spec) = self.lock_state().old.get(&key) {
            return Some(Arc::clone(spec));
        }
        let text = self.text_at(name, hash)?;
        let spec = Arc::new(check::parse(&text).ok()?);
        self.remember(name, hash, &spec);
        Some(spec)
    }

    /// Returns a version of the agent, or the current one if that version is not kept.
    pub fn version_or_current(&self, name: &str, hash: Option<&str>) -> Option<Arc<AgentSpec>> {
        hash.and_then(|hash| self.version_spec(name, hash)).or_else(|| self.get(name))
    }

    /// Returns the text of the current file, valid or not, with its hash.
    pub fn read_text(&self, name: &str) -> Option<(Arc<str>, String)> {
        let seen = self.refresh(name)?;
        let text = match seen.read {
            Ok(version) => version.text,
            Err(broken) => broken.text.clone().unwrap_or_default(),
        };
        Some((text, seen.hash))
    }

    /// Lists the kept versions, newest first, with the current one in front.
    pub fn versions(&self, name: &str) -> Vec<KeptVersion> {
        if !agent_lookup::is_agent_name(name) {
            return Vec::new();
        }
        let current = self.version(name).map(|version| version.hash);
        let mut stored = self.folder.kept_versions(name);
        if let Some(hash) = current.clone()
            && !stored.iter().any(|(stored, _)| *stored == hash)
        {
            stored.push((hash, files::modified_at(&self.folder.file(name))));
        }
        version::sort_versions(stored, current.as_deref())
    }

    /// Returns the text of a version.
    pub fn text_at(&self, name: &str, hash: &str) -> Option<Arc<str>> {
        if let Some(version) = self.version(name).filter(|version| version.hash == hash) {
            return Some(version.text);
        }
        // Both arguments become parts of a path.
        if !agent_lookup::is_agent_name(name) || !is_hash(hash) {
            return None;
        }
        let text = self.folder.read_version(name, hash).ok()?;
        (hash_text(&text) == hash).then(|| Arc::from(text))
    }

    fn refresh_all(&self) {
        let names = match self.folder.names() {
            Ok(names) => names,
            Err(fault) => {
                tracing::error!(path = %self.folder.path().display(), %fault, "agents' folder not read");
                return;
            }
        };
        let known: Vec<String> = self.lock_state().seen.keys().cloned().collect();
        for name in known.iter().filter(|name| !names.contains(name)).chain(&names) {
            self.refresh(name);
        }
    }

    /// Returns the current state of a file. Reads the file again if its stamp has changed, or is too recent
    /// to show every change.
    fn refresh(&self, name: &str) -> Option<ReadFile> {
        if name.contains(['/', '\\', '\0']) || name.starts_with('.') {
            return None;
        }
        let Some(stamp) = self.folder.stamp(name) else {
            self.lock_state().seen.remove(name);
            return None;
        };
        let before = self.lock_state().seen.get(name).cloned();
        if let Some(seen) = &before
            && seen.stamp == stamp
            && stamp.is_settled()
        {
            return before;
        }
        let text = self.folder.read(name).map_err(|error| folder::to_fault(&error));
        let hash = hash_text(text.as_deref().unwrap_or_else(|fault| &fault.message));
        let read = match before {
            Some(seen) if seen.hash == hash => seen.read,
            Some(_) | None => version::read(name, text, &hash),
        };
        let seen = ReadFile { stamp, hash, read };
        self.lock_state().seen.insert(name.to_owned(), seen.clone());
        Some(seen)
    }

    fn remember(&self, name: &str, hash: &str, spec: &Arc<AgentSpec>) {
        let mut state = self.lock_state();
        if state.old.len() >= OLD_VERSIONS {
            state.old.clear();
        }
        state.old.insert((name.to_owned(), hash.to_owned()), Arc::clone(spec));
    }

    fn lock_state(&self) -> MutexGuard<'_, LibraryState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl AgentLookup for Library {
    fn agent(&self, name: &str) -> Option<Arc<AgentSpec>> {
        self.get(name).or_else(|| self.tool(name)?.ok())
    }

    fn missing_tool(&self, tool: &ToolRef) -> Option<MissingTool> {
        self.tools.get()?.agent(tool).err()
    }

    /// Includes the names of faulty files.
    fn names(&self) -> Vec<String> {
        let sound = self.list().into_iter().map(|version| version.spec.name.clone());
        let mut names: Vec<String> = sound.chain(self.faults().into_iter().map(|(name, _)| name)).collect();
        names.sort();
        names
    }

    fn build_beside(&self, name: &str) -> Option<Result<Build, SpecFault>> {
        agent_lookup::is_agent_name(name)
            .then(|| crate::agent_spec::files::build_file::read_file(&self.own_folder(name)))?
    }
}
