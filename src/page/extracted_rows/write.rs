//! Rows as JSON and CSV.

use crate::page::extracted_rows::Row;
use serde_json::Value;

/// Writes one row a line, so that a cut text still is readable.
pub fn write_json(rows: &[Row]) -> String {
    let rows: Vec<String> = rows.iter().map(|row| Value::Object(row.clone()).to_string()).collect();
    format!("[\n{}\n]", rows.join(",\n"))
}

/// Writes CSV as RFC 4180 has it, with a first line of names. Objects and lists in a cell are JSON.
pub fn write_csv(columns: &[String], rows: &[Row]) -> Result<String, String> {
    let mut writer = csv::WriterBuilder::new().terminator(csv::Terminator::CRLF).from_writer(Vec::new());
    let mut write = |cells: Vec<String>| writer.write_record(cells).map_err(|fault| fault.to_string());
    write(columns.iter().map(|name| guard_formula(name.clone())).collect())?;
    for row in rows {
        write(columns.iter().map(|name| guard_formula(cell_text(row.get(name)))).collect())?;
    }
    let bytes = writer.into_inner().map_err(|fault| fault.to_string())?;
    String::from_utf8(bytes).map_err(|fault| fault.to_string())
}

fn cell_text(value: Option<&Value>) -> String {
    match value {
        None | Some(Value::Null) => String::new(),
        Some(Value::String(text)) => text.clone(),
        Some(other) => other.to_string(),
    }
}

/// Puts an apostrophe before a text that a program for tables would run as a formula. Numbers stay numbers.
fn guard_formula(text: String) -> String {
    let is_number = text.parse::<f64>().is_ok();
    match text.starts_with(['=', '+', '-', '@', '\t', '\r', '＝', '＋', '－', '＠']) && !is_number {
        true => format!("'{text}"),
        false => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn rows(rows: Value) -> Vec<Row> {
        serde_json::from_value(rows).expect("rows")
    }

    #[test]
    fn rows_are_written_as_csv_and_json() {
        let rows = rows(json!([
            {"name": "Lamp, \"blue\"", "price": 20.5},
            {"name": "=HYPERLINK(1)", "price": -3},
            {"name": null, "price": ["a", "b"]},
            {"name": "two\nlines"},
        ]));
        let columns = [String::from("name"), String::from("price")];
        assert_eq!(
            write_csv(&columns, &rows).as_deref(),
            Ok(
                "name,price\r\n\"Lamp, \"\"blue\"\"\",20.5\r\n'=HYPERLINK(1),-3\r\n,\"[\"\"a\"\",\"\"b\"\"]\"\r\n\"two\nlines\",\r\n"
            )
        );
        assert_eq!(serde_json::from_str::<Value>(&write_json(&rows)).expect("json"), json!(rows));
        assert_eq!(write_json(&[]), "[\n\n]");
    }

    #[test]
    fn no_cell_and_no_name_of_a_column_is_a_formula() {
        let columns = [String::from("@name")];
        for text in ["=1+1", "+cmd|' /C calc'!A0", "-2+3", "@SUM(1)", "\t=1", "\r=1"] {
            let written = write_csv(&columns, &rows(json!([{"@name": text}]))).expect("csv");
            let cells: Vec<&str> = written.split("\r\n").map(|cell| cell.trim_start_matches('"')).collect();
            assert!(cells.iter().take(2).all(|cell| cell.starts_with('\'')), "{written:?}");
        }
    }

    /// Reading with the same crate gives the cells back, apart from the apostrophes.
    #[test]
    fn any_text_survives_csv() {
        let columns = [String::from("a"), String::from("b")];
        for text in ["", "a,b", "\"", "\r\n", "x\ry", "–", "'", "  spaces  "] {
            let written = write_csv(&columns, &rows(json!([{"a": text, "b": "end"}]))).expect("csv");
            let mut reader = csv::Reader::from_reader(written.as_bytes());
            let record = reader.records().next().expect("a record").expect("valid");
            assert_eq!(
                (record[0].trim_start_matches('\''), &record[1]),
                (text.trim_start_matches('\''), "end")
            );
        }
    }
}
