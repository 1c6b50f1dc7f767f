//! Schema and parser of a plan that a model writes: goals and the evidence that they are reached (S2.33).
//! Tools and parameters of older plans are ignored (S2.2).

use crate::model::role_requests::closed_object_schema;
use crate::plan::edit::clean_text;
use crate::plan::{Item, Predicate};
use crate::text::invisible_chars;
use crate::turn::lenient_parse::parse_number;
use serde_json::{Value, json};

/// Returns the schema of a plan, following the rules of strict mode.
pub(crate) fn schema() -> Value {
    let text = || json!({"type": "string"});
    let list = |of: Value| json!({"type": "array", "items": of});
    let predicate = closed_object_schema(&[
        ("check", json!({"type": "string", "enum": ["url", "text", "file", "variable"]})),
        ("name", json!({"type": ["string", "null"], "description": "of the variable"})),
        ("value", text()),
    ]);
    let item = closed_object_schema(&[
        ("description", text()),
        ("acceptance_criteria", text()),
        ("predicates", list(predicate)),
        ("dependencies", list(json!({"type": "integer"}))),
    ]);
    closed_object_schema(&[
        ("items", list(item)),
        ("open_questions", list(text())),
        ("notes", json!({"type": ["string", "null"]})),
    ])
}

/// Parses the items in their order.
pub(crate) fn parse_items(answer: &Value) -> Result<Vec<Item>, String> {
    let list = ["items", "plan", "steps", "todo"].into_iter().find_map(|name| answer.get(name)?.as_array());
    let list = list.ok_or("`items` (a list) is missing")?;
    let items: Vec<Item> =
        list.iter().enumerate().map(|(index, item)| parse_item(index, item)).collect::<Result<_, _>>()?;
    if let Some(open) = answer["open_questions"].as_array().filter(|open| !open.is_empty()) {
        tracing::info!(?open, "the plan has open questions; they are asked when the work comes to them");
    }
    Ok(items)
}

fn parse_item(index: usize, item: &Value) -> Result<Item, String> {
    let text = |names: &[&str]| {
        let found = names.iter().find_map(|name| item.get(*name)?.as_str());
        found.unwrap_or_default().trim().to_owned()
    };
    let description = match item {
        Value::String(text) => text.trim().to_owned(),
        _ => text(&["description", "goal", "title"]),
    };
    if !invisible_chars::has_visible_char(&description) {
        return Err(format!("item {} has no `description`", index + 1));
    }
    let default_position = u32::try_from(index + 1).unwrap_or(u32::MAX);
    Ok(Item {
        position: parse_number(&item["position"])
            .filter(|position| *position > 0)
            .unwrap_or(default_position),
        description: clean_text(&description),
        acceptance_criteria: clean_text(&text(&["acceptance_criteria", "acceptance"])),
        predicates: values(&item["predicates"]).filter_map(predicate).collect(),
        dependencies: values(&item["dependencies"]).filter_map(parse_number).collect(),
        ..Item::default()
    })
}

/// Parses a predicate. An empty one is dropped, and the judge decides.
fn predicate(value: &Value) -> Option<Predicate> {
    let predicate: Predicate = serde_json::from_value(value.clone()).ok()?;
    let (Predicate::Url { value }
    | Predicate::Text { value }
    | Predicate::File { value }
    | Predicate::Variable { value, .. }) = &predicate;
    (!value.trim().is_empty()).then_some(predicate)
}

fn values(list: &Value) -> impl Iterator<Item = &Value> {
    list.as_array().into_iter().flatten()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::ItemStatus;

    // Goals are parsed; tools, parameters and runtime fields are not (S2.1, S2.2, S2.33).
    #[test]
    fn goals_are_read_and_tools_are_not() {
        let answer = json!({
            "items": [
                {"position": 1, "description": "the cart holds a lamp", "acceptance_criteria": "it is listed",
                 "predicates": [
                    {"check": "text", "name": null, "value": "Lamp"},
                    {"check": "variable", "name": "total", "value": "20"},
                    {"check": "variable", "name": null, "value": "x"},
                    {"check": "url", "name": null, "value": " "}],
                 "dependencies": [], "tool": "python", "parameters": {"code": "1"},
                 "chosen_tool": "python", "tool_input": {}, "status": "COMPLETED", "attempts": 2},
                {"description": "it is paid for", "dependencies": ["1", 9]},
                "a note is kept"
            ],
            "open_questions": ["which lamp?"], "notes": null
        });
        let items = parse_items(&answer).expect("items");
        assert_eq!(items.iter().map(|item| item.position).collect::<Vec<_>>(), [1, 2, 3]);
        assert_eq!((&items[0].chosen_tool, &items[0].tool_input), (&None, &None));
        assert_eq!((items[0].status, items[0].attempts), (ItemStatus::Queued, 0));
        assert_eq!(items[0].predicates.len(), 2, "{:?}", items[0].predicates);
        assert_eq!(items[1].dependencies, [1, 9]);
        assert_eq!(items[2].description, "a note is kept");
        assert_eq!(parse_items(&json!({"items": [], "open_questions": [], "notes": null})), Ok(Vec::new()));
    }

    #[test]
    fn a_reply_without_a_plan_has_a_reason() {
        assert_eq!(parse_items(&json!({"goals": 1})), Err(String::from("`items` (a list) is missing")));
        let nameless = json!({"items": [{"description": "a"}, {"acceptance_criteria": "b"}]});
        assert_eq!(parse_items(&nameless), Err(String::from("item 2 has no `description`")));
        let unseen = json!({"items": [{"description": "\u{200b}\u{1b}"}]});
        assert_eq!(parse_items(&unseen), Err(String::from("item 1 has no `description`")));
        let steering = json!({"items": [{"description": "a\u{1b}[2J\u{202e}b"}]});
        assert_eq!(parse_items(&steering).expect("items")[0].description, "a[2Jb");
    }
}
