//! Prompts of the other roles. Text of the person is plain; text of pages, tools and the agent itself is
//! fenced, as in the planner's prompt.

use crate::model::prompt;
use crate::model::prompt::history::entry_lines;
use crate::model::prompt::length_budget;
use crate::model::prompt::render::{PromptError, language, nonce, render};
use crate::model::prompt::result_texts::one_line;
use crate::model::role_requests::{
    JudgeRequest, OfferedAgent, OrchestrationRequest, PlanItemsRequest, RowsRequest, SummaryRequest,
    ThinkRequest,
};
use crate::page::extracted_rows::text_parts::TextPart;
use crate::page::text;
use crate::plan::{self, Item};
use crate::planning::HistoryEntry;
use crate::text::truncate::truncate_within;
use crate::text::value_text::format_value_text;
use crate::turn::agent_tools::Input;
use base64::Engine;
use serde_json::{Map, Value, json};

const PLAN: &str = include_str!("../../../config/prompts/plan.md");
const JUDGE: &str = include_str!("../../../config/prompts/judge.md");
const SUMMARY: &str = include_str!("../../../config/prompts/summary.md");
const ORCHESTRATION: &str = include_str!("../../../config/prompts/orchestration.md");
const ROWS: &str = include_str!("../../../config/prompts/rows.md");
const THINK: &str = include_str!("../../../config/prompts/think.md");

/// Returns the messages of a request for a plan. `previous_fault` is the fault of the last reply.
pub fn plan(request: &PlanItemsRequest<'_>, previous_fault: Option<&str>) -> Result<Value, PromptError> {
    let (goal, language) =
        (request.goal.map_or(crate::model::prompt::render::GOAL, str::trim), language(request.locale));
    let system = render(PLAN, minijinja::context! { goal, language })?;
    let mut parts = vec![format!(
        "The task, in the person's words:\n{}",
        truncate_within(request.mission, length_budget::REPEATED_TEXT)
    )];
    parts.extend(answers(request.answers));
    if !request.items.is_empty() {
        parts.push(format!(
            "The plan as it is:\n{}",
            truncate_within(&plan::format_checklist(request.items), length_budget::PLAN)
        ));
    }
    if let Some(reason) = request.reason {
        parts.push(format!("A plan is wanted because: {}", one_line(reason, length_budget::REASON)));
    }
    if !request.tools.is_empty() {
        let lines: Vec<String> = request
            .tools
            .iter()
            .map(|tool| format!("- {}: {}", tool.name, one_line(&tool.description, length_budget::REASON)))
            .collect();
        let tools = truncate_within(&lines.join("\n"), length_budget::TOOLS);
        parts.push(format!("What the agent can do besides, for reference only:\n{tools}"));
    }
    let nonce = nonce();
    parts.extend(work_so_far(request.history).map(|text| fence("conversation", "", &text, &nonce)));
    if let Some(page) = request.page {
        let text = truncate_within(&remove_fences(&text::write(page, "")), length_budget::EVIDENCE);
        let address = one_line(&page.url, length_budget::REASON);
        parts.push(fence("evidence", " kind=\"page\"", &format!("{address}\n{text}"), &nonce));
    }
    Ok(messages(system, parts, previous_fault, None))
}

/// Returns the newest part of what was said and done, if anything was done.
fn work_so_far(history: &[HistoryEntry]) -> Option<String> {
    let acted =
        |entry: &HistoryEntry| matches!(entry, HistoryEntry::Acted { .. } | HistoryEntry::Summary { .. });
    history.iter().any(acted).then(|| {
        let mut lines: Vec<String> = Vec::new();
        let mut room = length_budget::EVIDENCE;
        for line in history.iter().rev().flat_map(|entry| entry_lines(entry).into_iter().rev()) {
            let line = truncate_within(&line, length_budget::RESULT);
            let length = line.chars().count();
            if length > room {
                break;
            }
            room -= length;
            lines.push(line);
        }
        lines.reverse();
        lines.join("\n")
    })
}

/// Returns the messages of a request to judge an item. `previous_fault` is the fault of the last reply.
pub fn judge(request: &JudgeRequest<'_>, previous_fault: Option<&str>) -> Result<Value, PromptError> {
    let system = render(JUDGE, minijinja::context! { language => language(request.locale) })?;
    let nonce = nonce();
    let Item { position, description, acceptance_criteria, .. } = request.item;
    let mut parts = vec![
        format!(
            "The task, in the person's words:\n{}",
            truncate_within(request.mission, length_budget::REPEATED_TEXT)
        ),
        format!(
            "Item {position}: {}\nAcceptance criteria: {}",
            one_line(description, length_budget::REPEATED_TEXT),
            one_line(acceptance_criteria, length_budget::REPEATED_TEXT)
        ),
    ];
    let list = |lines: &[String], most: usize| {
        let lines: Vec<String> = lines.iter().map(|line| format!("- {}", one_line(line, most))).collect();
        lines.join("\n")
    };
    let values: Vec<String> =
        request.variables.iter().map(|(name, value)| format!("{name} = {value}")).collect();
    if !request.answers.is_empty() {
        let answers = request.answers.iter();
        let answers: Vec<String> = answers.map(|(key, answer)| format!("{key}: {answer}")).collect();
        parts.push(format!("What the person answered:\n{}", list(&answers, length_budget::REASON)));
    }
    for (kind, text) in [
        ("what the agent says", truncate_within(request.report, length_budget::REPEATED_TEXT)),
        ("what was done", list(request.work, length_budget::RESULT)),
        ("files", list(request.files, length_budget::REASON)),
        ("variables", list(&values, length_budget::REASON)),
        ("address", request.url.map(|url| one_line(url, length_budget::REPEATED_TEXT)).unwrap_or_default()),
        ("page", truncate_within(&remove_fences(request.page), length_budget::EVIDENCE)),
    ] {
        if !text.trim().is_empty() {
            parts.push(fence("evidence", &format!(" kind=\"{kind}\""), &text, &nonce));
        }
    }
    Ok(messages(system, parts, previous_fault, request.picture))
}

/// Returns the messages of a request for a summary. `previous_fault` is the fault of the last reply.
pub fn summary(request: &SummaryRequest<'_>, previous_fault: Option<&str>) -> Result<Value, PromptError> {
    let system = render(SUMMARY, minijinja::context! { language => language(request.locale) })?;
    let lines: Vec<String> = request.entries.iter().flat_map(entry_lines).collect();
    // If the history is too long, every line is shortened, so that no entry is lost.
    let most = (length_budget::HISTORY / lines.len().max(1)).max(80);
    let text: Vec<String> = lines.iter().map(|line| truncate_within(line, most)).collect();
    Ok(messages(system, vec![fence("conversation", "", &text.join("\n"), &nonce())], previous_fault, None))
}

/// Returns the messages of a request for rows. `previous_fault` is the fault of the last reply.
pub fn rows(request: &RowsRequest<'_>, previous_fault: Option<&str>) -> Result<Value, PromptError> {
    let schema = request.schema.strict_list()["items"].to_string();
    let system = render(ROWS, minijinja::context! { schema })?;
    let nonce = nonce();
    let TextPart { before, text } = request.part;
    let before = (!before.trim().is_empty()).then(|| fence("before", "", before, &nonce));
    let parts = before.into_iter().chain([fence("part", "", text, &nonce)]).collect();
    Ok(messages(system, parts, previous_fault, None))
}

/// Starts with the planner's messages, which the endpoint has cached.
pub fn think(request: &ThinkRequest<'_>, previous_fault: Option<&str>) -> Result<Value, PromptError> {
    let (most, tokens) = (request.most, request.tokens);
    let order = render(THINK, minijinja::context! { most, tokens })?;
    prompt::messages_with(request.plan, previous_fault, Some(&order))
}

/// Lists the agents with their inputs and outputs, and the bindings by name only.
pub fn orchestration(
    request: &OrchestrationRequest<'_>,
    previous_fault: Option<&str>,
) -> Result<Value, PromptError> {
    let (most, language) = (request.most, language(request.locale));
    let system = render(ORCHESTRATION, minijinja::context! { opened => "${{", most, language })?;
    let lines: Vec<String> = request.agents.iter().map(agent_line).collect();
    let mut parts = vec![
        format!("The agents:\n{}", truncate_within(&lines.join("\n"), length_budget::CALLED)),
        format!(
            "What is wanted, in the person's words:\n{}",
            truncate_within(request.prompt, length_budget::PERSON)
        ),
    ];
    if !request.bindings.is_empty() {
        parts.push(format!(
            "Bindings: {}",
            one_line(&request.bindings.join(", "), length_budget::REPEATED_TEXT)
        ));
    }
    Ok(messages(system, parts, previous_fault, None))
}

/// Writes an agent as `name {inputs} -> {outputs}: description`.
fn agent_line(OfferedAgent { tool, outputs }: &OfferedAgent) -> String {
    let input = |input: &Input| {
        format!("{}{}: {}", input.name, if input.required { "" } else { "?" }, input.type_name)
    };
    let inputs: Vec<String> = tool.inputs.iter().map(input).collect();
    let about = one_line(&tool.description, length_budget::REASON);
    format!("- {} {{{}}} -> {{{}}}: {about}", tool.name, inputs.join(", "), outputs.join(", "))
}

/// Removes the page's own fences: the text is placed in the fences of the evidence.
fn remove_fences(page: &str) -> String {
    let fence = |line: &&str| line.starts_with("<page nonce=") || line.starts_with("</page nonce=");
    page.lines().filter(|line| !fence(line)).collect::<Vec<_>>().join("\n")
}

fn answers(answers: &Map<String, Value>) -> Option<String> {
    let lines: Vec<String> = answers
        .iter()
        .map(|(key, answer)| format!("- {key}: {}", one_line(&format_value_text(answer), 500)))
        .collect();
    (!lines.is_empty()).then(|| format!("What the person answered:\n{}", lines.join("\n")))
}

fn fence(kind: &str, attributes: &str, text: &str, nonce: &str) -> String {
    format!("<{kind} nonce=\"{nonce}\"{attributes}>\n{}\n</{kind} nonce=\"{nonce}\">", text.trim())
}

fn messages(
    system: String,
    mut parts: Vec<String>,
    previous_fault: Option<&str>,
    picture: Option<&[u8]>,
) -> Value {
    if let Some(fault) = previous_fault {
        parts.push(format!("Your last reply could not be used: {}", one_line(fault, length_budget::REASON)));
    }
    let text = parts.join("\n\n");
    let content = match picture {
        None => json!(text),
        Some(picture) => {
            let data = base64::engine::general_purpose::STANDARD.encode(picture);
            json!([
                { "type": "text", "text": text },
                { "type": "image_url", "image_url": { "url": format!("data:image/jpeg;base64,{data}") } },
            ])
        }
    };
    json!([{ "role": "system", "content": system }, { "role": "user", "content": content }])
}
