//! Rows that a model reads out of a page's text, where the page's structure does not give what `extract` was asked for.
//! A model invents: what does not stand on the page is thrown away, and told.

use crate::browser::error::{ErrorCode, PageError};
use crate::browser::input::outcome::ActionOutcome;
use crate::browser::input::reading::extract_rows::{self, FoundRows, LackingRows};
use crate::browser::messages::Perform;
use crate::engine::program::ProgramError;
use crate::files::DownloadedFile;
use crate::gate::action_judge::ActionJudge;
use crate::model::role_requests::RowsRequest;
use crate::page::extracted_rows::page_words::{InventedValue, PageWords};
use crate::page::extracted_rows::schema::{RowField, RowSchema};
use crate::page::extracted_rows::text_parts::{TextPart, split_text};
use crate::page::extracted_rows::{MAX_ROWS, Row};
use crate::planning::PlanError;
use crate::programs::conversation::effects;
use crate::programs::conversation::questions::budget_check::{self, BudgetState};
use crate::programs::conversation::visit_context::VisitContext;
use crate::protocol::action_effect::ActionEffect;
use crate::secrets::scrub::Replacement;
use crate::text::truncate::truncate;
use crate::texts::effects::describe_for_planner;
use crate::turn::action::{Action, PageAction, RowFormat};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Longest part of a text that one request holds, in bytes.
const PART_BYTES: usize = 16_000;
/// Most parts of a text. A page's text has at most 100,000 characters.
const MAX_PARTS: usize = 12;
/// Most values and faults that a result names.
const MAX_NAMED: usize = 5;

/// Rows that a model read.
#[derive(Default)]
struct Reading {
    rows: Vec<Row>,
    invented: Vec<InventedValue>,
    /// Number of rows after the most that are kept.
    over_bound: usize,
    /// Number of rows of which the page shows nothing.
    dropped: usize,
    /// Reasons why parts of the text were not read.
    unread: Vec<String>,
}

/// Rows to store, with the words before the line that describes them if a model gave none, and what is to be known of
/// how a model read them.
struct DescribedRows {
    found: FoundRows,
    before: String,
    from_model: Vec<ActionEffect>,
}

/// Performs an action. Rows that the structure of the page does not give are read by the agent's model, in the text
/// that the browser read at the same time.
pub async fn perform_action(
    cx: &mut VisitContext,
    perform: Perform,
    judge: &Arc<ActionJudge>,
) -> Result<Result<ActionOutcome, PageError>, ProgramError> {
    let wanted = wanted_rows(&perform.action).map(|(schema, format)| (schema.clone(), format));
    let mut outcome = match effects::perform_in_browser(cx, perform, Arc::clone(judge)).await? {
        Ok(outcome) => outcome,
        Err(fault) => return Ok(Err(fault)),
    };
    let Some((lacking, (schema, format))) = outcome.lacking_rows.take().zip(wanted) else {
        return Ok(Ok(outcome));
    };
    let schema = match RowSchema::parse(&schema) {
        Ok(schema) => schema,
        Err(why) => return Ok(Err(PageError::new(ErrorCode::BadSchema, why))),
    };
    let rows = match complete_rows(cx, &schema, lacking).await? {
        Ok(rows) => rows,
        Err(why) => return Ok(Err(PageError::new(ErrorCode::NoRows, why))),
    };
    let (text, stored) = match effects::store_rows(cx, &rows.found, format).await? {
        Ok(stored) => stored,
        Err(fault) => return Ok(Err(fault)),
    };
    let mut effects = extract_rows::list_row_effects(&rows.found, &stored, schema.unread_names.clone());
    effects.extend(rows.from_model);
    outcome.text = Some(format!("{}{}\n{text}", rows.before, describe_for_planner(&effects)));
    effects.extend((!rows.before.is_empty()).then_some(ActionEffect::ModelGaveNoRows));
    outcome.effects = effects;
    outcome.downloads.push(DownloadedFile { name: stored.name.clone(), url: outcome.url.clone() });
    outcome.files.push(stored);
    Ok(Ok(outcome))
}

/// Returns true if a model may read what the rows of an action lack.
pub fn may_ask_model(cx: &VisitContext, action: &Action) -> bool {
    cx.deps.asks_model() && wanted_rows(action).is_some()
}

/// Returns the schema and the format of the rows that an action asks for by a schema.
fn wanted_rows(action: &Action) -> Option<(&Map<String, Value>, Option<RowFormat>)> {
    match action {
        Action::Page(PageAction::Extract { schema: Some(schema), format, .. }) => Some((schema, *format)),
        _ => None,
    }
}

/// Has a model read the rows; if it cannot, takes those of the structure. The error is the reason if there are none.
async fn complete_rows(
    cx: &mut VisitContext,
    schema: &RowSchema,
    lacking: LackingRows,
) -> Result<Result<DescribedRows, String>, ProgramError> {
    let LackingRows { reason, found, text } = lacking;
    let text = cx.deps.vault.scrub_text(&text, Replacement::Placeholder);
    let reading = read_text(cx, schema, &text).await?;
    if !reading.rows.is_empty() {
        let from_model = reading.list_effects(schema);
        let missing = empty_columns(schema, &reading.rows);
        let left_out = reading.over_bound;
        let columns = schema.columns();
        let found = FoundRows { columns, rows: reading.rows, missing, left_out, unfit: BTreeMap::new() };
        return Ok(Ok(DescribedRows { found, before: String::new(), from_model }));
    }
    let why = reading.describe_failure();
    Ok(match found {
        Some(found) => {
            let before = format!("{why}; from the structure of the page: ");
            Ok(DescribedRows { found, before, from_model: Vec::new() })
        }
        None => Err(format!("{reason}; {why}")),
    })
}

/// Reads a text part by part. Ends early when the budget is used up or no model answers.
async fn read_text(cx: &mut VisitContext, schema: &RowSchema, text: &str) -> Result<Reading, ProgramError> {
    let deps = Arc::clone(&cx.deps);
    let (parts, is_cut) = split_text(text, PART_BYTES, MAX_PARTS);
    let page = PageWords::new(text);
    let mut reading = Reading::default();
    for (at, part) in parts.iter().enumerate() {
        if at > 0 && budget_check::check_budget(cx).await?.0 != BudgetState::Enough {
            reading.unread.push(format!("part {} of {}: the budget is used up", at + 1, parts.len()));
            break;
        }
        let request = RowsRequest {
            locale: cx.state.locale,
            prefers: Some(&deps.thinking.preference),
            schema,
            part: *part,
        };
        match deps.planner.read_rows(&request).await {
            Ok(read) => {
                budget_check::count_usage(cx, &read.usage);
                let only = (parts.len() > 1).then_some(*part);
                reading.add_rows(schema, read.rows, &page, only);
            }
            Err(fault) => {
                budget_check::count_usage(cx, fault.usage());
                reading.unread.push(format!("part {} of {}: {fault}", at + 1, parts.len()));
                if matches!(fault, PlanError::Unavailable { .. }) {
                    break;
                }
            }
        }
    }
    if is_cut {
        reading.unread.push(String::from("the end of the page: it is too long"));
    }
    Ok(reading)
}

impl Reading {
    /// Adds the rows of a part, as far as the page shows them. `part` is the part if there are several: what it does not
    /// show itself was read out of the text before it.
    fn add_rows(&mut self, schema: &RowSchema, rows: Vec<Row>, page: &PageWords, part: Option<TextPart<'_>>) {
        let own = part.map(|part| PageWords::new(part.text));
        for row in rows {
            if self.rows.len() >= MAX_ROWS {
                self.over_bound += 1;
                continue;
            }
            let (checked, invented) = page.check_row(&schema.fields, row);
            let Some(checked) = checked else {
                self.dropped += 1;
                continue;
            };
            let stands_here =
                own.as_ref().is_none_or(|own| own.check_row(&schema.fields, checked.clone()).0.is_some());
            if stands_here {
                self.rows.push(checked);
                self.invented.extend(invented);
            }
        }
    }

    /// Lists what is to be known about how the rows were read.
    fn list_effects(&self, schema: &RowSchema) -> Vec<ActionEffect> {
        let mut effects = vec![ActionEffect::RowsFromModel];
        if !self.invented.is_empty() {
            let named = self
                .invented
                .iter()
                .map(|invented| format!("{} {}", invented.name, truncate(&invented.value.to_string(), 60)));
            let (values, more) = first_texts(named);
            effects.push(ActionEffect::ValuesInvented { values, more });
        }
        if self.dropped > 0 {
            effects.push(ActionEffect::RowsInvented { count: self.dropped });
        }
        let (names, more) = first_texts(lacking_fields(&schema.fields, &self.rows).into_iter());
        if !names.is_empty() {
            effects.push(ActionEffect::FieldsLacking { names, more });
        }
        let (parts, more) = first_texts(self.unread.iter().cloned());
        if !parts.is_empty() {
            effects.push(ActionEffect::TextUnread { parts, more });
        }
        effects
    }

    /// Describes why there are no rows.
    fn describe_failure(&self) -> String {
        match (self.unread.is_empty(), self.dropped) {
            (false, _) => {
                format!(
                    "a model could not read the text of the page ({})",
                    list_some(self.unread.iter().cloned())
                )
            }
            (true, 0) => String::from("a model found no such rows in the text of the page"),
            (true, _) => String::from("a model gave rows of which nothing is on the page"),
        }
    }
}

/// Returns the first texts, and the number of the others.
fn first_texts(texts: impl Iterator<Item = String>) -> (Vec<String>, usize) {
    let mut texts: Vec<String> = texts.collect();
    let more = texts.len().saturating_sub(MAX_NAMED);
    texts.truncate(MAX_NAMED);
    (texts, more)
}

/// Returns the first texts as a list, with the number of the others.
fn list_some(texts: impl Iterator<Item = String>) -> String {
    let (mut texts, more) = first_texts(texts);
    if more > 0 {
        texts.push(format!("and {more} more"));
    }
    texts.join(", ")
}

/// Returns the names of columns without any value.
fn empty_columns(schema: &RowSchema, rows: &[Row]) -> Vec<String> {
    let is_empty = |name: &String| rows.iter().all(|row| row.get(name).is_none_or(Value::is_null));
    schema.columns().into_iter().filter(is_empty).collect()
}

/// Returns the names of required fields that have a value in some rows, and none in others.
fn lacking_fields(fields: &[RowField], rows: &[Row]) -> Vec<String> {
    let required = fields.iter().filter(|field| field.required);
    let lacks = |name: &str| {
        let empty = rows.iter().filter(|row| row.get(name).is_none_or(Value::is_null)).count();
        empty > 0 && empty < rows.len()
    };
    required.filter(|field| lacks(&field.name)).map(|field| field.name.clone()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn schema() -> RowSchema {
        let schema = json!({"type": "object", "required": ["price"], "properties": {
            "name": {"type": "string"}, "price": {"type": "number"},
        }});
        RowSchema::parse(schema.as_object().expect("an object")).expect("a schema")
    }

    fn read(part: Option<TextPart<'_>>, rows: Value) -> Reading {
        let rows: Vec<Row> = serde_json::from_value(rows).expect("rows");
        let mut reading = Reading::default();
        let page = PageWords::new("Lamps. The blue lamp costs 20, the red lamp is sold out.");
        reading.add_rows(&schema(), rows, &page, part);
        reading
    }

    #[test]
    fn what_a_model_invents_is_left_out_and_told() {
        let reading = read(
            None,
            json!([
                {"name": "blue lamp", "price": 20},
                {"name": "red lamp", "price": 35},
                {"name": "golden lamp", "price": 99},
            ]),
        );
        assert_eq!(
            json!(reading.rows),
            json!([{"name": "blue lamp", "price": 20}, {"name": "red lamp", "price": null}])
        );
        let told = describe_for_planner(&reading.list_effects(&schema()));
        for words in ["not on the page: price 35", "1 rows left out", "not told in every row: price"] {
            assert!(told.contains(words), "{told}");
        }
        let reading = read(None, json!([{"name": "golden lamp"}]));
        assert_eq!(reading.describe_failure(), "a model gave rows of which nothing is on the page");
    }

    #[test]
    fn rows_of_the_text_before_a_part_are_not_read_twice() {
        let part = TextPart { before: "The blue lamp costs 20", text: ", the red lamp is sold out." };
        let reading = read(
            Some(part),
            json!([{"name": "blue lamp", "price": 20}, {"name": "red lamp", "price": null}]),
        );
        assert_eq!(json!(reading.rows), json!([{"name": "red lamp", "price": null}]));
        assert_eq!(reading.dropped, 0);
    }

    #[test]
    fn long_lists_are_cut() {
        assert_eq!(list_some((0..8).map(|n| n.to_string())), "0, 1, 2, 3, 4, and 3 more");
        assert_eq!(list_some(std::iter::empty()), "");
    }
}
