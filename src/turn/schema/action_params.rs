//! Parameters of the actions as a model is asked for them. Actions with equal parameters share one row, so that their
//! names stand in one `enum`; a click has a short row besides. A seldom parameter is left out, and read all the same. Words about
//! them stand in the system message, since some endpoints use the schema for a grammar only and never show it to the
//! model.

use crate::turn::action::PAGE_TOOL;
use serde_json::{Map, Value, json};

/// Kind of a parameter's value; `May…` kinds may be null.
#[derive(Clone, Copy, Debug)]
pub(crate) enum ParamKind {
    Text,
    MayText,
    Whole,
    MayWhole,
    Number,
    MayNumber,
    Flag,
    Word(&'static [&'static str]),
    MayWord(&'static [&'static str]),
    TextOrTexts,
    MayTexts,
    Texts,
    /// Elements with either `text`, which also names an option, or `checked`.
    Fields,
    Point,
}

/// Circumstance without which a row is of no use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Needs {
    Nothing,
    /// A page, of which no picture can be asked for.
    Page,
    /// A file of the run.
    File,
    /// A picture of the page in the request.
    Picture,
    /// An open dialog of the page.
    Dialog,
    /// A page, of which a picture can be asked for.
    Look,
}

/// Row of the table: actions that take the same parameters.
#[derive(Debug)]
pub(crate) struct ParamRow {
    pub actions: &'static [&'static str],
    pub needs: Needs,
    pub params: &'static [(&'static str, ParamKind)],
}

const fn row(
    actions: &'static [&'static str],
    needs: Needs,
    params: &'static [(&'static str, ParamKind)],
) -> ParamRow {
    ParamRow { actions, needs, params }
}

const EID: (&str, ParamKind) = ("eid", ParamKind::Whole);
const BUTTONS: &[&str] = &["left", "middle", "right"];
const DIRECTIONS: &[&str] = &["up", "down", "left", "right", "top", "bottom"];

/// All rows, in the order in which they are offered. `stop` is a field of the turn.
pub(crate) const ROWS: &[ParamRow] = {
    use Needs::{Dialog, File, Look, Nothing, Page, Picture};
    use ParamKind::*;
    &[
        row(&["navigate"], Nothing, &[("url", Text)]),
        row(&["back", "forward", "reload"], Nothing, &[]),
        row(&["click", "hover"], Nothing, &[EID]),
        row(
            &["click"],
            Nothing,
            &[EID, ("button", Word(BUTTONS)), ("count", Whole), ("modifiers", Texts), ("hold_ms", Whole)],
        ),
        row(&["click", "hover"], Picture, &[("x", Number), ("y", Number)]),
        row(&["type"], Nothing, &[EID, ("text", Text), ("clear", Flag), ("submit", Flag)]),
        row(&["type"], Picture, &[("x", Number), ("y", Number), ("text", Text)]),
        row(&["fill"], Nothing, &[("fields", Fields), ("submit", Flag)]),
        row(&["select"], Nothing, &[EID, ("option", TextOrTexts)]),
        row(&["press"], Nothing, &[("key", Text)]),
        row(&["drag"], Nothing, &[("from_eid", Whole), ("to_eid", Whole)]),
        row(&["drag"], Picture, &[("from", Point), ("to", Point)]),
        row(&["scroll"], Nothing, &[("direction", Word(DIRECTIONS)), ("amount", Number), ("eid", MayWhole)]),
        row(&["wait"], Nothing, &[("seconds", MayNumber), ("text", MayText), ("gone", MayText)]),
        row(&["upload"], File, &[EID, ("file", TextOrTexts)]),
        row(&["dialog"], Dialog, &[("accept", Flag), ("text", MayText)]),
        row(
            &["tab"],
            Nothing,
            &[("operation", Word(&["new", "switch", "close"])), ("tab", MayWhole), ("url", MayText)],
        ),
        row(&["extract"], Page, &[("eid", MayWhole), ("schema", MayText), ("as", MayWord(&["json", "csv"]))]),
        row(
            &["extract"],
            Look,
            &[("eid", MayWhole), ("schema", MayText), ("as", MayWord(&["json", "csv", "picture"]))],
        ),
        row(&["extract"], File, &[("file", Text), ("pages", MayText), ("as", MayWord(&["text", "picture"]))]),
        row(&[PAGE_TOOL], Nothing, &[("name", Text), ("arguments", Text)]),
        row(&["find", "select_text", "need_user"], Nothing, &[("text", Text)]),
        row(&["ask_user"], Nothing, &[("question", Text), ("answer_key", Text), ("options", Texts)]),
        row(
            &["task_manager"],
            Nothing,
            &[("operation", Word(&["get_status", "list", "wait", "cancel"])), ("task_id", MayText)],
        ),
        row(&["recall"], Nothing, &[("query", Text), ("relics", MayTexts)]),
        row(
            &["premove"],
            Nothing,
            &[
                ("operation", Word(&["set", "clear", "list"])),
                ("name", MayText),
                ("agent", MayText),
                ("params", MayText),
            ],
        ),
        row(&["replan"], Nothing, &[("reason", Text)]),
    ]
};

/// Returns a closed object that requires all its properties.
pub(crate) fn closed_object(properties: impl IntoIterator<Item = (String, Value)>) -> Value {
    let properties: Map<String, Value> = properties.into_iter().collect();
    let required: Vec<&String> = properties.keys().collect();
    json!({ "type": "object", "required": required, "properties": properties, "additionalProperties": false })
}

/// Returns a string that is one of `words`.
pub(crate) fn word_of(words: &[&str]) -> Value {
    json!({ "type": "string", "enum": words })
}

/// Returns the object of a row's parameters.
pub(crate) fn params_schema(row: &ParamRow) -> Value {
    closed_object(row.params.iter().map(|(name, kind)| ((*name).to_owned(), kind_schema(*kind))))
}

fn kind_schema(kind: ParamKind) -> Value {
    let texts = || json!({ "type": "array", "items": { "type": "string" } });
    match kind {
        ParamKind::Text => json!({ "type": "string" }),
        ParamKind::MayText => json!({ "type": ["string", "null"] }),
        ParamKind::Whole => json!({ "type": "integer" }),
        ParamKind::MayWhole => json!({ "type": ["integer", "null"] }),
        ParamKind::Number => json!({ "type": "number" }),
        ParamKind::MayNumber => json!({ "type": ["number", "null"] }),
        ParamKind::Flag => json!({ "type": "boolean" }),
        ParamKind::Word(words) => word_of(words),
        ParamKind::MayWord(words) => {
            let words = words.iter().map(|word| json!(word)).chain([Value::Null]).collect::<Vec<_>>();
            json!({ "type": ["string", "null"], "enum": words })
        }
        ParamKind::TextOrTexts => json!({ "anyOf": [{ "type": "string" }, texts()] }),
        ParamKind::MayTexts => json!({ "type": ["array", "null"], "items": { "type": "string" } }),
        ParamKind::Texts => texts(),
        ParamKind::Fields => {
            let values = [("text", "string"), ("checked", "boolean")];
            let field = |(name, kind): (&str, &str)| {
                closed_object([
                    (String::from("eid"), json!({ "type": "integer" })),
                    (name.to_owned(), json!({ "type": kind })),
                ])
            };
            json!({ "type": "array", "items": { "anyOf": values.map(field) } })
        }
        ParamKind::Point => {
            closed_object(["x", "y"].map(|name| (name.to_owned(), json!({ "type": "number" }))))
        }
    }
}
