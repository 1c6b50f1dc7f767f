//! The gate with the rules of the policy file, reloaded when the file changes. A broken file is only logged,
//! and the earlier rules stay. Cheap to share in an `Arc`; waits for nothing but one check of the file per
//! second.

use crate::clock::Moment;
use crate::gate::assess;
use crate::gate::request::AssessmentRequest;
use crate::gate::rules::{Rules, RulesError};
use crate::gate::verdict::Verdict;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

/// Shortest interval between checks of the file, in milliseconds.
const EVERY_MS: i64 = 1000;

#[derive(Debug)]
pub struct Gate {
    path: PathBuf,
    /// Held for moments only; no other lock is taken meanwhile.
    kept: Mutex<LoadedRules>,
}

#[derive(Debug)]
struct LoadedRules {
    rules: Arc<Rules>,
    looked_at: Moment,
    stamp: Option<FileVersion>,
}

/// Modification time and size, by which versions of the file are told apart.
type FileVersion = (Option<SystemTime>, u64);

/// Reason why the gate cannot start.
#[derive(Debug, thiserror::Error)]
pub enum GateError {
    #[error(
        "cannot read the policy {path}: {fault}; fix `gate.policy` or remove the file to use the built-in rules"
    )]
    Unreadable { path: String, fault: std::io::Error },
    #[error("the policy {path} is wrong: {fault}")]
    Wrong { path: String, fault: RulesError },
}

impl Gate {
    /// Opens the gate with the rules of the file, or with the built-in rules if the file does not exist.
    pub fn open(path: &Path, now: Moment) -> Result<Self, GateError> {
        let stamp = stamp(path);
        let rules = match stamp {
            Some(_) => load(path)?,
            None => Rules::built_in().clone(),
        };
        let kept = LoadedRules { rules: Arc::new(rules), looked_at: now, stamp };
        Ok(Self { path: path.to_owned(), kept: Mutex::new(kept) })
    }

    pub fn assess(&self, ask: &AssessmentRequest<'_>, now: Moment) -> Verdict {
        assess(&self.rules(now), ask)
    }

    /// Returns the current rules.
    pub fn rules(&self, now: Moment) -> Arc<Rules> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if now.millis().saturating_sub(kept.looked_at.millis()).abs() >= EVERY_MS {
            kept.looked_at = now;
            self.reload_if_changed(&mut kept);
        }
        Arc::clone(&kept.rules)
    }

    fn reload_if_changed(&self, kept: &mut LoadedRules) {
        let stamp = stamp(&self.path);
        if stamp == kept.stamp {
            return;
        }
        kept.stamp = stamp;
        let path = self.path.display();
        match stamp.map(|_| load(&self.path)) {
            Some(Ok(rules)) => {
                tracing::info!(%path, "policy read again");
                kept.rules = Arc::new(rules);
            }
            Some(Err(fault)) => tracing::error!(%path, %fault, "policy not read, the rules before stay"),
            None => tracing::error!(%path, "policy is gone, the rules before stay"),
        }
    }
}

fn load(path: &Path) -> Result<Rules, GateError> {
    let shown = || path.display().to_string();
    let text =
        std::fs::read_to_string(path).map_err(|fault| GateError::Unreadable { path: shown(), fault })?;
    Rules::parse(&text).map_err(|fault| GateError::Wrong { path: shown(), fault })
}

fn stamp(path: &Path) -> Option<FileVersion> {
    let facts = std::fs::metadata(path).ok()?;
    Some((facts.modified().ok(), facts.len()))
}
