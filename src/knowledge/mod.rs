//! Knowledge of agents (S4.2, S4.30): Markdown notes beside the agent files, called relics. A relic is named
//! by its file: `agents/<name>/knowledge/*.md` for one agent, `agents/knowledge/*.md` for all. A full-text
//! index of its own finds them, and can be rebuilt at any time. All reading happens on blocking threads,
//! never in an actor.

pub(crate) mod note_folder;
pub mod passage;
pub(crate) mod chunks;
pub(crate) mod index;
pub(crate) mod query;

use crate::knowledge::index::Index;
use crate::knowledge::passage::{KnowledgeList, Passage, Scope};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// The knowledge that an agent has access to.
#[derive(Clone, Debug)]
pub struct KnowledgeAccess {
    pub index: Arc<Knowledge>,
    pub scope: Scope,
}

/// Result of a search, best passages first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RecallResult {
    pub passages: Vec<Passage>,
    /// Requested relics that do not exist.
    pub unknown: Vec<String>,
    pub known: KnowledgeList,
}

/// Errors of the knowledge index.
#[derive(Debug, thiserror::Error)]
pub enum KnowledgeError {
    #[error("the knowledge index cannot be used: {0}; delete {path} to have it rebuilt", path = index::FILE)]
    Index(#[from] rusqlite::Error),
    #[error("the folder of knowledge cannot be read: {0}")]
    Folder(#[from] std::io::Error),
    #[error("knowledge was not read: {0}")]
    Aside(#[from] tokio::task::JoinError),
}

/// Full-text search over the notes. Share it in an `Arc`.
#[derive(Debug)]
pub struct Knowledge {
    agents: PathBuf,
    data: PathBuf,
    /// Opened on first use. The lock is held while files are read, which happens on blocking threads.
    index: Mutex<Option<Index>>,
}

impl Knowledge {
    /// Creates the knowledge of all agents. The index is opened at the first search.
    pub fn new(agents: &Path, data: &Path) -> Self {
        Self { agents: agents.to_owned(), data: data.to_owned(), index: Mutex::new(None) }
    }

    /// Like [`new`](Self::new), but first removes texts of deleted notes and agents from the index.
    pub fn open(agents: &Path, data: &Path) -> Self {
        if data.join(index::FILE).exists() {
            let there = |folder: &str, name: &str| note_folder::is_there(agents, folder, name);
            let cleared = Index::open(data).and_then(|index| index.clear(there));
            if let Err(fault) = cleared {
                tracing::warn!(%fault, "the index of knowledge is made anew");
                Index::delete_file(data);
            }
        }
        Self::new(agents, data)
    }

    /// Lists the relics in scope.
    pub async fn list(self: &Arc<Self>, scope: Scope) -> Result<KnowledgeList, KnowledgeError> {
        let this = Arc::clone(self);
        tokio::task::spawn_blocking(move || this.known_now(&scope)).await?
    }

    /// Finds the best passages for a query. A non-empty `relics` restricts the search to those.
    pub async fn recall(
        self: &Arc<Self>,
        scope: Scope,
        query: String,
        relics: Vec<String>,
    ) -> Result<RecallResult, KnowledgeError> {
        let this = Arc::clone(self);
        tokio::task::spawn_blocking(move || this.recall_now(&scope, &query, &relics)).await?
    }

    /// Blocking variant of [`list`](Self::known).
    pub fn known_now(&self, scope: &Scope) -> Result<KnowledgeList, KnowledgeError> {
        self.with(scope, |_, known, _| Ok(known))
    }

    /// Blocking variant of [`recall`](Self::recall).
    pub fn recall_now(
        &self,
        scope: &Scope,
        query: &str,
        relics: &[String],
    ) -> Result<RecallResult, KnowledgeError> {
        self.with(scope, |index, known, ids| {
            let (wanted, unknown): (Vec<_>, Vec<_>) =
                relics.iter().map(|name| plain(name)).partition(|name| ids.contains_key(name));
            let among: Vec<i64> = match relics {
                [] => ids.values().copied().collect(),
                _ => wanted.iter().filter_map(|name| ids.get(name)).copied().collect(),
            };
            let passages = match query::expression(query) {
                Some(expression) => index.find(&expression, &among, scope.passages)?,
                // Without a search word, the first passages of the named relics are returned.
                None if !relics.is_empty() => index.first_passages(&among, scope.passages)?,
                None => Vec::new(),
            };
            Ok(RecallResult { passages: limit_passages(passages, scope.characters), unknown, known })
        })
    }

    /// Updates the index and runs `work` on it. A damaged index is rebuilt once.
    fn with<T>(
        &self,
        scope: &Scope,
        work: impl Fn(&Index, KnowledgeList, BTreeMap<String, i64>) -> Result<T, rusqlite::Error>,
    ) -> Result<T, KnowledgeError> {
        let folders = note_folder::folders_in_scope(&self.agents, scope);
        let mut kept = self.index.lock().unwrap_or_else(PoisonError::into_inner);
        let mut tried = false;
        loop {
            let index = match kept.take() {
                Some(index) => index,
                None => Index::open(&self.data)?,
            };
            let done = index
                .refresh(&folders, scope.only.as_deref())
                .and_then(|(known, ids)| work(&index, known, ids));
            match done {
                Ok(done) => {
                    *kept = Some(index);
                    return Ok(done);
                }
                Err(fault) if tried => return Err(fault.into()),
                Err(fault) => {
                    tracing::warn!(%fault, "the index of knowledge is made anew");
                    drop(index);
                    Index::delete_file(&self.data);
                    tried = true;
                }
            }
        }
    }
}

/// Normalizes a relic name as a planner may write it.
fn plain(name: &str) -> String {
    let name = name.trim();
    name.strip_suffix(".md").unwrap_or(name).to_owned()
}

/// Keeps as many whole passages as fit. If even the first does not fit, it is cut.
fn limit_passages(passages: Vec<Passage>, characters: usize) -> Vec<Passage> {
    let mut chars_left = characters;
    let mut kept: Vec<Passage> = Vec::new();
    for mut passage in passages {
        let length = passage.text.chars().count();
        if length > chars_left {
            if kept.is_empty() {
                passage.text = passage.text.chars().take(chars_left).collect();
                kept.push(passage);
            }
            break;
        }
        chars_left -= length;
        kept.push(passage);
    }
    kept
}

impl RecallResult {
    /// Formats the result for a planner.
    pub fn text(&self) -> String {
        let shown = |passage: &Passage| match passage.heading.is_empty() {
            true => format!("[{}]\n{}", passage.relic, passage.text),
            false => format!("[{}] {}\n{}", passage.relic, passage.heading, passage.text),
        };
        let mut parts: Vec<String> = self.passages.iter().map(shown).collect();
        if parts.is_empty() {
            parts.push(String::from("Nothing of that is known."));
        }
        if !self.unknown.is_empty() {
            let names: Vec<&str> = self.known.relics.iter().map(|relic| relic.name.as_str()).collect();
            let there = if names.is_empty() { String::from("none") } else { names.join(", ") };
            parts.push(format!("There is no relic {}; there are: {there}.", self.unknown.join(", ")));
        }
        parts.extend(
            self.known
                .refused
                .iter()
                .map(|refused| format!("The file {} is not read: {}.", refused.name, refused.why)),
        );
        parts.join("\n\n")
    }
}

#[cfg(test)]
mod tests;
