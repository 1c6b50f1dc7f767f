//! Summarizes the oldest entries of a conversation (S2.32), for the conversation that called the run.

use crate::engine::program::ProgramError;
use crate::engine::program::model_usage::find_used_up_limit;
use crate::model::Planner;
use crate::model::role_requests::SummaryRequest;
use crate::planning::{HistoryEntry, PlanError};
use crate::programs::single::graph::execute::Outcome;
use crate::programs::single::visit_context::SingleVisit;
use serde_json::{Map, json};

pub async fn execute(cx: &mut SingleVisit, planner: &Planner) -> Result<Outcome, ProgramError> {
    if let Some(used_up) = find_used_up_limit(&cx.deps.store, &cx.input.run).await? {
        return Ok(cx.refuse_over_budget(used_up));
    }
    let (input, output) = (cx.deps.spec.inputs.first(), cx.deps.spec.outputs.first());
    let history = input.and_then(|input| cx.state.context.get(&input.name)).cloned().unwrap_or_default();
    let entries: Vec<HistoryEntry> =
        serde_json::from_value(history).map_err(|fault| ProgramError::BadInput(fault.to_string()))?;
    let output = output.map(|output| output.name.clone()).unwrap_or_default();
    let summary = planner.summarize(&SummaryRequest { locale: cx.state.locale, entries: &entries }).await;
    let usage = summary.as_ref().map_or_else(PlanError::usage, |summary| &summary.usage);
    for usage in usage {
        cx.input.journal.store_usage(usage).await?;
    }
    Ok(match summary {
        Ok(summary) => cx.succeed(Map::from_iter([(output, json!(summary.text))])),
        Err(fault) => cx.fail(fault.to_string()),
    })
}
