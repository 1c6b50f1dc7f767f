//! What the service and the guard of a sandbox say to each other, over one socket: the order with what the
//! program reads as its input, and when all is over the verdict. The socket closing means: end it.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io::{self, Read, Write};
use std::path::PathBuf;

/// What is to be run, and how it is held.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Order {
    pub hold: Hold,
    pub command: String,
    pub args: Vec<String>,
    /// Where it begins, within the working folder; empty for that itself.
    pub within: String,
    pub env: BTreeMap<String, String>,
    /// Lent to it as `files`.
    pub files: Option<PathBuf>,
    /// What it may read beside the system: the folder of an interpreter.
    pub readable: Vec<PathBuf>,
    /// A folder that is this call's alone, for means without one of their own.
    pub scratch: PathBuf,
    /// Whether it may use the network, which only what fetches packages may.
    pub network: bool,
    pub bounds: Bounds,
}

/// What keeps the program from the rest of the machine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Hold {
    /// Namespaces, made by this program.
    Bubblewrap(PathBuf),
    Landlock,
    /// Nothing: the owner's word.
    Bare,
}

/// What it may use.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Bounds {
    pub memory_mb: u64,
    pub cpu_s: u64,
    pub processes: u64,
    pub scratch_mb: u64,
    /// Files and folders that it may make; empty ones take room, too.
    pub entries: u64,
    pub timeout_ms: u64,
}

/// How it ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Verdict {
    /// By itself; beyond 128, by that signal.
    Ended(i32),
    /// By the guard.
    Stopped(Bound),
    /// It never began.
    Failed(String),
}

/// What was overstepped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Bound {
    Time,
    Memory,
    Processes,
    Scratch,
}

/// The order and the program's input, each with its length before it.
pub fn packed(order: &Order, input: &[u8]) -> io::Result<Vec<u8>> {
    let order = serde_json::to_vec(order)?;
    let mut bytes = Vec::with_capacity(order.len() + input.len() + 16);
    for part in [order.as_slice(), input] {
        bytes.write_all(&(part.len() as u64).to_le_bytes())?;
        bytes.write_all(part)?;
    }
    Ok(bytes)
}

/// The other end of `packed`.
pub fn unpacked(from: &mut impl Read) -> io::Result<(Order, Vec<u8>)> {
    let mut part = || -> io::Result<Vec<u8>> {
        let mut length = [0; 8];
        from.read_exact(&mut length)?;
        let length = u64::from_le_bytes(length);
        let mut bytes = Vec::new();
        from.by_ref().take(length).read_to_end(&mut bytes)?;
        if bytes.len() as u64 == length { Ok(bytes) } else { Err(io::ErrorKind::UnexpectedEof.into()) }
    };
    let order = part()?;
    let input = part()?;
    Ok((serde_json::from_slice(&order)?, input))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_order_and_its_input_arrive_as_they_were_sent() {
        let bounds =
            Bounds { memory_mb: 1, cpu_s: 2, processes: 3, scratch_mb: 4, entries: 6, timeout_ms: 5 };
        let order = Order {
            hold: Hold::Bubblewrap("/usr/bin/bwrap".into()),
            command: String::from("sh"),
            args: vec![String::from("-c"), String::from("echo \"$1\"")],
            within: String::new(),
            env: BTreeMap::from([(String::from("ONE"), String::from("1"))]),
            files: Some("/files".into()),
            readable: vec!["/opt/venv".into()],
            scratch: "/scratch".into(),
            network: false,
            bounds,
        };
        let bytes = packed(&order, b"\0input").unwrap();
        assert_eq!(unpacked(&mut bytes.as_slice()).unwrap(), (order, b"\0input".to_vec()));
        assert!(unpacked(&mut &bytes[..bytes.len() - 1]).is_err(), "a service that died while it spoke");
    }
}
