//! What a file of the agents' folder was at one moment: an agent, or what is wrong with it.

use super::AgentSpec;
use super::check;
use super::fault::Fault;
use crate::clock::Moment;
use sha2::{Digest, Sha256};
use std::cmp::Reverse;
use std::sync::Arc;

/// An agent's file at one moment.
#[derive(Clone, Debug)]
pub struct Version {
    /// SHA-256 of the text.
    pub hash: String,
    pub text: Arc<str>,
    pub spec: Arc<AgentSpec>,
}

/// A file that is no agent, and why.
#[derive(Clone, Debug)]
pub struct Broken {
    pub faults: Vec<Fault>,
    /// As far as it could be read.
    pub text: Option<Arc<str>>,
    pub hash: String,
}

/// A version that is kept beside the files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptVersion {
    pub hash: String,
    pub kept_at: Option<Moment>,
    /// Whether the file is this one.
    pub current: bool,
}

/// What whoever saves takes the file to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expected<'e> {
    Anything,
    /// There is none yet.
    Nothing,
    /// It has the text with this hash.
    Version(&'e str),
    /// It has the text with one of these hashes; `*` is whatever there is.
    OneOf(&'e [String]),
}

impl Expected<'_> {
    /// Whether that is what was found.
    pub fn fits(self, found: Option<&str>) -> bool {
        match self {
            Expected::Anything => true,
            Expected::Nothing => found.is_none(),
            Expected::Version(hash) => found == Some(hash),
            Expected::OneOf(hashes) => {
                found.is_some_and(|found| hashes.iter().any(|hash| hash == found || hash == "*"))
            }
        }
    }
}

/// What becomes of comments of a file that cannot be kept when it is written anew.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comments {
    /// Rather the file stays as it is.
    Keep,
    Drop,
}

/// A file that was read, or why it could not be.
pub fn read(name: &str, text: Result<String, Fault>, hash: &str) -> Result<Version, Arc<Broken>> {
    let hash = hash.to_owned();
    let text: Arc<str> = match text {
        Ok(text) => Arc::from(text),
        Err(fault) => return Err(Arc::new(Broken { faults: vec![fault], text: None, hash })),
    };
    match check::read(&text, name) {
        Ok(spec) => {
            if check::renewed(&text).is_some() {
                tracing::warn!(agent = name, "agent file is of an older form; it is read as today's");
            }
            Ok(Version { hash, text, spec: Arc::new(spec) })
        }
        Err(faults) => {
            tracing::warn!(agent = name, fault = %faults[0], "agent file is faulty");
            Err(Arc::new(Broken { faults, text: Some(text), hash }))
        }
    }
}

/// Versions, newest first; the file itself before them all.
pub fn listed(kept: Vec<(String, Option<Moment>)>, current: Option<&str>) -> Vec<KeptVersion> {
    let told = kept.into_iter().map(|(hash, kept_at)| {
        let current = current == Some(hash.as_str());
        KeptVersion { hash, kept_at, current }
    });
    let mut told: Vec<KeptVersion> = told.collect();
    told.sort_by_key(|one| (Reverse(one.current), Reverse(one.kept_at)));
    told
}

/// SHA-256 in hexadecimal digits.
pub fn hash_of(text: &str) -> String {
    Sha256::digest(text.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect()
}
