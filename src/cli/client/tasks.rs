//! `askfirst tasks`: lists and cancels background work of runs.

use crate::cli::args::Tasks;
use crate::cli::client::api::Api;
use crate::cli::client::error::{ClientError, Exit};
use crate::cli::client::follow::progress_bars::percent;
use crate::cli::client::follow::terminal_output::{plain, print};
use crate::cli::client::terminal_language::terminal;
use crate::texts::terminal::no_background_work;
use serde_json::{Value, json};

pub async fn carry_out(api: &Api, args: &Tasks) -> Result<Exit, ClientError> {
    let found = match (&args.cancel, &args.run) {
        (Some(id), _) => {
            let ended = api.post(&format!("/api/tasks/{id}/cancel"), &json!({})).await?;
            json!({"items": [ended]})
        }
        (None, Some(run)) => api.get(&format!("/api/tasks?run_id={run}")).await?,
        (None, None) => api.get("/api/tasks").await?,
    };
    let items = found["items"].as_array().cloned().unwrap_or_default();
    if args.json {
        print(&format!("{}\n", json!(items)));
        return Ok(Exit::Succeeded);
    }
    if items.is_empty() {
        print(&format!("{}\n", no_background_work(terminal())));
    }
    for task in &items {
        print(&format!("{}\n", line(task)));
    }
    Ok(Exit::Succeeded)
}

/// Formats background work as one line: id, status, progress, label, error.
fn line(task: &Value) -> String {
    let word = |value: &Value| plain(value.as_str().unwrap_or_default());
    let label = match task["display"]["label"].as_str() {
        Some(label) if !label.is_empty() => plain(label),
        _ => word(&task["agent"]),
    };
    let part = task["progress"].as_f64().filter(|_| task["ended_at"].is_null());
    let part = part.map(|part| format!(" {}", percent(part))).unwrap_or_default();
    let why = task["error"].as_str().map(|why| format!(": {}", plain(why))).unwrap_or_default();
    format!("{}  {}{part}  {label}{why}", word(&task["task_id"]), word(&task["status"]))
}

#[cfg(test)]
mod tests {
    use super::*;

    // Each gets a line (S4.17).
    #[test]
    fn each_task_is_one_line_with_id_and_status() {
        let task = |more: Value| {
            let mut task = json!({"task_id": "build", "status": "running", "agent": "maker",
                "progress": 0.4, "display": {"label": "Building\nit"}, "error": null, "ended_at": null});
            task.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            line(&task)
        };
        assert_eq!(task(json!({})), "build  running 40%  Building it");
        let failed = json!({"status": "failed", "display": null, "error": "no disk", "ended_at": "now"});
        assert_eq!(task(failed), "build  failed  maker: no disk");
    }
}
