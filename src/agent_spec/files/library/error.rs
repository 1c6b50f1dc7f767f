//! Errors of the library.

use crate::agent_spec::parse::fault::SpecFault;
use crate::agent_spec::parse::yaml::FILE_BYTES;
use std::io;
use std::path::PathBuf;

#[derive(Debug, thiserror::Error)]
pub enum LibraryError {
    #[error("the agents' folder {} cannot be used: {source}; set agents_dir to one that can", path.display())]
    Folder { path: PathBuf, source: io::Error },
    #[error("{0:?} is not an agent name; use a-z, 0-9 and _, beginning with a letter, at most 64 characters")]
    Name(String),
    #[error("{0} is an agent of the service's own: it has no file, and cannot be changed or removed")]
    Own(String),
    #[error("there is no agent {0}")]
    Unknown(String),
    #[error("the file of agent {name} would be larger than {} kB", FILE_BYTES / 1024)]
    TooLarge { name: String },
    #[error("the agent {name} has errors; nothing was saved")]
    Faulty { name: String, faults: Vec<SpecFault> },
    #[error(
        "the file of agent {name} has changed since you read it; read it again, or save without a version"
    )]
    Changed { name: String, found: Option<String> },
    #[error("the file of agent {name} has comments that would be lost, on lines {}", join_lines(lines))]
    Comments { name: String, lines: Vec<u64> },
    #[error("the agent {name} cannot be written as a text: {why}")]
    Unwritable { name: String, why: String },
    #[error("{} cannot be written: {source}; the agent is as it was", path.display())]
    Disk { path: PathBuf, source: io::Error },
}

fn join_lines(lines: &[u64]) -> String {
    lines.iter().map(u64::to_string).collect::<Vec<_>>().join(", ")
}
