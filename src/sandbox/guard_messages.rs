//! Messages between the service and a guard over one socket: the request with the program's input, and at the
//! end the verdict. Closing the socket ends the program.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io::{self, Read, Write};
use std::path::PathBuf;

/// Request to run a program.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SandboxRequest {
    pub hold: Isolation,
    pub command: String,
    pub args: Vec<String>,
    /// Initial folder, relative to the working folder; empty for the working folder itself.
    pub within: String,
    pub env: BTreeMap<String, String>,
    /// Folder made available as `files`.
    pub files: Option<PathBuf>,
    /// True if the program may not change the files.
    pub files_read_only: bool,
    /// Additional readable paths, such as the folder of an interpreter.
    pub readable: Vec<PathBuf>,
    /// Scratch folder for this call alone, for backends that provide none.
    pub scratch: PathBuf,
    /// True if the program may use the network. Only the installation of packages may.
    pub network: bool,
    pub bounds: ResourceLimits,
}

/// Isolation of the program from the rest of the machine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Isolation {
    /// Namespaces, created by the program at this path.
    Bubblewrap(PathBuf),
    Landlock,
    /// No isolation, as the owner set.
    Bare,
}

/// Resource limits.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ResourceLimits {
    pub memory_mb: u64,
    pub cpu_s: u64,
    pub processes: u64,
    pub scratch_mb: u64,
    /// Most files and folders that the program may create; empty ones take space too.
    pub entries: u64,
    pub timeout_ms: u64,
}

/// End of the program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum GuardVerdict {
    /// Exit status; a status above 128 is 128 plus a signal.
    Ended(i32),
    /// Stopped by the guard.
    Stopped(ExceededLimit),
    /// The program never began.
    Failed(String),
}

/// Exceeded bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ExceededLimit {
    Time,
    Memory,
    Processes,
    Scratch,
}

/// Encodes the request and the program's input, each preceded by its length.
pub fn encode(request: &SandboxRequest, input: &[u8]) -> io::Result<Vec<u8>> {
    let request = serde_json::to_vec(request)?;
    let mut bytes = Vec::with_capacity(request.len() + input.len() + 16);
    for part in [request.as_slice(), input] {
        bytes.write_all(&(part.len() as u64).to_le_bytes())?;
        bytes.write_all(part)?;
    }
    Ok(bytes)
}

/// Decodes the request and the program's input.
pub fn decode(from: &mut impl Read) -> io::Result<(SandboxRequest, Vec<u8>)> {
    let mut part = || -> io::Result<Vec<u8>> {
        let mut length = [0; 8];
        from.read_exact(&mut length)?;
        let length = u64::from_le_bytes(length);
        let mut bytes = Vec::new();
        from.by_ref().take(length).read_to_end(&mut bytes)?;
        if bytes.len() as u64 == length { Ok(bytes) } else { Err(io::ErrorKind::UnexpectedEof.into()) }
    };
    let request = part()?;
    let input = part()?;
    Ok((serde_json::from_slice(&request)?, input))
}

/// Message without bubblewrap if the program does not exist.
pub const NO_PROGRAM: &str = "askfirst: no such program";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_to_the_guard_arrives_with_its_input() {
        let bounds =
            ResourceLimits { memory_mb: 1, cpu_s: 2, processes: 3, scratch_mb: 4, entries: 6, timeout_ms: 5 };
        let request = SandboxRequest {
            hold: Isolation::Bubblewrap("/usr/bin/bwrap".into()),
            command: String::from("sh"),
            args: vec![String::from("-c"), String::from("echo \"$1\"")],
            within: String::new(),
            env: BTreeMap::from([(String::from("ONE"), String::from("1"))]),
            files: Some("/files".into()),
            files_read_only: true,
            readable: vec!["/opt/venv".into()],
            scratch: "/scratch".into(),
            network: false,
            bounds,
        };
        let bytes = encode(&request, b"\0input").unwrap();
        assert_eq!(decode(&mut bytes.as_slice()).unwrap(), (request, b"\0input".to_vec()));
        assert!(decode(&mut &bytes[..bytes.len() - 1]).is_err(), "a service that died while it spoke");
    }
}
