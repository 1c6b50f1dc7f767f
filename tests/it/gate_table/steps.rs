//! Steps of a case as actions of the planner, resolved against the page that it is shown.

use super::template::fill_in;
use crate::planner::Solved;
use crate::planner::view::View;
use serde_json::{Map, Value, json};

/// Roles of elements that are typed into, in the order in which they are tried.
const WRITABLE: [&str; 8] =
    ["textbox", "searchbox", "combobox", "spinbutton", "slider", "textarea", "date", "time"];

/// Next move of the planner.
#[derive(Clone, Debug, PartialEq)]
pub enum Move {
    /// Actions of one turn.
    Act(Vec<(String, Value)>),
    /// An action that asks the person, and what the person answers.
    Ask(Value, String),
    /// The end of a turn of the conversation, after which the person says this.
    Say(String),
}

/// Name and parameter of a step, and whether it may fail.
pub fn split_step(step: &Value) -> Solved<(&str, &Value, bool)> {
    if let Some(word) = step.as_str() {
        return Ok((word, &Value::Null, false));
    }
    let map = step.as_object().filter(|map| map.len() == 1);
    let (name, value) = map.and_then(|map| map.iter().next()).ok_or_else(|| format!("no step: {step}"))?;
    match name.as_str() {
        "optional" => split_step(value).map(|(name, value, _)| (name, value, true)),
        name => Ok((name, value, false)),
    }
}

/// Resolves a step against the page and the texts that were shown so far.
pub fn resolve_step(name: &str, value: &Value, view: &View, seen: &[String]) -> Solved<Move> {
    let look = Look { view, seen };
    match name {
        "say" => Ok(Move::Say(look.text(value)?)),
        "ask_user" => {
            let field = |name: &str| value.get(name).and_then(Value::as_str);
            let question = value.as_str().or(field("question")).unwrap_or("Which one?");
            let params = json!({"question": question, "answer_key": field("key").unwrap_or("answer")});
            Ok(Move::Ask(params, field("answer").unwrap_or("none").to_owned()))
        }
        "turn" => {
            let steps = value.as_array().ok_or("a turn is a list of steps")?;
            let actions = steps.iter().map(|step| {
                let (name, value, _) = split_step(step)?;
                look.action(name, value)
            });
            Ok(Move::Act(actions.collect::<Solved<_>>()?))
        }
        name => Ok(Move::Act(vec![look.action(name, value)?])),
    }
}

struct Look<'v> {
    view: &'v View,
    seen: &'v [String],
}

impl Look<'_> {
    /// Returns the action and its parameters.
    fn action(&self, name: &str, value: &Value) -> Solved<(String, Value)> {
        let (action, params) = match name {
            "open" => ("navigate", json!({"url": self.address(value)?})),
            "click" | "hover" => (name, self.on(value, &["button", "count", "modifiers"], &[])?),
            "type" => ("type", self.typing(value)?),
            "select" => {
                let eid = self.eid(&value["in"], &["combobox", "listbox", "select"])?;
                ("select", json!({"eid": eid, "option": self.text(&value["option"])?}))
            }
            "press" => ("press", json!({"key": value})),
            "drag" => {
                let (from, to) = (self.eid(&value["from"], &[])?, self.eid(&value["to"], &[])?);
                ("drag", json!({"from_eid": from, "to_eid": to}))
            }
            "upload" => {
                let eid = self.eid(&value["into"], &["file", "button"])?;
                ("upload", json!({"eid": eid, "file": self.text(&value["file"])?}))
            }
            "dialog" => ("dialog", self.dialog(value)?),
            "tab" => ("tab", self.tab(value)?),
            "wait" => ("wait", json!({"seconds": value})),
            "wait_for" => ("wait", json!({"seconds": 5, "text": self.text(value)?})),
            "scroll" => ("scroll", self.scroll(value)?),
            "extract" | "back" | "forward" | "reload" => (name, json!({})),
            "act" => return self.any(value),
            other => return Err(format!("there is no step `{other}`")),
        };
        Ok((action.to_owned(), params))
    }

    fn text(&self, value: &Value) -> Solved<String> {
        let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        fill_in(&text, self.seen)
    }

    /// Address with its scheme. Control characters at the front are left for the service to judge.
    fn address(&self, value: &Value) -> Solved<String> {
        let text = self.text(value)?;
        let scheme = text.split(['/', '?']).next().unwrap_or_default();
        let has_scheme = scheme.contains(':') && !scheme.contains('@') && !has_port_only(scheme);
        Ok(if has_scheme { text } else { format!("http://{text}") })
    }

    fn typing(&self, value: &Value) -> Solved<Value> {
        let mut params =
            json!({"eid": self.eid(&value["into"], &WRITABLE)?, "text": self.text(&value["text"])?});
        for (field, param) in [("submit", "submit"), ("replace", "clear")] {
            if let Some(given) = value.get(field) {
                params[param] = given.clone();
            }
        }
        Ok(params)
    }

    fn dialog(&self, value: &Value) -> Solved<Value> {
        let word = value.as_str().unwrap_or_default();
        let accept = word == "accept" || value["accept"] == json!(true);
        let mut params = json!({"accept": accept});
        if let Some(text) = value.get("text") {
            params["text"] = json!(self.text(text)?);
        }
        Ok(params)
    }

    fn tab(&self, value: &Value) -> Solved<Value> {
        Ok(match (value.get("new"), value.get("switch")) {
            (Some(address), _) => json!({"operation": "new", "url": self.address(address)?}),
            (_, Some(number)) => json!({"operation": "switch", "tab": number}),
            _ => json!({"operation": "close"}),
        })
    }

    fn scroll(&self, value: &Value) -> Solved<Value> {
        let mut params =
            json!({"direction": value.as_str().or(value["direction"].as_str()).unwrap_or("down")});
        if let Some(amount) = value.get("amount") {
            params["amount"] = amount.clone();
        }
        if let Some(target) = value.get("in") {
            params["eid"] = json!(self.eid(target, &[])?);
        }
        Ok(params)
    }

    /// Parameters of an action on a target, with these fields of it.
    fn on(&self, target: &Value, fields: &[&str], roles: &[&str]) -> Solved<Value> {
        let mut params = json!({"eid": self.eid(target, roles)?});
        for field in fields {
            if let Some(value) = target.get(field) {
                params[*field] = value.clone();
            }
        }
        Ok(params)
    }

    fn any(&self, value: &Value) -> Solved<(String, Value)> {
        let given = value.get("params").and_then(Value::as_object).cloned().unwrap_or_default();
        let mut params = Map::new();
        for (name, value) in given {
            let filled = if value.is_string() { json!(self.text(&value)?) } else { value };
            params.insert(name, filled);
        }
        if let Some(target) = value.get("on") {
            params.insert(String::from("eid"), json!(self.eid(target, &[])?));
        }
        let action = value["action"].as_str().ok_or("`act` needs an action")?;
        Ok((action.to_owned(), Value::Object(params)))
    }

    /// Returns the first element whose name begins so.
    fn beginning_with(&self, name: &str) -> Option<u32> {
        self.view.lines.iter().find(|line| line.name.starts_with(name) && line.eid.is_some())?.eid
    }

    /// Number of the element that a target means: of those of a list, the first that the page shows.
    fn eid(&self, target: &Value, roles: &[&str]) -> Solved<u32> {
        if let Some(targets) = target["first_of"].as_array() {
            let found = targets.iter().find_map(|target| self.eid(target, roles).ok());
            return found.ok_or_else(|| format!("there is none of {target} in\n{}", self.view.text()));
        }
        let role = target["role"].as_str();
        let nth = target["nth"].as_u64().and_then(|nth| usize::try_from(nth).ok()).unwrap_or(0);
        let name = match target.as_str().or(target["name"].as_str()) {
            Some(name) => Some(fill_in(name, self.seen)?),
            None => None,
        };
        let name = name.as_deref();
        let fits = |own: &str, role: &str| own == role;
        let candidates = self.view.lines.iter().filter(|line| {
            line.eid.is_some()
                && role.is_none_or(|role| fits(&line.role, role))
                && name.is_none_or(|name| line.name == name)
        });
        let candidates: Vec<_> = candidates.collect();
        let preferred = roles.iter().find_map(|role| candidates.iter().find(|line| fits(&line.role, role)));
        let found = preferred.filter(|_| nth == 0).or_else(|| candidates.get(nth));
        match (found, name) {
            (Some(line), _) => line.eid(),
            (None, Some(name)) if role.is_none() => match self.view.near(name) {
                Ok(line) => line.eid(),
                Err(fault) => self.beginning_with(name).ok_or(fault),
            },
            _ => Err(format!("there is no {target} in\n{}", self.view.text())),
        }
    }
}

/// True for `beta.example:80`, which is no scheme.
fn has_port_only(text: &str) -> bool {
    text.rsplit_once(':').is_some_and(|(host, port)| {
        host.contains(['.']) && !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit())
    })
}

#[test]
fn targets_are_found_by_role_and_name() {
    use crate::planner::view::Line;
    let line = |at: usize, role: &str, name: &str| Line {
        at,
        role: role.to_owned(),
        name: name.to_owned(),
        eid: u32::try_from(at + 1).ok(),
        ..Line::default()
    };
    let lines = vec![line(0, "button", "Query"), line(1, "textbox", "Query"), line(2, "button", "Send")];
    let view = View { lines, ..View::default() };
    let moved = |step: Value| {
        let (name, value, _) = split_step(&step).unwrap();
        resolve_step(name, value, &view, &[])
    };
    for (step, action, params) in [
        (json!({"type": {"into": "Query", "text": 7}}), "type", json!({"eid": 2, "text": "7"})),
        (json!({"click": {"role": "button", "nth": 1, "count": 3}}), "click", json!({"eid": 3, "count": 3})),
        (json!({"optional": {"click": "Send"}}), "click", json!({"eid": 3})),
        (json!({"open": "beta.example/x"}), "navigate", json!({"url": "http://beta.example/x"})),
        (json!({"open": "javascript:x"}), "navigate", json!({"url": "javascript:x"})),
        (json!({"back": null}), "back", json!({})),
    ] {
        assert_eq!(moved(step).unwrap(), Move::Act(vec![(action.to_owned(), params)]));
    }
    assert!(moved(json!({"click": {"role": "link", "name": "Send"}})).is_err());
}
