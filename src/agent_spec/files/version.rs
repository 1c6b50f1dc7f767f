//! State of a file of the agents' folder at one moment: an agent, or its faults.

use crate::agent_spec::check;
use crate::agent_spec::parse::fault::SpecFault;
use crate::agent_spec::types::spec::AgentSpec;
use crate::clock::Moment;
use sha2::{Digest, Sha256};
use std::cmp::Reverse;
use std::sync::Arc;

/// A valid agent file at one moment.
#[derive(Clone, Debug)]
pub struct Version {
    /// SHA-256 of the text.
    pub hash: String,
    pub text: Arc<str>,
    pub spec: Arc<AgentSpec>,
}

/// A file that is not a valid agent, with its faults.
#[derive(Clone, Debug)]
pub struct FaultyAgentFile {
    pub faults: Vec<SpecFault>,
    /// The text, if it could be read.
    pub text: Option<Arc<str>>,
    pub hash: String,
}

/// A kept version of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptVersion {
    pub hash: String,
    pub kept_at: Option<Moment>,
    /// True if the file has this version now.
    pub current: bool,
}

/// State that the caller of a save expects the file to have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExpectedState<'e> {
    Anything,
    /// The file does not exist yet.
    Nothing,
    /// The text has this hash.
    Version(&'e str),
    /// The text has one of these hashes; `*` accepts any text.
    OneOf(&'e [String]),
}

impl ExpectedState<'_> {
    /// True if the expectation matches the current hash, `None` being no file.
    pub fn fits(self, found: Option<&str>) -> bool {
        match self {
            ExpectedState::Anything => true,
            ExpectedState::Nothing => found.is_none(),
            ExpectedState::Version(hash) => found == Some(hash),
            ExpectedState::OneOf(hashes) => {
                found.is_some_and(|found| hashes.iter().any(|hash| hash == found || hash == "*"))
            }
        }
    }
}

/// Handling of comments that cannot be preserved when a file is rewritten.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LostComments {
    /// Refuse to write the file.
    Keep,
    Drop,
}

/// Checks a file's text as an agent.
pub fn read(
    name: &str,
    text: Result<String, SpecFault>,
    hash: &str,
) -> Result<Version, Arc<FaultyAgentFile>> {
    let hash = hash.to_owned();
    let text: Arc<str> = match text {
        Ok(text) => Arc::from(text),
        Err(fault) => return Err(Arc::new(FaultyAgentFile { faults: vec![fault], text: None, hash })),
    };
    match check::read(&text, name) {
        Ok(spec) => {
            if check::convert_legacy(&text).is_some() {
                tracing::warn!(agent = name, "agent file is of an older form; it is read as today's");
            }
            Ok(Version { hash, text, spec: Arc::new(spec) })
        }
        Err(faults) => {
            tracing::warn!(agent = name, fault = %faults[0], "agent file is faulty");
            Err(Arc::new(FaultyAgentFile { faults, text: Some(text), hash }))
        }
    }
}

/// Sorts the versions, newest first, with the current one in front.
pub fn sort_versions(stored: Vec<(String, Option<Moment>)>, current: Option<&str>) -> Vec<KeptVersion> {
    let versions = stored.into_iter().map(|(hash, kept_at)| {
        let current = current == Some(hash.as_str());
        KeptVersion { hash, kept_at, current }
    });
    let mut versions: Vec<KeptVersion> = versions.collect();
    versions.sort_by_key(|version| (Reverse(version.current), Reverse(version.kept_at)));
    versions
}

/// Returns the SHA-256 of a text in hexadecimal.
pub fn hash_text(text: &str) -> String {
    Sha256::digest(text.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect()
}
