//! Extracting rows: of a table or of repeated blocks, as far as the page's structure gives them, into a file of the run.

use crate::browser::error::{ErrorCode, PageError};
use crate::browser::input::reading::embedded_pdf;
use crate::browser::page::context::PageContext;
use crate::browser::page::tab::Tab;
use crate::files::{FilesError, StoredFile};
use crate::page::extracted_rows::fit::fit_value;
use crate::page::extracted_rows::schema::{RowField, RowSchema, ValueKind};
use crate::page::extracted_rows::write::{write_csv, write_json};
use crate::page::extracted_rows::{MAX_ROWS, Row};
use crate::protocol::action_effect::ActionEffect;
use crate::texts::effects::describe_for_planner;
use crate::turn::action::RowFormat;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

const NESTED: &str = "the structure of a page gives no rows that consist of lists and objects alone; give the schema plain \
    values";

/// Rows of the page script, or read by a model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FoundRows {
    pub columns: Vec<String>,
    pub rows: Vec<Row>,
    /// Names of the schema for which nothing on the page stands.
    pub missing: Vec<String>,
    /// Number of rows that were left out, as there are too many.
    #[serde(default)]
    pub left_out: usize,
    /// Numbers of values that were left empty, as they are not of their column's type.
    #[serde(default)]
    pub unfit: BTreeMap<String, usize>,
}

/// Request for rows, as the action gives it.
pub struct RowsOrder {
    pub eid: Option<u32>,
    pub schema: Option<Map<String, Value>>,
    pub format: Option<RowFormat>,
}

/// Outcome of an extraction.
pub enum RowsOutcome {
    /// The rows are stored. The text is that of their file, after a line that names it; the effects are what is to be
    /// known about them.
    Stored { text: String, effects: Vec<ActionEffect> },
    /// A model is to read what the structure of the page lacks.
    Lacking(LackingRows),
}

/// Rows that lack something which their schema requires, and the text that a model can read it in.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LackingRows {
    /// Reason why the structure of the page is not enough.
    pub reason: String,
    /// Rows that the structure gives; `None` if there are none.
    pub found: Option<FoundRows>,
    /// Text of the element or page at the same moment.
    pub text: String,
}

/// Rows that the structure of a page gives.
enum StructureRows {
    Complete(FoundRows),
    /// Something that the schema requires is missing, or there are no rows at all.
    Lacking {
        reason: String,
        found: Option<FoundRows>,
    },
}

/// Reads rows, and stores them in a file. With `model_completes_rows`, rows that lack something are returned for a model
/// to complete.
pub async fn extract(
    context: &PageContext,
    tab: &Tab,
    order: RowsOrder,
    model_completes_rows: bool,
) -> Result<RowsOutcome, PageError> {
    let schema = order.schema.as_ref().map(RowSchema::parse).transpose();
    let schema = schema.map_err(|why| PageError::new(ErrorCode::BadSchema, why))?;
    let found = match read_structure(tab, order.eid, schema.as_ref()).await? {
        StructureRows::Lacking { reason, found } if model_completes_rows => {
            let text = embedded_pdf::read_text_or_save(context, tab, order.eid).await?;
            return Ok(RowsOutcome::Lacking(LackingRows { reason, found, text }));
        }
        StructureRows::Complete(found) | StructureRows::Lacking { found: Some(found), .. } => found,
        StructureRows::Lacking { reason, found: None } => {
            return Err(PageError::new(ErrorCode::NoRows, reason));
        }
    };
    let url: String = tab.run("location.href").await?;
    let keep = |name: &str, text: &str| context.downloads.keep_text(name, text, &url);
    let (text, stored) = store_rows(&found, order.format, keep)?;
    let unread_names = schema.map(|schema| schema.unread_names).unwrap_or_default();
    let effects = list_row_effects(&found, &stored, unread_names);
    Ok(RowsOutcome::Stored { text: format!("{}\n{text}", describe_for_planner(&effects)), effects })
}

/// Reads the rows that the structure of the page gives, once.
async fn read_structure(
    tab: &Tab,
    eid: Option<u32>,
    schema: Option<&RowSchema>,
) -> Result<StructureRows, PageError> {
    if schema.is_some_and(|schema| schema.fields.iter().all(|field| field.kind.is_nested())) {
        return Ok(StructureRows::Lacking { reason: NESTED.to_owned(), found: None });
    }
    let (frame_tab, inner) = tab.document_of(eid);
    let flat = schema.map_or(Value::Null, RowSchema::flat);
    let mut found: FoundRows = match frame_tab.call_script(&format!("rows({inner}, {flat})")).await {
        // The page script tells by this code that nothing on the page is a row.
        Err(PageError { code: ErrorCode::NoRows, message, .. }) => {
            return Ok(StructureRows::Lacking { reason: message, found: None });
        }
        found => found?,
    };
    let missing_required = schema.map(|schema| fit_rows(schema, &mut found)).unwrap_or_default();
    if missing_required.is_empty() {
        return Ok(StructureRows::Complete(found));
    }
    let reason = format!("the rows of the page's structure lack: {}", missing_required.join(", "));
    Ok(StructureRows::Lacking { reason, found: Some(found) })
}

/// Writes rows in both formats and stores them by `keep`. Returns the text and the file in the one that is wanted.
pub fn store_rows(
    found: &FoundRows,
    format: Option<RowFormat>,
    keep: impl Fn(&str, &str) -> Result<StoredFile, FilesError>,
) -> Result<(String, StoredFile), PageError> {
    let fault =
        |fault: String| PageError::new(ErrorCode::NoFile, format!("the rows cannot be stored: {fault}"));
    let json = ("rows.json", write_json(&found.rows));
    let csv = ("rows.csv", write_csv(&found.columns, &found.rows).map_err(fault)?);
    let (wanted, other) = match format.unwrap_or(RowFormat::Json) {
        RowFormat::Json => (json, csv),
        RowFormat::Csv => (csv, json),
    };
    let stored = keep(wanted.0, &wanted.1).map_err(|why| fault(why.to_string()))?;
    // The rows are there; a person who wants the other format converts them.
    let _ = keep(other.0, &other.1);
    Ok((wanted.1, stored))
}

/// Lists what is to be known about stored rows; `unread_names` are names of the schema that are no fields of a row.
pub fn list_row_effects(
    found: &FoundRows,
    stored: &StoredFile,
    unread_names: Vec<String>,
) -> Vec<ActionEffect> {
    let mut effects = vec![ActionEffect::RowsStored { count: found.rows.len(), file: stored.name.clone() }];
    if found.left_out > 0 {
        effects.push(ActionEffect::RowsOverBound {
            count: found.left_out,
            most: MAX_ROWS.min(found.rows.len()),
        });
    }
    if !found.unfit.is_empty() {
        let names = found.unfit.iter().map(|(name, count)| format!("{name} ({count})")).collect();
        effects.push(ActionEffect::ValuesUnfit { names });
    }
    if !found.missing.is_empty() {
        effects.push(ActionEffect::ColumnsMissing { names: found.missing.clone() });
    }
    if !unread_names.is_empty() {
        effects.push(ActionEffect::NamesUnread { names: unread_names });
    }
    effects
}

/// Gives the rows the types and columns of the schema. Returns the names of what the schema requires and the rows lack:
/// fields that the structure does not give, and values of another type.
fn fit_rows(schema: &RowSchema, found: &mut FoundRows) -> Vec<String> {
    let mut missing_required = Vec::new();
    found.columns = schema.columns();
    for field in &schema.fields {
        if field.kind.is_nested() {
            found.missing.push(field.name.clone());
        }
        let (misfits, emptied) = fit_column(field, &mut found.rows);
        if emptied > 0 {
            *found.unfit.entry(field.name.clone()).or_default() += emptied;
        }
        let empty = found.rows.iter().filter(|row| row.get(&field.name).is_none_or(Value::is_null)).count();
        let is_sparse = field.required && empty * 2 > found.rows.len();
        if misfits > 0 || is_sparse || field.kind.is_nested() {
            missing_required.push(field.name.clone());
        }
    }
    let order = |row: &Row| {
        let cell = |name: &String| (name.clone(), row.get(name).cloned().unwrap_or_default());
        found.columns.iter().map(cell).collect::<Row>()
    };
    found.rows = found.rows.iter().map(order).collect();
    missing_required
}

/// Converts the values of a column. Returns the number of those that have another type, and of those among them that
/// were left empty: a day in another form stays.
fn fit_column(field: &RowField, rows: &mut [Row]) -> (usize, usize) {
    let (mut misfits, mut emptied) = (0, 0);
    for value in rows.iter_mut().filter_map(|row| row.get_mut(&field.name)) {
        match fit_value(&field.kind, value) {
            Ok(fitted) => *value = fitted,
            Err(_) if field.kind == ValueKind::Date => misfits += 1,
            Err(_) => {
                *value = Value::Null;
                misfits += 1;
                emptied += 1;
            }
        }
    }
    (misfits, emptied)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn fit(schema: Value, rows: Value) -> (Vec<String>, Value) {
        let schema = RowSchema::parse(schema.as_object().expect("an object")).expect("a schema");
        let rows: Vec<Row> = serde_json::from_value(rows).expect("rows");
        let mut found =
            FoundRows { columns: Vec::new(), rows, missing: Vec::new(), left_out: 0, unfit: BTreeMap::new() };
        let missing_required = fit_rows(&schema, &mut found);
        (missing_required, json!(found.rows))
    }

    #[test]
    fn rows_of_the_structure_get_the_types_of_the_schema_or_lack_them() {
        let schema = json!({"type": "object", "required": ["price"], "properties": {
            "name": {"type": "string"},
            "price": {"type": "number"},
            "state": {"enum": ["in_stock", "sold_out"]},
            "added": {"type": "string", "format": "date"},
        }});
        let row = |price: Value, state: &str, added: &str| json!({"name": "Lamp", "price": price, "state": state, "added": added});
        let (missing_required, rows) =
            fit(schema.clone(), json!([row(json!(20), "In stock", "May 4, 2026")]));
        assert!(missing_required.is_empty(), "{missing_required:?}");
        assert_eq!(rows[0], json!({"name": "Lamp", "price": 20, "state": "in_stock", "added": "2026-05-04"}));
        let (missing_required, rows) = fit(schema, json!([row(Value::Null, "soon", "05/04/2026")]));
        assert_eq!(missing_required, ["price", "state", "added"]);
        assert_eq!(rows[0], json!({"name": "Lamp", "price": null, "state": null, "added": "05/04/2026"}));
    }

    #[test]
    fn what_is_left_out_is_told() {
        let row = |price: Value| json!({"price": price});
        let rows = json!([row(json!(20)), row(json!({"of": 1})), row(json!(null))]);
        let schema = json!({"type": "object", "properties": {"price": {"type": "number"}}});
        let schema = RowSchema::parse(schema.as_object().expect("an object")).expect("a schema");
        let mut found: FoundRows = serde_json::from_value(json!({
            "columns": [], "rows": rows, "missing": [], "left_out": 7, "unfit": {"price": 1},
        }))
        .expect("found rows");
        fit_rows(&schema, &mut found);
        let stored = StoredFile { name: String::from("rows.json"), size: 1 };
        assert_eq!(
            describe_for_planner(&list_row_effects(&found, &stored, Vec::new())),
            "3 rows in rows.json; 7 more rows left out: only the first 3 are read; left empty, as of another \
             type: price (2)"
        );
    }

    #[test]
    fn values_within_values_are_not_given_by_the_structure() {
        let schema = json!({"type": "object", "properties": {
            "name": {"type": "string"}, "tags": {"type": "array", "items": {"type": "string"}},
        }});
        let (missing_required, rows) = fit(schema, json!([{"name": "Lamp"}]));
        assert_eq!(
            (missing_required, &rows[0]),
            (vec![String::from("tags")], &json!({"name": "Lamp", "tags": null}))
        );
    }
}
