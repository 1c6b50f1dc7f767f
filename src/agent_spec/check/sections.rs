//! Checks of an agent by itself, without its lanes and other agents: names, sections, executors, limits.

use crate::agent_name;
use crate::agent_spec::agent_lookup::is_agent_name;
use crate::agent_spec::check::script::faults_of_script;
use crate::agent_spec::check::{conversation_parts, variable_types};
use crate::agent_spec::mcp_tools::is_callable;
use crate::agent_spec::parse::fault::SpecFault;
use crate::agent_spec::types::env;
use crate::agent_spec::types::executor::{Browser, Llm, Python, Shell};
use crate::agent_spec::types::spec::{AgentSpec, Kind};
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::{Component, Path};

const NAME: &str = "must be a-z, 0-9 and _, begin with a letter, and have at most 64 characters";

/// Names that are paths of the API, such as `/api/agents/validate`.
const RESERVED: [&str; 3] = ["validate", "import", "faults"];

pub fn check(spec: &AgentSpec, found: &mut Vec<SpecFault>) {
    if !is_agent_name(&spec.name) {
        found.push(SpecFault::new("name", NAME));
    }
    if RESERVED.contains(&spec.name.as_str()) {
        found.push(SpecFault::new("name", format!("\"{}\" is a word of the API; choose another", spec.name)));
    }
    if agent_name::is_service_agent(&spec.name) {
        found.push(SpecFault::new(
            "name",
            format!("\"{}\" is an agent of the service's own; choose another", spec.name),
        ));
    }
    check_sections(spec, found);
    check_names("inputs", spec.inputs.iter().map(|variable| &variable.name), found);
    check_names("locals", spec.locals.iter().map(|local| &local.name), found);
    check_names("outputs", spec.outputs.iter().map(|variable| &variable.name), found);
    variable_types::check("inputs", &spec.inputs, found);
    variable_types::check("outputs", &spec.outputs, found);
    check_locals(spec, found);
    check_limits(spec, found);
    if let Some(llm) = &spec.llm {
        check_llm(spec, llm, found);
    }
    if let Some(python) = &spec.python {
        check_python(spec, python, found);
    }
    if let Some(shell) = &spec.shell {
        check_shell(shell, found);
    }
    if let Some(browser) = &spec.browser {
        check_browser(browser, found);
    }
}

/// Checks that exactly the section of the agent's kind is present.
fn check_sections(spec: &AgentSpec, found: &mut Vec<SpecFault>) {
    let sections = spec.sections();
    match spec.kind {
        Kind::Atomic => {
            if sections.len() != 1 {
                let message =
                    "must have exactly one of llm, python, shell, browser, since its kind is atomic";
                found.push(SpecFault::new(sections.get(1).copied().unwrap_or_default(), message));
            }
            if spec.graph.is_some() {
                let message = "belongs to a composite agent; write kind: composite or leave it out";
                found.push(SpecFault::new("graph", message));
            }
        }
        Kind::Composite => {
            for section in sections {
                let message = "belongs to an atomic agent; write kind: atomic or leave it out";
                found.push(SpecFault::new(section, message));
            }
            if spec.graph.is_none() {
                found.push(SpecFault::new("graph", "is missing; a composite agent has a graph with lanes"));
            }
        }
    }
}

fn check_names<'s>(path: &str, names: impl Iterator<Item = &'s String>, found: &mut Vec<SpecFault>) {
    let mut seen = BTreeSet::new();
    for (index, name) in names.enumerate() {
        let begins = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
        let path = format!("{path}[{index}].name");
        if !begins || !name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
            let message = format!("\"{name}\" must be letters, digits and _, and begin with a letter");
            found.push(SpecFault::new(path.clone(), message));
        }
        if name.starts_with("__") {
            let message =
                format!("\"{name}\" begins with __, as what is not the author's own; write another");
            found.push(SpecFault::new(path.clone(), message));
        }
        if !seen.insert(name) {
            found.push(SpecFault::new(path, format!("\"{name}\" appears twice")));
        }
    }
}

/// Checks that locals and inputs have different names, as they share one context.
fn check_locals(spec: &AgentSpec, found: &mut Vec<SpecFault>) {
    for (index, local) in spec.locals.iter().enumerate() {
        if spec.inputs.iter().any(|input| input.name == local.name) {
            let message = format!("\"{}\" is an input already; give the local a name of its own", local.name);
            found.push(SpecFault::new(format!("locals[{index}].name"), message));
        }
    }
}

fn check_limits(spec: &AgentSpec, found: &mut Vec<SpecFault>) {
    let Some(limits) = &spec.limits else { return };
    let Ok(Value::Object(members)) = serde_json::to_value(limits) else { return };
    for (name, value) in members {
        let least = if name.ends_with("depth") { 0.0 } else { f64::MIN_POSITIVE };
        if value.as_f64().is_some_and(|number| number < least) {
            let message = "must be more than 0; leave it out for the default";
            found.push(SpecFault::new(format!("limits.{name}"), message));
        }
    }
}

fn check_llm(spec: &AgentSpec, llm: &Llm, found: &mut Vec<SpecFault>) {
    check_filled("llm.prompt", &llm.prompt, found);
    if llm.temperature.is_some_and(|heat| !(0.0..=2.0).contains(&heat)) {
        found.push(SpecFault::new("llm.temperature", "must be from 0 to 2"));
    }
    check_uses("llm.uses", &llm.uses, found);
    conversation_parts::check("llm", llm.knowledge.as_ref(), llm.premoves.as_ref(), found);
    if llm.parse_json {
        return;
    }
    for (index, output) in spec.outputs.iter().enumerate() {
        if !variable_types::fits("string", variable_types::type_of_variable(output)) {
            let message = "cannot come of a model's words alone";
            let fault = SpecFault::new(format!("outputs[{index}].type"), message);
            found.push(fault.hint("write parse_json: true in the section llm, or leave the type out"));
        }
    }
}

fn check_python(spec: &AgentSpec, python: &Python, found: &mut Vec<SpecFault>) {
    check_filled("python.code", &python.code, found);
    check_seconds("python.timeout_s", python.timeout_s, found);
    if spec.outputs.is_empty() && !python.files.may_write() {
        let message = "has no outputs, so nothing that the code finds leaves it";
        found.push(SpecFault::warning("python", message).hint("write outputs: [{name: …}]"));
    }
}

fn check_shell(shell: &Shell, found: &mut Vec<SpecFault>) {
    check_filled("shell.command", &shell.command, found);
    check_seconds("shell.timeout_s", shell.timeout_s, found);
    let stays = |cwd: &str| {
        let plain = |part: Component<'_>| matches!(part, Component::Normal(_) | Component::CurDir);
        !cwd.contains(['\\', '\0']) && Path::new(cwd).components().all(plain)
    };
    if shell.cwd.as_deref().is_some_and(|cwd| !stays(cwd)) {
        let message = "must be a folder below the agent's own: neither absolute nor with `..`";
        found.push(SpecFault::new("shell.cwd", message));
    }
    for (index, name) in shell.env.iter().enumerate() {
        if let Err(why) = env::may_pass(name) {
            found.push(SpecFault::new(format!("shell.env[{index}]"), format!("has {why}")));
        }
    }
}

fn check_browser(browser: &Browser, found: &mut Vec<SpecFault>) {
    check_uses("browser.uses", &browser.uses, found);
    conversation_parts::check("browser", browser.knowledge.as_ref(), browser.premoves.as_ref(), found);
    if let Some(start) = &browser.start_url {
        // Templates are checked once they are rendered.
        let address = url::Url::parse(start).is_ok_and(|url| matches!(url.scheme(), "http" | "https"));
        let own = start.starts_with('/') && !start.starts_with("//");
        if !address && !own && !start.contains("{{") && !start.contains("{%") {
            let message =
                "must be an address that begins with http:// or https://, or a path of this service";
            found.push(SpecFault::new("browser.start_url", message));
        }
    }
    for (index, host) in browser.allowed_hosts.iter().flatten().enumerate() {
        if host.is_empty() || host.contains('/') || host.contains(char::is_whitespace) {
            let message = format!("\"{host}\" must be a host such as shop.example or shop.example:8080");
            found.push(SpecFault::new(format!("browser.allowed_hosts[{index}]"), message));
        }
    }
    found.extend(faults_of_script(browser).into_iter().map(|(path, message)| SpecFault::new(path, message)));
    if browser.language.as_deref().is_some_and(|tag| !matches!(tag, "uk" | "en")) {
        found.push(SpecFault::new("browser.language", "must be uk or en"));
    }
    // The profile becomes the name of a folder.
    if browser.profile.as_ref().is_some_and(|name| !is_agent_name(name)) {
        found.push(SpecFault::new("browser.profile", NAME));
    }
}

fn check_uses(path: &str, uses: &[String], found: &mut Vec<SpecFault>) {
    for (index, name) in uses.iter().enumerate() {
        if !is_callable(name) {
            found
                .push(SpecFault::new(format!("{path}[{index}]"), format!("\"{name}\" is not an agent name")));
        }
    }
}

fn check_filled(path: &str, text: &str, found: &mut Vec<SpecFault>) {
    if text.trim().is_empty() {
        found.push(SpecFault::new(path, "is empty"));
    }
}

pub fn check_seconds(path: impl Into<String>, seconds: Option<u64>, found: &mut Vec<SpecFault>) {
    if seconds == Some(0) {
        found.push(SpecFault::new(path, "must be at least 1 second; leave it out for the default"));
    }
}
