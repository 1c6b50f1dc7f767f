//! `askfirst agents new`: creates a valid agent file with comments on every line that one would change.

use crate::agent_spec::agent_lookup::is_agent_name;
use crate::cli::args::agents::{AgentKindArg, Executor, New};
use crate::cli::client::api::{Api, YAML, segment};
use crate::cli::client::error::{ClientError, Exit};
use crate::cli::client::follow::terminal_output;
use reqwest::Method;
use reqwest::header::{CONTENT_TYPE, IF_NONE_MATCH};
use serde_json::json;
use std::io::Write;
use std::path::Path;

/// Name in the skeletons, replaced by the agent's name.
const NAME: &str = "new_agent";

pub async fn new(api: &Api, args: &New) -> Result<Exit, ClientError> {
    if !is_agent_name(&args.name) {
        let words = "an agent's name is a-z, 0-9 and _, begins with a letter, and has at most 64 characters";
        return Err(ClientError::Usage(format!("{words}; \"{}\" is none", args.name)));
    }
    let text = set_titles(text(args.kind, args.executor)?, &titles(args)).replace(NAME, &args.name);
    match &args.output {
        Some(path) if path == Path::new("-") => terminal_output::print(&text),
        Some(path) => {
            let text = schema_line(api) + &text;
            let file = std::fs::OpenOptions::new().write(true).create_new(true).open(path);
            let written = file.and_then(|mut file| file.write_all(text.as_bytes()));
            written.map_err(|fault| {
                ClientError::Usage(format!("{} cannot be written: {fault}", path.display()))
            })?;
            terminal_output::note(&format!("wrote {}", path.display()));
        }
        None => save(api, &args.name, text).await?,
    }
    Ok(Exit::Succeeded)
}

/// Returns the titles in Ukrainian and English: the given ones, else one derived from the name.
fn titles(args: &New) -> [String; 2] {
    let non_blank = |title: &Option<String>| title.clone().filter(|title| !title.trim().is_empty());
    let (ua, en) = (non_blank(&args.title_ua), non_blank(&args.title_en));
    let named = make_title(&args.name);
    [ua.or_else(|| en.clone()).unwrap_or_else(|| named.clone()), en.unwrap_or(named)]
}

/// Turns `count_words` into `Count words`.
fn make_title(name: &str) -> String {
    let words = name.split('_').filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ");
    let mut letters = words.chars();
    letters
        .next()
        .map_or_else(String::new, |first| first.to_uppercase().collect::<String>() + letters.as_str())
}

/// Replaces the titles of the skeleton.
fn set_titles(skeleton: &str, [ua, en]: &[String; 2]) -> String {
    let line = |line: &str| {
        let title =
            [("title_ua: ", ua), ("title_en: ", en)].into_iter().find(|(key, _)| line.starts_with(key));
        // A JSON string is also a valid YAML string.
        title.map_or_else(|| line.to_owned(), |(key, title)| format!("{key}{}\n", json!(title)))
    };
    skeleton.split_inclusive('\n').map(line).collect()
}

/// Returns a line that tells editors where the schema is, or nothing if the service ends with this command.
fn schema_line(api: &Api) -> String {
    let passing = api.access.pid == std::process::id();
    if passing {
        String::new()
    } else {
        format!("# yaml-language-server: $schema={}/api/schema/agent\n", api.access.base)
    }
}

fn text(kind: AgentKindArg, executor: Option<Executor>) -> Result<&'static str, ClientError> {
    match (kind, executor) {
        (AgentKindArg::Atomic, Some(Executor::Llm)) => Ok(include_str!("skeletons/llm.yaml")),
        (AgentKindArg::Atomic, Some(Executor::Python)) => Ok(include_str!("skeletons/python.yaml")),
        (AgentKindArg::Atomic, Some(Executor::Shell)) => Ok(include_str!("skeletons/shell.yaml")),
        (AgentKindArg::Atomic, Some(Executor::Browser)) => Ok(include_str!("skeletons/browser.yaml")),
        (AgentKindArg::Composite, None) => Ok(include_str!("skeletons/composite.yaml")),
        (AgentKindArg::Atomic, None) => {
            Err(ClientError::Usage(String::from("--kind atomic needs --executor")))
        }
        (AgentKindArg::Composite, Some(_)) => Err(ClientError::Usage(String::from(
            "--executor is for --kind atomic; lanes call agents of all kinds",
        ))),
    }
}

async fn save(api: &Api, name: &str, text: String) -> Result<(), ClientError> {
    let request = api.request(Method::PUT, &format!("/api/agents/{}", segment(name)));
    let request = request.header(CONTENT_TYPE, YAML).header(IF_NONE_MATCH, "*").body(text);
    match api.send(request).await {
        Err(ClientError::Refused(refusal)) if matches!(refusal.status, 409 | 412) => {
            let words = format!(
                "there is an agent {name} already; choose another name, or see it with `askfirst agents show {name}`"
            );
            Err(ClientError::Usage(words))
        }
        done => {
            done?;
            terminal_output::note(&format!("saved {name}; `askfirst agents show {name} --yaml` prints it"));
            Ok(())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agent_spec::check;

    #[test]
    fn every_skeleton_is_an_agent_and_says_what_its_lines_are_for() {
        let atomic = [Executor::Llm, Executor::Python, Executor::Shell, Executor::Browser].map(Some);
        let kinds = atomic.map(|executor| (AgentKindArg::Atomic, executor));
        for (kind, executor) in kinds.into_iter().chain([(AgentKindArg::Composite, None)]) {
            let text = text(kind, executor).unwrap();
            let spec = check::read(text, NAME).unwrap_or_else(|faults| panic!("{executor:?}: {faults:?}"));
            assert_eq!(spec.sections().len(), usize::from(executor.is_some()));
            assert!(text.matches('#').count() > 5, "{text}");
            assert_eq!(text.matches(NAME).count(), 1, "{text}");
        }
        assert!(
            text(AgentKindArg::Atomic, None).is_err()
                && text(AgentKindArg::Composite, Some(Executor::Llm)).is_err()
        );
    }

    #[test]
    fn titles_say_what_the_agent_is_for() {
        let args = |name: &str, ua: Option<&str>, en: Option<&str>| New {
            name: name.to_owned(),
            kind: AgentKindArg::Atomic,
            executor: Some(Executor::Python),
            title_ua: ua.map(str::to_owned),
            title_en: en.map(str::to_owned),
            output: None,
        };
        let skeleton = text(AgentKindArg::Atomic, Some(Executor::Python)).unwrap();
        for (name, ua, en, titles) in [
            ("count_words", None, None, ["Count words", "Count words"]),
            ("x", None, Some("Adds \"up\": all"), ["Adds \"up\": all", "Adds \"up\": all"]),
            ("x", Some("Лічильник"), None, ["Лічильник", "X"]),
            ("x", Some("Лічильник"), Some("Counter"), ["Лічильник", "Counter"]),
            ("x", Some(" "), None, ["X", "X"]),
        ] {
            let made = set_titles(skeleton, &super::titles(&args(name, ua, en)));
            let spec = check::read(&made, NAME).unwrap_or_else(|faults| panic!("{made}: {faults:?}"));
            assert_eq!([spec.title_ua.as_str(), spec.title_en.as_deref().unwrap()], titles, "{made}");
        }
    }
}
