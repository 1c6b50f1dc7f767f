//! The JSON Schema of agent files, for editors: every file that ships fits it, it marks what the checks
//! mark, and its copy beside the documents is the one that the service gives.

use crate::support::service::TestService;
use crate::tidy::source::{File, file, files};
use askfirst::agent_spec::check;
use askfirst::agent_spec::schema::editor_schema;
use serde_json::Value;

const COPY: &str = "docs/agent.schema.json";

/// Schema keywords that do not decide whether a value fits.
const WORDS: [&str; 8] =
    ["$schema", "$defs", "title", "description", "default", "examples", "format", "properties"];

/// The place of the first part that does not fit; knows every keyword that the schema has, or panics.
fn fits(root: &Value, schema: &Value, value: &Value, path: &str) -> Result<(), String> {
    let Some(keywords) = schema.as_object() else {
        return if schema == &Value::Bool(true) { Ok(()) } else { Err(format!("{path}: may not be")) };
    };
    for (keyword, keyword_value) in keywords {
        let all = || keyword_value.as_array().unwrap().iter();
        let matching = || all().filter(|one| fits(root, one, value, path).is_ok()).count();
        let number = || value.as_f64().zip(keyword_value.as_f64());
        let fault = match keyword.as_str() {
            word if WORDS.contains(&word) => None,
            "$ref" => {
                fits(root, root.pointer(&keyword_value.as_str().unwrap()[1..]).unwrap(), value, path)?;
                None
            }
            "allOf" => all().find_map(|one| fits(root, one, value, path).err()),
            "oneOf" => (matching() != 1).then(|| format!("{} of oneOf", matching())),
            // The first is what is meant, where the other one is null.
            "anyOf" if matching() > 0 => None,
            "anyOf" => all().find_map(|one| fits(root, one, value, path).err()),
            "not" => fits(root, keyword_value, value, path).is_ok().then(|| String::from("not")),
            "if" => {
                let branch = if fits(root, keyword_value, value, path).is_ok() { "then" } else { "else" };
                keywords.get(branch).and_then(|then| fits(root, then, value, path).err())
            }
            "then" | "else" => None,
            "type" => (!is_of_type(keyword_value, value)).then(|| format!("is not {keyword_value}")),
            "enum" => (!all().any(|one| one == value)).then(|| format!("is none of {keyword_value}")),
            "const" => (keyword_value != value).then(|| format!("is not {keyword_value}")),
            "minimum" => {
                number().filter(|(value, least)| value < least).map(|_| format!("below {keyword_value}"))
            }
            "maximum" => {
                number().filter(|(value, most)| value > most).map(|_| format!("above {keyword_value}"))
            }
            "pattern" => value
                .as_str()
                .filter(|text| !matches(keyword_value, text))
                .map(|_| format!("is not {keyword_value}")),
            "required" => all()
                .find(|name| value.is_object() && value.get(name.as_str().unwrap()).is_none())
                .map(|name| format!("lacks {name}")),
            "items" => {
                for (index, item) in value.as_array().into_iter().flatten().enumerate() {
                    fits(root, keyword_value, item, &format!("{path}[{index}]"))?;
                }
                None
            }
            "additionalProperties" => {
                let known = |name: &str| schema["properties"].get(name).is_some();
                let other = value.as_object().into_iter().flatten().find(|(name, _)| !known(name));
                other.filter(|_| keyword_value == &Value::Bool(false)).map(|(name, _)| format!("has {name}"))
            }
            other => panic!("{path}: teach this test the keyword {other}"),
        };
        if let Some(fault) = fault {
            return Err(format!("{path}: {fault}"));
        }
    }
    for (name, inner) in schema["properties"].as_object().into_iter().flatten() {
        if let Some(found) = value.get(name) {
            fits(root, inner, found, &format!("{path}.{name}"))?;
        }
    }
    Ok(())
}

fn is_of_type(types: &Value, value: &Value) -> bool {
    let is = |kind: &str| match kind {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "string" => value.is_string(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        other => panic!("there is no type {other}"),
    };
    match types {
        Value::Array(kinds) => kinds.iter().any(|kind| is(kind.as_str().unwrap())),
        kind => is(kind.as_str().unwrap()),
    }
}

/// The two patterns that there are.
fn matches(pattern: &Value, text: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    match pattern.as_str().unwrap() {
        "^[a-z][a-z0-9_]{0,63}$" => askfirst::agent_spec::agent_lookup::is_agent_name(text),
        "^[A-Za-z0-9_-]{1,64}$" => (1..=64).contains(&text.len()) && text.chars().all(plain),
        other => panic!("teach this test the pattern {other}"),
    }
}

fn check_schema(text: &str) -> Result<(), String> {
    let schema = editor_schema();
    // YAML 1.2 and editors read `n` and `on` as words.
    let options = serde_saphyr::options! { strict_booleans: true };
    let value: Value = serde_saphyr::from_str_with_options(text, options).unwrap();
    fits(&schema, &schema, &value, "")
}

/// The examples of the document about agent files that are whole files.
fn examples() -> Vec<File> {
    let page = file("docs/agents.md");
    let blocks = page.split("```yaml\n").skip(1).filter_map(|rest| rest.split_once("```"));
    let whole = blocks.map(|(block, _)| block).filter(|block| block.contains("kind:"));
    // Ids are shortened there.
    whole.map(|block| File { path: String::from("docs/agents.md"), text: block.replace('…', "") }).collect()
}

#[test]
fn every_agent_file_that_ships_fits_the_schema() {
    let mut all = files(&["agents", "src/cli/client/agents/skeletons"], "yaml");
    assert!(all.len() >= 15);
    all.extend(examples());
    assert!(all.iter().any(|file| file.path == "docs/agents.md"));
    for File { path, text } in all {
        assert_eq!(check_schema(&text), Ok(()), "{path}");
        assert_eq!(check::examine(&text, None, None).errors().count(), 0, "{path}");
    }
}

// The schema for editors rejects the same files as the service.
#[test]
fn the_schema_marks_what_the_checks_refuse() {
    let atomic = "name: one\nkind: atomic\noutputs: [{name: y}]\n";
    let lanes = "name: one\nkind: composite\ngraph: {lanes: [{items: [{id: a, agent: one, when: WHEN}]}]}\n";
    for (text, fault) in [
        (format!("{atomic}python: {{cod: x}}"), ".python: has cod"),
        (format!("{atomic}titel_ua: x\npython: {{code: x}}"), ": has titel_ua"),
        (atomic.to_owned(), ": 0 of oneOf"),
        (format!("{atomic}python: {{code: x}}\nllm: {{prompt: x}}"), ": 2 of oneOf"),
        (format!("{atomic}python: {{code: x}}\ngraph: {{lanes: []}}"), ": not"),
        (String::from("name: one\nkind: composite"), ": lacks \"graph\""),
        (format!("{}python: {{code: x}}", lanes.replace("WHEN", "{expr: y}")), ": not"),
        (atomic.replace("one", "One") + "python: {code: x}", ".name: is not \"^[a-z]"),
        (
            format!("{atomic}python: {{code: x}}\ninputs: [{{name: a, type: int}}]"),
            ".type: is none of [\"string\"",
        ),
        (format!("{atomic}python: {{code: x, timeout_s: 0}}"), ".python.timeout_s: below 1"),
        (format!("{atomic}llm: {{prompt: x, temperature: 3}}"), ".llm.temperature: above 2"),
        (lanes.replace("WHEN", "{var: a}"), ".when: 0 of oneOf"),
        (lanes.replace("WHEN", "{var: a, equals: 1, exists: true}"), ".when: 2 of oneOf"),
        (lanes.replace("WHEN", "{var: a, expr: b}"), ".when: 0 of oneOf"),
    ] {
        assert!(
            check_schema(&text).is_err_and(|problem| problem.contains(fault)),
            "{text}\n{:?}",
            check_schema(&text)
        );
        assert!(check::examine(&text, None, None).errors().next().is_some(), "{text}");
    }
    for when in ["{var: a, equals: null}", "{var: a, in: [1]}", "{expr: 1 > 0}"] {
        assert_eq!(check_schema(&lanes.replace("WHEN", when)), Ok(()), "{when}");
    }
    assert_eq!(check_schema(&format!("{atomic}executor: python\npython: {{code: x}}")), Ok(()));
}

#[actix_web::test]
async fn the_schema_is_published_and_its_copy_is_in_step() {
    let app = TestService::start();
    let (status, served) = app.get("/api/schema/agent").await;
    assert_eq!((status, &served), (200, &editor_schema()));
    let listed = app.get("/api/schema/").await.1;
    assert!(listed["items"].to_string().contains("\"/api/schema/agent\""), "{listed}");
    app.finish().await;
    let drawn = serde_json::to_string_pretty(&served).unwrap() + "\n";
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(COPY), &drawn).unwrap();
    }
    assert!(file(COPY) == drawn, "run the test with UPDATE_GOLDEN=1 if agent files were meant to change");
}
