//! `askfirst runs`: lists, searches, changes and deletes tasks.

use crate::cli::args::runs::{DeleteRuns, OnlyRuns, RunsCommand};
use crate::cli::client::api::{Api, JSON, segment};
use crate::cli::client::error::{ClientError, Exit};
use crate::cli::client::follow::standard_input::{Keyboard, is_attended};
use crate::cli::client::follow::terminal_output::{brief, line, plain, print};
use crate::texts::terminal::is_yes;
use reqwest::Method;
use reqwest::header::CONTENT_TYPE;
use serde_json::{Value, json};

/// Number of runs deleted with one call.
const AT_ONCE: usize = 200;
/// Mask shown in place of a secret.
const MASK: &str = "••••";

pub async fn carry_out(api: &Api, command: RunsCommand) -> Result<Exit, ClientError> {
    match command {
        RunsCommand::List(args) => list(api, None, &args.only).await,
        RunsCommand::Search(args) => list(api, Some(&args.words.join(" ")), &args.only).await,
        RunsCommand::Rename(args) => {
            let row = change(api, &args.run, &json!({"title": args.title})).await?;
            print(&format!("{}\n", format_row(&row)));
            Ok(Exit::Succeeded)
        }
        RunsCommand::Pin(args) => change_all(api, &args.runs, &json!({"pinned": !args.off})).await,
        RunsCommand::Archive(args) => change_all(api, &args.runs, &json!({"archived": !args.off})).await,
        RunsCommand::Delete(args) => delete(api, &args).await,
        RunsCommand::Again(args) => again(api, &args.run).await,
    }
}

async fn list(api: &Api, query: Option<&str>, only: &OnlyRuns) -> Result<Exit, ClientError> {
    let mut path = format!("/api/runs?roots=true&limit={}", only.limit);
    let archived = if only.archived { Some("true") } else { None };
    for (name, value) in [
        ("query", query),
        ("status", only.status.as_deref()),
        ("agent", only.agent.as_deref()),
        ("archived", archived),
    ] {
        path.extend(value.map(|value| format!("&{name}={}", segment(value))));
    }
    let found = api.get(&path).await?;
    if only.json {
        print(&format!("{found}\n"));
        return Ok(Exit::Succeeded);
    }
    let items = found["items"].as_array().map(Vec::as_slice).unwrap_or_default();
    if items.is_empty() {
        line("no tasks");
    }
    items.iter().for_each(|row| print(&format!("{}\n", format_row(row))));
    if found["cursor"].is_string() {
        line("there are more: raise --limit, or search for fewer");
    }
    Ok(Exit::Succeeded)
}

async fn change(api: &Api, run: &str, patch: &Value) -> Result<Value, ClientError> {
    let request = api.request(Method::PATCH, &format!("/api/runs/{}", segment(run)));
    let answer = api.send(request.header(CONTENT_TYPE, JSON).body(patch.to_string())).await?;
    serde_json::from_str(&answer.text).map_err(|fault| ClientError::Unreadable(fault.to_string()))
}

async fn change_all(api: &Api, runs: &[String], patch: &Value) -> Result<Exit, ClientError> {
    for run in runs {
        print(&format!("{}\n", format_row(&change(api, run, patch).await?)));
    }
    Ok(Exit::Succeeded)
}

async fn delete(api: &Api, args: &DeleteRuns) -> Result<Exit, ClientError> {
    if !args.yes && !confirm_deletion(args.runs.len()).await? {
        return Ok(Exit::Cancelled);
    }
    let mut exit = Exit::Succeeded;
    for ids in args.runs.chunks(AT_ONCE) {
        let found = api.post("/api/runs/delete", &json!({"ids": ids})).await?;
        for item in found["items"].as_array().into_iter().flatten() {
            let word = |name: &str| plain(item[name].as_str().unwrap_or_default());
            if item["deleted"] == true {
                print(&format!("{}  deleted\n", word("run_id")));
            } else {
                line(&format!("askfirst: {}: {}", word("run_id"), word("detail")));
                exit = Exit::Failed;
            }
        }
    }
    Ok(exit)
}

/// Asks the person to confirm. Without a terminal, `--yes` is required.
async fn confirm_deletion(count: usize) -> Result<bool, ClientError> {
    if !is_attended() {
        let words = "nobody is there to ask; add --yes to delete without a question";
        return Err(ClientError::Usage(String::from(words)));
    }
    let what = if count == 1 { String::from("this task") } else { format!("these {count} tasks") };
    let mut keyboard = Keyboard::default();
    // Discards only what was typed before the question is shown.
    keyboard.ready(false);
    line(&format!("delete {what} with the conversation, pictures and files? It cannot be undone. [y/N]"));
    let typed = keyboard.line().await;
    let typed = typed.map_err(|source| ClientError::File { what: String::from("standard input"), source })?;
    let typed = typed.unwrap_or_default().trim().to_lowercase();
    Ok(is_yes(&typed))
}

async fn again(api: &Api, run: &str) -> Result<Exit, ClientError> {
    let found = api.get(&format!("/api/runs/{}", segment(run))).await?;
    let input = &found["input"];
    let lacks = |value: &Value| value.as_str().is_some_and(|text| text.contains(MASK));
    if input.as_object().is_some_and(|input| input.values().any(lacks)) {
        let words = "a secret of this run was not kept; start it with `askfirst run` and give it again";
        return Err(ClientError::Usage(String::from(words)));
    }
    let started = api.post("/api/runs", &json!({"agent": found["agent"], "input": input})).await?;
    print(&format!("{}\n", plain(started["run_id"].as_str().unwrap_or_default())));
    Ok(Exit::Succeeded)
}

/// Formats a task as one line: id, status, time of the last change, title.
fn format_row(row: &Value) -> String {
    let word = |name: &str| plain(row[name].as_str().unwrap_or_default());
    let moved: String = word("updated_at").chars().take("2026-01-31T12:00".len()).collect();
    let pin = if row["pinned"] == true { "* " } else { "" };
    let away = if row["archived"] == true { " (archived)" } else { "" };
    format!(
        "{}  {:<9}  {}  {pin}{}{away}",
        word("run_id"),
        word("status"),
        moved.replace('T', " "),
        brief(row["title"].as_str().unwrap_or_default())
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_run_is_one_line_with_id_and_title() {
        let row = json!({"run_id": "r1", "status": "waiting", "updated_at": "2026-01-31T12:34:56.000Z",
            "title": "Buy\na lamp", "pinned": true, "archived": false});
        assert_eq!(format_row(&row), "r1  waiting    2026-01-31 12:34  * Buy a lamp");
        let row =
            json!({"run_id": "r2", "status": "succeeded", "updated_at": "", "title": "x", "archived": true});
        assert_eq!(format_row(&row), "r2  succeeded    x (archived)");
    }
}
