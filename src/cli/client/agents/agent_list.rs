//! Agents as a table, and a page about one agent.

use crate::cli::args::agents::Show;
use crate::cli::client::agents::file_checks;
use crate::cli::client::api::Api;
use crate::cli::client::error::{ClientError, Exit};
use crate::cli::client::follow::terminal_output;
use crate::cli::client::follow::terminal_output::{plain, plain_lines};
use crate::cli::client::terminal_language::terminal;
use crate::protocol::Locale;
use crate::texts::terminal::{agent_has_errors, see_validation};
use serde_json::Value;

pub async fn list(api: &Api, json: bool) -> Result<Exit, ClientError> {
    if json {
        terminal_output::print(&format!("{}\n", api.get("/api/agents").await?));
        return Ok(Exit::Succeeded);
    }
    let agents = api.get("/api/agents?faulty=true").await?;
    let rows = agents.as_array().map_or(&[][..], Vec::as_slice);
    let cells: Vec<[String; 4]> = rows.iter().map(row).collect();
    let width = |column: usize| cells.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths = [width(0), width(1), width(2)];
    let mut lines = String::new();
    for [name, kind, inputs, title] in &cells {
        let line = format!(
            "{}  {}  {}  {title}",
            wide(name, widths[0]),
            wide(kind, widths[1]),
            wide(inputs, widths[2])
        );
        lines.push_str(line.trim_end());
        lines.push('\n');
    }
    terminal_output::print(&lines);
    Ok(Exit::Succeeded)
}

fn row(agent: &Value) -> [String; 4] {
    if let Some(fault) = agent["faults"].as_array().and_then(|faults| faults.first()) {
        let more = see_validation(&word(agent, "name"), terminal());
        let words = format!("{}; {more}", word(fault, "message"));
        return [word(agent, "name"), agent_has_errors(terminal()).to_owned(), String::new(), words];
    }
    let inputs: Vec<String> = variable_names(&agent["inputs"]).collect();
    [word(agent, "name"), kind(agent), inputs.join(", "), title(agent)]
}

/// Returns the title in the language of the terminal, else in the other language.
fn title(agent: &Value) -> String {
    let names = match terminal() {
        Locale::Uk => ["title_ua", "title_en"],
        Locale::En => ["title_en", "title_ua"],
    };
    names.iter().map(|name| word(agent, name)).find(|title| !title.is_empty()).unwrap_or_default()
}

fn wide(text: &str, width: usize) -> String {
    let missing = width.saturating_sub(text.chars().count());
    format!("{text}{}", " ".repeat(missing))
}

pub async fn show(api: &Api, args: &Show) -> Result<Exit, ClientError> {
    if args.yaml {
        terminal_output::print(&file_checks::fetch_text(api, &args.name).await?);
        return Ok(Exit::Succeeded);
    }
    let agent = match api.agent(&args.name).await {
        Err(ClientError::Refused(refusal)) if !refusal.faults.is_empty() => {
            terminal_output::print_error(&refusal);
            terminal_output::print_error(&see_validation(&args.name, terminal()));
            return Ok(Exit::Failed);
        }
        agent => agent?,
    };
    terminal_output::print(&if args.json { format!("{agent}\n") } else { page(&agent) });
    Ok(Exit::Succeeded)
}

/// Formats one agent for a person.
fn page(agent: &Value) -> String {
    let mut lines = vec![word(agent, "name")];
    for name in ["title_en", "title_ua", "description_en", "description_ua"] {
        let text = plain_lines(agent[name].as_str().unwrap_or_default());
        lines.extend(text.lines().filter(|line| !line.trim().is_empty()).map(|line| format!("  {line}")));
    }
    lines.push(String::new());
    lines.push(format!("kind     {}", kind(agent)));
    for (label, list) in [("inputs ", "inputs"), ("locals ", "locals"), ("outputs", "outputs")] {
        let variables = agent[list].as_array().map_or(&[][..], Vec::as_slice);
        for (index, variable) in variables.iter().enumerate() {
            lines.push(format!(
                "{}  {}",
                if index == 0 { label } else { "       " },
                variable_line(variable)
            ));
        }
    }
    for (number, lane) in (1..).zip(agent["graph"]["lanes"].as_array().into_iter().flatten()) {
        let items = lane["items"].as_array().into_iter().flatten();
        let items: Vec<String> = items.map(|item| word(item, "agent")).collect();
        lines.push(format!("lane {number}   {}", items.join(", ")));
    }
    let inputs: String = required_inputs(agent).iter().map(|name| format!(" --input {name}=…")).collect();
    lines.push(String::new());
    lines.push(format!("askfirst run {}{inputs}", word(agent, "name")));
    lines.into_iter().map(|line| format!("{line}\n")).collect()
}

/// Formats a variable as one line: `n (integer, default 3): how often`.
fn variable_line(variable: &Value) -> String {
    let mut more: Vec<String> = variable["type"].as_str().map(plain).into_iter().collect();
    if let Some(default) = variable.get("default") {
        more.push(format!("default {default}"));
    } else if variable["required"] == false {
        more.push(String::from("may be left out"));
    }
    if let Some(value) = variable.get("value") {
        more.push(value.to_string());
    }
    let mut line = word(variable, "name");
    if !more.is_empty() {
        line.push_str(&format!(" ({})", more.join(", ")));
    }
    if let Some(text) = variable["description"].as_str().filter(|text| !text.trim().is_empty()) {
        line.push_str(&format!(": {}", plain(text)));
    }
    line
}

fn required_inputs(agent: &Value) -> Vec<String> {
    let needed = |input: &&Value| input["required"] != false && input.get("default").is_none();
    let inputs = agent["inputs"].as_array().map_or(&[][..], Vec::as_slice);
    inputs.iter().filter(needed).map(|input| word(input, "name")).collect()
}

/// Returns the executor, or `lanes` if the agent has none.
fn kind(agent: &Value) -> String {
    let sections = ["llm", "python", "shell", "browser"];
    let section = sections.into_iter().find(|section| agent[*section].is_object()).map(str::to_owned);
    match section.or_else(|| agent["executor"].as_str().map(plain)) {
        Some(section) => section,
        None => String::from("lanes"),
    }
}

fn variable_names(variables: &Value) -> impl Iterator<Item = String> {
    variables.as_array().into_iter().flatten().map(|variable| word(variable, "name"))
}

fn word(value: &Value, name: &str) -> String {
    plain(value[name].as_str().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_page_says_what_an_agent_takes_and_gives() {
        let agent = json!({
            "name": "both", "title_en": "Both", "title_ua": "Обидва", "kind": "composite",
            "inputs": [{"name": "task", "description": "What to do."}, {"name": "n", "type": "integer", "default": 3},
                {"name": "note", "type": "string", "required": false}],
            "locals": [{"name": "tone", "value": "polite"}],
            "outputs": [{"name": "text", "type": "string"}],
            "graph": {"lanes": [{"items": [{"id": "a", "agent": "left"}, {"id": "b", "agent": "right"}]}]},
        });
        assert_eq!(
            page(&agent).lines().collect::<Vec<_>>(),
            [
                "both",
                "  Both",
                "  Обидва",
                "",
                "kind     lanes",
                "inputs   task: What to do.",
                "         n (integer, default 3)",
                "         note (string, may be left out)",
                "locals   tone (\"polite\")",
                "outputs  text (string)",
                "lane 1   left, right",
                "",
                "askfirst run both --input task=…",
            ]
        );
        assert_eq!(row(&json!({"name": "x", "executor": "llm", "inputs": []}))[1], "llm");
    }
}
