//! Faults of an agent file: the place, and what to write instead.

use std::fmt;

/// A fault of an agent file.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct SpecFault {
    /// Path within the file, such as `graph.lanes[0].items[1].agent`; empty for the whole file.
    pub path: String,
    pub line: Option<u64>,
    pub message: String,
    /// Suggested correction, unless the message already contains it.
    pub hint: Option<String>,
    pub severity: Severity,
    /// Line within the text at `path`, from 1.
    #[serde(skip)]
    pub within: Option<u64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// The agent cannot run.
    Error,
    /// The agent can run, but probably not as intended.
    Warning,
}

impl SpecFault {
    pub fn new(path: impl Into<String>, message: impl Into<String>) -> Self {
        Self {
            path: path.into(),
            line: None,
            message: message.into(),
            hint: None,
            severity: Severity::Error,
            within: None,
        }
    }

    pub fn warning(path: impl Into<String>, message: impl Into<String>) -> Self {
        Self { severity: Severity::Warning, ..Self::new(path, message) }
    }

    pub fn hint(self, hint: impl Into<String>) -> Self {
        Self { hint: Some(hint.into()), ..self }
    }

    /// Adds a hint: the most similar of the given names, or a list of them.
    pub fn hint_name<'n>(self, name: &str, names: impl IntoIterator<Item = &'n str>) -> Self {
        let mut names: Vec<&str> = names.into_iter().collect();
        names.dedup();
        match nearest(name, &names) {
            Some(meant) => self.hint(format!("did you mean \"{meant}\"?")),
            None if names.is_empty() => self,
            None => self.hint(format!("there are {}", join_names(&names))),
        }
    }

    pub fn on_line(self, line: Option<u64>) -> Self {
        Self { line, ..self }
    }

    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }
}

impl fmt::Display for SpecFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(line) = self.line {
            write!(f, "line {line}: ")?;
        }
        if !self.path.is_empty() {
            write!(f, "`{}` ", self.path)?;
        }
        f.write_str(&self.message)?;
        match &self.hint {
            Some(hint) => write!(f, "; {hint}"),
            None => Ok(()),
        }
    }
}

/// Returns the most similar name; `None` if none is similar.
fn nearest<'n>(name: &str, names: &[&'n str]) -> Option<&'n str> {
    let name = name.to_lowercase();
    let far = (name.chars().count() / 3).max(2);
    let found =
        names.iter().map(|known| (strsim::levenshtein(&name, &known.to_lowercase()), *known)).min()?;
    // Accepts a common prefix: `title` and `title_ua`.
    let begins = |known: &&&str| name.len() >= 3 && (known.starts_with(&name) || name.starts_with(**known));
    if found.0 <= far { Some(found.1) } else { names.iter().find(begins).copied() }
}

fn join_names(names: &[&str]) -> String {
    const MOST: usize = 12;
    let more = if names.len() > MOST { ", …" } else { "" };
    format!("{}{more}", names[..names.len().min(MOST)].join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_known_name_is_suggested() {
        let names = ["title_ua", "title_en", "kind", "inputs", "python"];
        for (wrote, meant) in [
            ("titel_ua", Some("title_ua")),
            ("Kind", Some("kind")),
            ("input", Some("inputs")),
            ("title", Some("title_ua")),
            ("pyhton", Some("python")),
            ("colour", None),
        ] {
            assert_eq!(nearest(wrote, &names), meant, "{wrote}");
        }
        assert_eq!(nearest("x", &[]), None);
        let many: Vec<String> = (0..20).map(|n| format!("agent_number_{n}")).collect();
        let text = SpecFault::new("a", "b").hint_name("zzz", many.iter().map(String::as_str)).to_string();
        assert!(text.ends_with("agent_number_11, …"), "{text}");
    }
}
