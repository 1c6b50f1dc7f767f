//! The system message, constant during a run so that prompt caches work. It omits what an agent cannot do.

use crate::model::prompt::length_budget;
use crate::model::prompt::render::{GOAL, PromptError, language, render};
use crate::model::prompt::result_texts::one_line;
use crate::planning::PlanRequest;
use crate::text::truncate::truncate_within;
use crate::turn::action::{NAMES, WITHOUT_PAGE};
use crate::turn::agent_tools::{Input, Tool};

const TEMPLATE: &str = include_str!("../../../config/prompts/planner.md");

pub(crate) fn system(request: &PlanRequest<'_>) -> Result<String, PromptError> {
    let may = |name: &str| request.actions.contains(&name);
    let tools = tools(request.tools);
    render(
        TEMPLATE,
        minijinja::context! {
            goal => request.goal.map_or(GOAL, str::trim),
            language => language(request.locale),
            secrets => request.secrets.to_vec(),
            page => browses(request),
            plan => may("replan"),
            tasks => may("task_manager"),
            outputs => request.outputs.to_vec(),
            tools,
            opened => "${{",
        },
    )
}

/// True if the run may have a page.
pub(crate) fn browses(request: &PlanRequest<'_>) -> bool {
    let of_page = |name: &&str| NAMES.contains(name) && !WITHOUT_PAGE.contains(name);
    request.page.is_some() || request.actions.iter().any(of_page)
}

/// Describes the tools: with fewer words if there are many, and only the first 100.
fn tools(tools: &[Tool]) -> Vec<minijinja::Value> {
    const NAMED: usize = 100;
    let described = &tools[..tools.len().min(NAMED)];
    let most = (length_budget::CALLED / described.len().max(1) / 2).min(length_budget::REASON);
    described.iter().map(|tool| describe_tool(tool, most)).collect()
}

/// Describes one tool with its parameters, such as `{target, jobs?}`; `?` marks an optional one.
fn describe_tool(tool: &Tool, most: usize) -> minijinja::Value {
    let name = |input: &Input| format!("{}{}", input.name, if input.required { "" } else { "?" });
    let names: Vec<String> = tool.inputs.iter().map(name).collect();
    let about = one_line(&tool.description, most);
    let about = if about.is_empty() { about } else { format!(": {about}") };
    let params = format!("{{{}}}", truncate_within(&names.join(", "), most));
    minijinja::context! { name => tool.name.clone(), params, about }
}
