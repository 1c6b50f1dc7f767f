//! Export of agents to files, and import from files.

use crate::agent_spec::check;
use crate::agent_spec::files::library::import::callees;
use crate::cli::args::agents::{Export, Import};
use crate::cli::client::agents::file_checks::fetch_text;
use crate::cli::client::agents::{agent_documents, file_checks};
use crate::cli::client::api::Api;
use crate::cli::client::error::{ClientError, Exit};
use crate::cli::client::follow::terminal_output;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::io::Write;
use std::path::Path;

/// `askfirst agents export`.
pub async fn export(api: &Api, args: &Export) -> Result<Exit, ClientError> {
    let (agents, missing) = collect(api, args).await?;
    match &args.output {
        None => terminal_output::print(&join_texts(&agents)),
        Some(path) if path == Path::new("-") => terminal_output::print(&join_texts(&agents)),
        Some(path) if path.is_dir() || path.to_string_lossy().ends_with('/') => {
            let made = std::fs::create_dir_all(path);
            made.map_err(|fault| ClientError::Usage(format!("{} cannot be made: {fault}", path.display())))?;
            let files = agents.iter().map(|(name, text)| (path.join(format!("{name}.yaml")), text));
            let files: Vec<_> = files.collect();
            if let Some((taken, _)) = files.iter().find(|(file, _)| file.exists() && !args.overwrite) {
                return Err(is_there(taken));
            }
            for (file, text) in files {
                write(&file, text, args.overwrite)?;
            }
        }
        Some(path) => write(path, &join_texts(&agents), args.overwrite)?,
    }
    for (name, by) in &missing {
        terminal_output::print_error(&format!("there is no agent {name}, which {by} calls"));
    }
    Ok(if missing.is_empty() { Exit::Succeeded } else { Exit::Failed })
}

type Named = Vec<(String, String)>;

/// Fetches the agent, and with `--with-used` all agents that it calls, directly or not. Returns names and
/// texts, and the missing agents, each with its caller.
async fn collect(api: &Api, args: &Export) -> Result<(Named, Named), ClientError> {
    let (mut agents, mut missing) =
        (vec![(args.name.clone(), fetch_text(api, &args.name).await?)], Vec::new());
    if !args.with_used {
        return Ok((agents, missing));
    }
    let mut seen = BTreeSet::from([args.name.clone()]);
    let mut next = 0;
    while let Some((by, text)) = agents.get(next).cloned() {
        next += 1;
        let Ok(spec) = check::parse(&text) else { continue };
        for name in callees(&spec) {
            if !seen.insert(name.to_owned()) {
                continue;
            }
            match fetch_text(api, name).await {
                Ok(text) => agents.push((name.to_owned(), text)),
                Err(ClientError::Usage(_) | ClientError::Refused(_)) => {
                    missing.push((name.to_owned(), by.clone()))
                }
                Err(fault) => return Err(fault),
            }
        }
    }
    Ok((agents, missing))
}

fn join_texts(agents: &Named) -> String {
    agent_documents::join(agents.iter().map(|(_, text)| text.as_str()))
}

fn write(path: &Path, text: &str, overwrite: bool) -> Result<(), ClientError> {
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create(overwrite).truncate(overwrite).create_new(!overwrite);
    let written = options.open(path).and_then(|mut file| file.write_all(text.as_bytes()));
    written.map_err(|fault| match fault.kind() {
        std::io::ErrorKind::AlreadyExists => is_there(path),
        _ => ClientError::File { what: format!("{} cannot be written", path.display()), source: fault },
    })?;
    terminal_output::note(&format!("wrote {}", path.display()));
    Ok(())
}

fn is_there(path: &Path) -> ClientError {
    ClientError::Usage(format!("{} is there already; --overwrite replaces it", path.display()))
}

/// `askfirst agents import`: the service saves all agents or none.
pub async fn import(api: &Api, args: &Import) -> Result<Exit, ClientError> {
    let mut documents = Vec::new();
    for path in &args.files {
        documents.extend(agent_documents::read(path).await?);
    }
    let bodies = file_checks::bodies(&documents);
    let checked = file_checks::examine(api, documents).await?;
    let faulty = checked.iter().filter(|document| !document.is_sound());
    let faults: Vec<String> = faulty.flat_map(file_checks::lines).collect();
    if !faults.is_empty() {
        terminal_output::print(&faults.iter().map(|line| format!("{line}\n")).collect::<String>());
        terminal_output::print_error(&"nothing was saved");
        return Ok(Exit::Failed);
    }
    let body = json!({"documents": bodies, "overwrite": args.overwrite});
    let imported = match api.post("/api/agents/import", &body).await {
        Err(ClientError::Refused(refusal)) if refusal.code == "agent_exists" => {
            let names = refusal.names.join(", ");
            let words = format!("there already: {names}; --overwrite replaces them. Nothing was saved");
            return Err(ClientError::Usage(words));
        }
        done => done?,
    };
    let lines = imported["agents"].as_array().into_iter().flatten();
    let word = |agent: &Value, key: &str| agent[key].as_str().unwrap_or_default().to_owned();
    let lines = lines.map(|agent| format!("{} {}\n", word(agent, "done"), word(agent, "name")));
    terminal_output::print(&lines.collect::<String>());
    Ok(Exit::Succeeded)
}
