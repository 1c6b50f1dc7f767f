//! Rules that every request to a model must follow.

use super::model::Request;
use serde_json::Value;
use std::collections::BTreeSet;

/// Expectations of a test beyond the protocol.
#[derive(Clone, Debug)]
pub struct Rules {
    /// Screenshots are sent with the page.
    pub vision: bool,
    /// Screenshots are sent with some pages.
    pub pictures_vary: bool,
    /// Requests come from several runs, so their system messages may differ.
    pub several_runs: bool,
    /// Required type of `response_format`; `None` if it must be absent.
    pub format: Option<&'static str>,
    /// Requests are those of `llm` agents: they have their own schema, and a system message only if the agent
    /// has one.
    pub llm: bool,
    /// Callers die in the middle of requests.
    pub callers_die: bool,
    /// Expected key; `None` if the `Authorization` header must be absent.
    pub key: Option<&'static str>,
}

impl Default for Rules {
    fn default() -> Self {
        Self {
            vision: false,
            pictures_vary: false,
            several_runs: false,
            format: Some("json_schema"),
            llm: false,
            callers_die: false,
            key: None,
        }
    }
}

/// Schemas of the requests of a conversation.
const CONVERSATION: [&str; 7] =
    ["turn", "plan", "judgement", "summary", "thoughts", "orchestration_plan", "rows"];

/// First words of a summary.
const SUMMARY: &str = "[Previous context summary]";

/// Returns the violations of a request, given the earlier ones.
pub fn violations(request: &Request, before: &[Request], rules: &Rules) -> Vec<String> {
    let mut faults = Vec::new();
    if request.body["model"].as_str().is_none_or(str::is_empty) {
        faults.push(String::from("no model is named"));
    }
    let expected = rules.key.map(|key| format!("Bearer {key}"));
    if request.authorization != expected {
        faults.push(format!("authorization is {:?}, not {expected:?}", request.authorization));
    }
    format(&request.body, rules, &mut faults);
    roles(request, before, rules, &mut faults);
    fences(request, before, &mut faults);
    results(request, &mut faults);
    pictures(request, rules, &mut faults);
    faults
}

fn format(body: &Value, rules: &Rules, faults: &mut Vec<String>) {
    let format = &body["response_format"];
    let kind = format["type"].as_str();
    // After a refusal, less may be requested of the endpoint, but never more than the rule says.
    let stepped_down = rules.format == Some("json_schema") && kind == Some("json_object");
    if kind != rules.format && !stepped_down {
        faults.push(format!("response_format is {kind:?}, not {:?}", rules.format));
    }
    if kind == Some("json_schema") {
        let asked = &format["json_schema"];
        let names: &[&str] = if rules.llm { &["output"] } else { &CONVERSATION };
        if !asked["name"].as_str().is_some_and(|name| names.contains(&name)) || asked["strict"] != true {
            faults.push(format!("the schema {} is not a strict one of {names:?}", asked["name"]));
        }
        strict(&asked["schema"], "schema", faults);
    }
}

/// Checks strict mode: all objects are closed and require all of their properties.
fn strict(schema: &Value, path: &str, faults: &mut Vec<String>) {
    if let Some(properties) = schema["properties"].as_object() {
        let required: BTreeSet<&str> =
            schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        if schema["additionalProperties"] != false
            || required != properties.keys().map(String::as_str).collect()
        {
            faults.push(format!("{path} is not a closed object that requires all of its properties"));
        }
        properties.iter().for_each(|(name, property)| strict(property, &format!("{path}.{name}"), faults));
    } else if schema["type"] == "object" {
        faults.push(format!("{path} is a free-form object"));
    }
    if schema["items"].is_object() {
        strict(&schema["items"], &format!("{path}[]"), faults);
    }
    for variant in schema["anyOf"].as_array().into_iter().flatten() {
        strict(variant, path, faults);
    }
}

fn roles(request: &Request, before: &[Request], rules: &Rules, faults: &mut Vec<String>) {
    let roles: Vec<&str> = request.messages().iter().filter_map(|message| message["role"].as_str()).collect();
    if rules.llm && !roles.contains(&"system") {
        // No system message is needed.
    } else if roles.first() != Some(&"system") {
        faults.push(String::from("the first message must be the system's"));
    }
    // A summary of earlier entries may follow, if the endpoint accepts two system messages (S2.32).
    let further: Vec<&Value> =
        request.messages().iter().skip(1).filter(|message| message["role"] == "system").collect();
    let is_summary = |text: &Value| text.as_str().is_some_and(|text| text.starts_with(SUMMARY));
    let takes_two = rules.format == Some("json_schema");
    if further.iter().any(|message| !takes_two || !is_summary(&message["content"])) {
        faults.push(String::from("only a summary may be a further message of the system"));
    }
    if roles.last() != Some(&"user") {
        faults.push(String::from("the last message must be the user's"));
    }
    if roles.windows(2).any(|pair| pair[0] == pair[1] && pair[0] != "system") {
        faults.push(format!("roles must take turns: {roles:?}"));
    }
    // Each kind of request has its own system message.
    let standing = |request: &Request| {
        let first = request.messages().first().and_then(|message| message["content"].as_str());
        let first = first.unwrap_or_default();
        if takes_two { first } else { first.split(SUMMARY).next().unwrap_or_default() }.to_owned()
    };
    let alike = before.iter().rev().find(|earlier| earlier.schema_name() == request.schema_name());
    let changed = alike.is_some_and(|earlier| standing(earlier) != standing(request));
    if changed && !rules.several_runs {
        faults.push(String::from("the system message has changed within a run"));
    }
}

fn fences(request: &Request, before: &[Request], faults: &mut Vec<String>) {
    let page = request.shown();
    let Some(first) = page.lines().next() else { return };
    let nonce =
        first.strip_prefix("<page nonce=\"").and_then(|rest| rest.split('"').next()).unwrap_or_default();
    if nonce.len() < 6 {
        faults.push(format!("the nonce {nonce:?} can be guessed"));
    }
    if page.lines().last() != Some(format!("</page nonce=\"{nonce}\">").as_str()) {
        faults.push(String::from("the page's closing fence does not bear the nonce of the opening one"));
    }
    if before.iter().any(|earlier| earlier.shown().starts_with(&format!("<page nonce=\"{nonce}\""))) {
        faults.push(String::from("a nonce was used twice"));
    }
    let text = request.last_text();
    for opened in outside_fences(&text).1.iter().filter(|opened| **opened != nonce) {
        faults.push(format!("a fence bears {opened:?} and not the page's nonce"));
    }
}

/// Returns the lines outside all fences, and the nonces of the fences.
fn outside_fences(text: &str) -> (Vec<&str>, Vec<&str>) {
    let (mut outside, mut nonces) = (Vec::new(), Vec::new());
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let opened =
            ["page", "returned", "evidence", "conversation", "part", "before"].into_iter().find_map(|name| {
                Some((name, line.strip_prefix(&format!("<{name} nonce=\"")[..])?.split('"').next()?))
            });
        match opened {
            Some((name, nonce)) => {
                nonces.push(nonce);
                let closing = format!("</{name} nonce=\"{nonce}\">");
                lines.by_ref().find(|line| *line == closing);
            }
            None => outside.push(line),
        }
    }
    (outside, nonces)
}

/// Checks that each result follows the turn with its action.
fn results(request: &Request, faults: &mut Vec<String>) {
    let mut known: BTreeSet<String> = BTreeSet::new();
    for message in request.messages() {
        let text = match &message["content"] {
            Value::String(text) => text.clone(),
            Value::Array(parts) => parts.iter().filter_map(|part| part["text"].as_str()).collect(),
            _ => String::new(),
        };
        if message["role"] == "assistant" {
            let turn: Value = serde_json::from_str(&text).unwrap_or_default();
            let actions = turn["actions"].as_array().cloned().unwrap_or_default();
            known = actions.iter().filter_map(|call| call["action_id"].as_str().map(str::to_owned)).collect();
            if actions.is_empty() {
                known.insert(String::from("a1"));
            }
        }
        for line in outside_fences(&text).0.into_iter().filter(|_| message["role"] == "user") {
            if let Some(id) = line.strip_prefix("result ").and_then(|rest| rest.split(' ').next())
                && !known.contains(id)
            {
                faults.push(format!("a result of {id} stands without its action"));
            }
        }
    }
}

fn pictures(request: &Request, rules: &Rules, faults: &mut Vec<String>) {
    let all = request.messages();
    let with_picture = |message: &Value| {
        let parts = message["content"].as_array();
        parts.is_some_and(|parts| parts.iter().any(|part| part["type"] == "image_url"))
    };
    let (last, earlier) = all.split_last().map_or((None, all), |(last, earlier)| (Some(last), earlier));
    if earlier.iter().any(with_picture) {
        faults.push(String::from("an earlier message holds a picture"));
    }
    match (last.is_some_and(with_picture), rules.vision, request.shown().is_empty()) {
        _ if rules.pictures_vary => {}
        (true, false, _) => faults.push(String::from("a picture was sent to an agent without vision")),
        (false, true, false) => faults.push(String::from("the page came without its picture")),
        _ => {}
    }
    if let Some(Value::Array(parts)) = last.map(|message| &message["content"]) {
        let url = parts.iter().find_map(|part| part["image_url"]["url"].as_str()).unwrap_or_default();
        if !url.starts_with("data:image/jpeg;base64,") {
            faults.push(String::from("the picture is no JPEG data URL"));
        }
    }
}
