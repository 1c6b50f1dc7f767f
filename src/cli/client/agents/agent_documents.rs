//! Agent files: one agent each, or several as YAML documents in one file.

use crate::cli::client::error::ClientError;
use crate::cli::client::follow::standard_input::Keyboard;
use std::path::Path;

/// The text of one agent and its source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Document {
    /// A file, `-`, or the name of an agent.
    pub source: String,
    /// Name that the agent must have, if the source determines it.
    pub name: Option<String>,
    /// Number of lines before the document in its file.
    pub above: u64,
    pub text: String,
}

/// Reads all documents of a file; `-` is standard input.
pub async fn read(path: &Path) -> Result<Vec<Document>, ClientError> {
    let source = path.display().to_string();
    let text = if source == "-" { Keyboard::default().rest().await } else { std::fs::read_to_string(path) };
    let text = text.map_err(|fault| ClientError::Usage(format!("{source} cannot be read: {fault}")))?;
    Ok(split(&source, &text))
}

/// Splits a text at the document markers. Documents with nothing but comments are dropped, unless there is no
/// other.
pub fn split(source: &str, text: &str) -> Vec<Document> {
    let new_document = |above| Document { source: source.to_owned(), name: None, above, text: String::new() };
    let mut documents = vec![new_document(0)];
    for (number, line) in (0..).zip(text.split_inclusive('\n')) {
        let mark = line.trim_end();
        // Within an agent, only its own keys start in the first column.
        if mark == "---" || mark.starts_with("--- #") {
            documents.push(new_document(number + 1));
        } else if let Some(last) = documents.last_mut() {
            last.text.push_str(line);
        }
    }
    let whole = documents.iter().any(|document| !is_empty(&document.text));
    documents.retain(|document| !whole || !is_empty(&document.text));
    documents.truncate(if whole { documents.len() } else { 1 });
    documents
}

fn is_empty(text: &str) -> bool {
    text.lines().all(|line| line.trim().is_empty() || line.trim_start().starts_with('#'))
}

/// Joins several texts into one file of documents.
pub fn join<'t>(texts: impl IntoIterator<Item = &'t str>) -> String {
    let mut whole = String::new();
    for text in texts {
        if !whole.is_empty() {
            whole.push_str("---\n");
        }
        whole.push_str(text);
        if !text.ends_with('\n') {
            whole.push('\n');
        }
    }
    whole
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_keep_their_lines_and_their_text() {
        let first = "# of the first\nname: a\nllm:\n  prompt: |\n    one\n    ---\n    two\n";
        let second = "name: b\n";
        let whole = join([first, second.trim_end()]);
        let found = split("x.yaml", &whole);
        assert_eq!(found.len(), 2);
        assert_eq!((found[0].above, found[0].text.as_str()), (0, first));
        assert_eq!((found[1].above, found[1].text.as_str()), (8, second));
        assert_eq!(split("x", "---\n# none\n---\nname: a\n--- # end\n").len(), 1);
        assert_eq!(split("x", "").len(), 1, "what is empty is told to be faulty");
    }
}
