//! Summarizes the oldest entries of a conversation (S2.32), for the conversation that called the run.

use crate::engine::program::ProgramError;
use crate::engine::program::model_usage::find_used_up_limit;
use crate::model::Planner;
use crate::model::role_requests::SummaryRequest;
use crate::planning::{HistoryEntry, PlanError};
use crate::programs::single::graph::execute::Outcome;
use crate::programs::single::visit_context::Cx;
use serde_json::{Map, json};

pub async fn execute(cx: &mut Cx, planner: &Planner) -> Result<Outcome, ProgramError> {
    if let Some(spent) = find_used_up_limit(&cx.deps.store, &cx.given.run).await? {
        return Ok(cx.may_spend_no_more(spent));
    }
    let (input, output) = (cx.deps.spec.inputs.first(), cx.deps.spec.outputs.first());
    let given = input.and_then(|input| cx.state.context.get(&input.name)).cloned().unwrap_or_default();
    let entries: Vec<HistoryEntry> =
        serde_json::from_value(given).map_err(|fault| ProgramError::BadInput(fault.to_string()))?;
    let output = output.map(|output| output.name.clone()).unwrap_or_default();
    let asked = planner.summarise(&SummaryRequest { locale: cx.state.locale, entries: &entries }).await;
    let usage = asked.as_ref().map_or_else(PlanError::usage, |summary| &summary.usage);
    for usage in usage {
        cx.given.journal.store_usage(usage).await?;
    }
    Ok(match asked {
        Ok(summary) => cx.succeed(Map::from_iter([(output, json!(summary.text))])),
        Err(fault) => cx.failed(fault.to_string()),
    })
}
