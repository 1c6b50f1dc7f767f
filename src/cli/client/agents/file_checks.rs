//! Checks of agent files before they are saved. The service makes them; files checked together may call each
//! other and replace existing agents of the same name.

use crate::agent_spec::agent_lookup::is_agent_name;
use crate::cli::args::agents::Validate;
use crate::cli::client::agents::agent_documents;
use crate::cli::client::agents::agent_documents::Document;
use crate::cli::client::api;
use crate::cli::client::api::{Api, YAML, segment};
use crate::cli::client::error::{ClientError, Exit};
use crate::cli::client::follow::terminal_output;
use crate::cli::client::follow::terminal_output::plain;
use serde_json::{Value, json};
use std::path::Path;

/// An agent file and the faults that the service finds in it.
#[derive(Debug)]
pub struct CheckedDocument {
    pub document: Document,
    pub faults: Vec<Value>,
}

impl CheckedDocument {
    pub fn is_sound(&self) -> bool {
        self.faults.iter().all(|fault| fault["severity"] == "warning")
    }
}

/// Formats the documents as the body of a request.
pub fn bodies(documents: &[Document]) -> Vec<Value> {
    documents.iter().map(|document| json!({"yaml": document.text, "name": document.name})).collect()
}

/// Checks all documents as if all were saved, as an import does.
pub async fn examine(api: &Api, documents: Vec<Document>) -> Result<Vec<CheckedDocument>, ClientError> {
    let body = json!({"documents": bodies(&documents)});
    let checked = api.post("/api/agents/validate", &body).await?;
    let mut found = checked["documents"].as_array().cloned().unwrap_or_default().into_iter();
    let checked = documents.into_iter().map(|document| {
        let faults = found.next().and_then(|report| report["faults"].as_array().cloned());
        let faults = faults.ok_or_else(|| ClientError::Unreadable(String::from("no faults")))?;
        let faults = faults.into_iter().map(|fault| with_file_beside(&document, fault)).collect();
        Ok(CheckedDocument { document, faults })
    });
    checked.collect()
}

/// Adds a hint to a fault about a missing agent if its file is in the same folder.
fn with_file_beside(document: &Document, mut fault: Value) -> Value {
    let missing = fault["message"].as_str().and_then(|words| words.strip_prefix("there is no agent \""));
    let missing = missing.and_then(|rest| rest.strip_suffix('"')).filter(|name| is_agent_name(name));
    let folder =
        Path::new(&document.source).parent().filter(|_| document.name.is_none() && document.source != "-");
    if let (Some(missing), Some(folder)) = (missing, folder) {
        let path = folder.join(format!("{missing}.yaml"));
        if path.is_file() {
            fault["hint"] = json!(format!("{} lies beside it: name that file, too", path.display()));
        }
    }
    fault
}

/// Returns the text of an agent's file, even if it has faults. The error holds the faults if the service
/// cannot return the text.
pub async fn fetch_text(api: &Api, name: &str) -> Result<String, ClientError> {
    let path = format!("/api/agents/{}", segment(name));
    Ok(api.text(&path, YAML).await.map_err(|fault| api::unknown(name, fault))?.text)
}

/// `askfirst agents validate`.
pub async fn validate(api: &Api, args: &Validate) -> Result<Exit, ClientError> {
    let (mut documents, mut lines) = (Vec::new(), Vec::new());
    for what in &args.what {
        if is_file(what) {
            documents.extend(agent_documents::read(Path::new(what)).await?);
            continue;
        }
        match fetch_text(api, what).await {
            Ok(text) => {
                let (source, name) = (what.clone(), Some(what.clone()));
                documents.push(Document { source, name, above: 0, text });
            }
            Err(ClientError::Refused(refusal)) if !refusal.faults.is_empty() => {
                lines.extend(refusal.faults.iter().map(|fault| with_source(what, 0, fault)));
            }
            Err(fault) => return Err(fault),
        }
    }
    let count = documents.len();
    for checked in examine(api, documents).await? {
        lines.extend(list_faults(&checked));
    }
    let sound = lines.iter().all(|line| line["severity"] == "warning");
    if args.json {
        terminal_output::print(&format!("{}\n", json!({"ok": sound, "faults": lines})));
    } else {
        terminal_output::print(&lines.iter().map(|line| format!("{}\n", words(line))).collect::<String>());
        if lines.is_empty() {
            terminal_output::note(&format!(
                "no fault in {count} {}",
                if count == 1 { "agent" } else { "agents" }
            ));
        }
    }
    Ok(if sound { Exit::Succeeded } else { Exit::Failed })
}

/// True if the argument is a file: it is `-`, contains a separator or a dot, or exists.
fn is_file(what: &str) -> bool {
    what == "-" || what.contains(['/', '\\', '.']) || Path::new(what).exists()
}

/// Returns the faults with the file's name and the line numbers of the whole file.
fn list_faults(checked: &CheckedDocument) -> Vec<Value> {
    let Document { source, above, .. } = &checked.document;
    checked.faults.iter().map(|fault| with_source(source, *above, fault)).collect()
}

fn with_source(source: &str, above: u64, fault: &Value) -> Value {
    let mut whole = json!({"file": source});
    if let (Value::Object(whole), Some(fault)) = (&mut whole, fault.as_object()) {
        whole.extend(fault.clone());
        whole.insert(String::from("line"), json!(fault["line"].as_u64().map(|line| line + above)));
    }
    whole
}

/// `FILE:LINE: path: message (hint)`
fn words(fault: &Value) -> String {
    let word = |name: &str| fault[name].as_str().map(plain).filter(|text| !text.is_empty());
    let mut words = word("file").unwrap_or_default();
    if let Some(line) = fault["line"].as_u64() {
        words.push_str(&format!(":{line}"));
    }
    if fault["severity"] == "warning" {
        words.push_str(": warning");
    }
    for part in ["path", "message"].into_iter().filter_map(word) {
        words.push_str(&format!(": {part}"));
    }
    if let Some(hint) = word("hint") {
        words.push_str(&format!(" ({hint})"));
    }
    words
}

/// Returns the faults as lines, as `validate` prints them.
pub fn lines(checked: &CheckedDocument) -> Vec<String> {
    list_faults(checked).iter().map(words).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agent_spec::parse::fault::SpecFault;

    #[test]
    fn a_fault_is_printed_with_the_line_of_its_file() {
        let document = Document { source: String::from("x.yaml"), name: None, above: 8, text: String::new() };
        let fault = SpecFault::new("python.code", "is missing").on_line(Some(2)).hint("write it");
        let warning = SpecFault::warning("", "says nothing\nat all").on_line(None);
        let checked = CheckedDocument { document, faults: vec![json!(fault), json!(warning)] };
        assert_eq!(
            lines(&checked),
            ["x.yaml:10: python.code: is missing (write it)", "x.yaml: warning: says nothing at all"]
        );
    }
}
