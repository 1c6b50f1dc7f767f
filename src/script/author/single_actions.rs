//! Splitting of `fill` into the single actions that a script has.

use crate::agent_spec::types::script::Makes;
use crate::script::recording::{ActionElements, RecordedAction};
use serde_json::{Map, Value, json};

/// Returns the actions with each `fill` as one action for each of its fields.
pub fn split_fills(actions: &[RecordedAction]) -> Vec<RecordedAction> {
    actions.iter().flat_map(split_fill).collect()
}

fn split_fill(deed: &RecordedAction) -> Vec<RecordedAction> {
    let fields = deed.params.get("fields").and_then(Value::as_array).filter(|_| deed.action == "fill");
    let (Some(fields), Some(elements)) = (fields, &deed.elements) else { return vec![deed.clone()] };
    // A field that was not found again would shift the others.
    if fields.len() != elements.targets.len() {
        return vec![deed.clone()];
    }
    let submits = deed.params.get("submit") == Some(&json!(true));
    let mut single: Vec<RecordedAction> = fields
        .iter()
        .zip(&elements.targets)
        .map(|(field, target)| {
            let (action, params) = single_params(field);
            let elements = ActionElements {
                targets: vec![target.clone()],
                secret: elements.secret && action == "type",
                makes: state_of(field),
                ..ActionElements::default()
            };
            RecordedAction { action, params, elements: Some(elements), ..deed.clone() }
        })
        .collect();
    if submits && let Some(last) = single.iter_mut().rev().find(|one| one.action == "type") {
        last.params.insert(String::from("submit"), json!(true));
    }
    single
}

/// Returns the state in which a field that is ticked or not is left.
fn state_of(field: &Value) -> Option<Makes> {
    let checked = field.get("checked")?.as_bool()?;
    Some(if checked { Makes::Checked } else { Makes::Unchecked })
}

/// Returns the action that a field of `fill` stands for, with its parameters.
fn single_params(field: &Value) -> (String, Map<String, Value>) {
    let given = |name: &str| field.get(name).filter(|value| !value.is_null()).cloned();
    let (action, name, value) = match (given("text"), given("option")) {
        (Some(text), _) => ("type", "text", Some(text)),
        (None, Some(option)) => ("select", "option", Some(option)),
        (None, None) => ("click", "", None),
    };
    (action.to_owned(), value.into_iter().map(|value| (name.to_owned(), value)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agent_spec::types::script::Target;

    #[test]
    fn a_fill_becomes_one_action_for_each_field() {
        let params = json!({"submit": true, "fields": [
            {"eid": 1, "text": "Anna"}, {"eid": 2, "option": "Lviv"}, {"eid": 3, "checked": true}]});
        let target = |name: &str| Target { name: name.to_owned(), ..Target::default() };
        let targets = ["Name", "City", "News"].map(target).to_vec();
        let deed = RecordedAction {
            action: String::from("fill"),
            params: params.as_object().cloned().unwrap_or_default(),
            elements: Some(ActionElements { targets, ..ActionElements::default() }),
            ok: true,
            ..RecordedAction::default()
        };
        let split = split_fills(std::slice::from_ref(&deed));
        let written: Vec<(&str, String)> =
            split.iter().map(|one| (one.action.as_str(), json!(one.params).to_string())).collect();
        assert_eq!(
            written,
            [
                ("type", String::from(r#"{"text":"Anna","submit":true}"#)),
                ("select", String::from(r#"{"option":"Lviv"}"#)),
                ("click", String::from("{}")),
            ]
        );
        let unknown = RecordedAction { elements: None, ..deed };
        assert_eq!(split_fills(std::slice::from_ref(&unknown)), [unknown]);
    }
}
