//! Extracting rows: of a table or of repeated blocks, as far as the page's structure gives them, into a file of the run.

use crate::browser::error::{ErrorCode, PageError};
use crate::browser::page::context::PageContext;
use crate::browser::page::tab::Tab;
use crate::turn::action::RowFormat;
use serde::Deserialize;
use serde_json::{Map, Value};

/// Reply of the page script.
#[derive(Debug, Deserialize)]
struct FoundRows {
    columns: Vec<String>,
    rows: Vec<Map<String, Value>>,
    /// Names of the schema for which nothing on the page stands.
    missing: Vec<String>,
}

/// Reads rows, stores them in a file, and returns them as the text of that file, after a line that names it.
pub async fn extract(
    context: &PageContext,
    tab: &Tab,
    eid: Option<u32>,
    schema: Option<Map<String, Value>>,
    format: Option<RowFormat>,
) -> Result<String, PageError> {
    let (frame_tab, inner) = tab.document_of(eid);
    let schema = Value::from(schema.map(Value::Object));
    let found: FoundRows = frame_tab.call_script(&format!("rows({inner}, {schema})")).await?;
    let format = format.unwrap_or(RowFormat::Json);
    let (name, text) = match format {
        RowFormat::Json => ("rows.json", write_json(&found.rows)),
        RowFormat::Csv => ("rows.csv", write_csv(&found.columns, &found.rows)),
    };
    let url: String = tab.run("location.href").await?;
    let stored = context
        .downloads
        .keep_text(name, &text, &url)
        .map_err(|fault| PageError::new(ErrorCode::NoFile, format!("the rows cannot be stored: {fault}")))?;
    let missing = match found.missing.is_empty() {
        true => String::new(),
        false => format!("; nothing on the page stands for: {}", found.missing.join(", ")),
    };
    Ok(format!("{} rows in {}{missing}\n{text}", found.rows.len(), stored.name))
}

/// Writes one row a line, so that a cut text still is readable.
fn write_json(rows: &[Map<String, Value>]) -> String {
    let rows: Vec<String> = rows.iter().map(|row| Value::Object(row.clone()).to_string()).collect();
    format!("[\n{}\n]", rows.join(",\n"))
}

/// Writes CSV as RFC 4180 has it, with a first line of names.
fn write_csv(columns: &[String], rows: &[Map<String, Value>]) -> String {
    let line = |cells: Vec<String>| cells.join(",");
    let head = line(columns.iter().map(|name| csv_cell(name)).collect());
    let rows =
        rows.iter().map(|row| line(columns.iter().map(|name| csv_cell(&cell_text(row.get(name)))).collect()));
    Vec::from_iter(std::iter::once(head).chain(rows)).join("\r\n") + "\r\n"
}

fn cell_text(value: Option<&Value>) -> String {
    match value {
        None | Some(Value::Null) => String::new(),
        Some(Value::String(text)) => text.clone(),
        Some(other) => other.to_string(),
    }
}

/// Quotes a cell where it must be. A program for tables takes a cell that begins like a formula as one, so that it gets
/// an apostrophe.
fn csv_cell(text: &str) -> String {
    let is_number = text.parse::<f64>().is_ok();
    let guarded = match text.starts_with(['=', '+', '-', '@', '\t']) && !is_number {
        true => format!("'{text}"),
        false => text.to_owned(),
    };
    match guarded.contains([',', '"', '\n', '\r']) {
        true => format!("\"{}\"", guarded.replace('"', "\"\"")),
        false => guarded,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn rows_are_written_as_csv_and_json() {
        let row = |value: Value| value.as_object().cloned().unwrap_or_default();
        let rows = [
            row(json!({"name": "Lamp, \"blue\"", "price": 20.5})),
            row(json!({"name": "=HYPERLINK(1)", "price": -3})),
            row(json!({"name": null, "price": null})),
        ];
        let columns = [String::from("name"), String::from("price")];
        assert_eq!(
            write_csv(&columns, &rows),
            "name,price\r\n\"Lamp, \"\"blue\"\"\",20.5\r\n'=HYPERLINK(1),-3\r\n,\r\n"
        );
        assert_eq!(serde_json::from_str::<Value>(&write_json(&rows)).expect("json"), json!(rows));
        assert_eq!(write_json(&[]), "[\n\n]");
    }
}
