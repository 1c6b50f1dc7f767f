//! The file `build.tool.yml` in the folder of an agent: its section `build` (S4.28).

use crate::agent_spec::files::folder;
use crate::agent_spec::parse::fault::SpecFault;
use crate::agent_spec::parse::yaml;
use crate::agent_spec::types::build::{Build, FILE};
use std::io;
use std::path::Path;

/// Reads `build.tool.yml` of an agent's folder; `None` if there is no such file.
pub fn read_file(folder: &Path) -> Option<Result<Build, SpecFault>> {
    let text = match folder::read(&folder.join(FILE)) {
        Ok(text) => text,
        Err(fault) if matches!(fault.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            return None;
        }
        Err(fault) => return Some(Err(SpecFault::new(FILE, format!("cannot be read: {fault}")))),
    };
    Some(yaml::value(&text).map_err(|fault| {
        let fault = fault.without_snippet();
        let line = fault.location().map(|location| location.line()).filter(|line| *line > 0);
        let at = line.map_or_else(String::new, |line| format!(" (line {line})"));
        let words = fault.to_string();
        SpecFault::new(
            FILE,
            format!("is not a valid section `build`: {}{at}", words.lines().next().unwrap_or_default()),
        )
    }))
}
