//! The cost of model calls, for metrics, viewers and the run's row; and the check of the budget.

use crate::ids::RunId;
use crate::planning::ModelUsage;
use crate::protocol::event::Event;
use crate::protocol::server::Fact;
use crate::store::error::StoreError;
use crate::store::rows::usage::UsedUpLimit;
use crate::store::{Store, rows};
use crate::{metrics, record};
use std::sync::Arc;

/// Counts the calls in the metrics. Returns an event for each call, and their sum; `None` if there were no
/// calls.
pub fn count_usage(usage: &[ModelUsage]) -> (Vec<Fact>, Option<rows::Usage>) {
    let mut total = rows::Usage::default();
    for call in usage {
        metrics::TOKENS.add([&call.role, "input"], call.input_tokens);
        metrics::TOKENS.add([&call.role, "cached"], call.cached_tokens);
        metrics::TOKENS.add([&call.role, "output"], call.output_tokens);
        metrics::COST.add([], call.cost.unwrap_or_default());
        total.calls += 1;
        total.input += call.input_tokens;
        total.cached += call.cached_tokens;
        total.output += call.output_tokens;
        total.cost += call.cost.unwrap_or_default();
        total.unpriced += u64::from(call.cost.is_none());
    }
    (usage.iter().map(usage_event).collect(), (total.calls > 0).then_some(total))
}

fn usage_event(call: &ModelUsage) -> Fact {
    Fact::Event(Event::Usage {
        role: call.role.clone(),
        model: call.model.clone(),
        input_tokens: call.input_tokens,
        cached_tokens: call.cached_tokens,
        output_tokens: call.output_tokens,
        cost: call.cost,
        currency: call.currency.clone(),
        estimated: call.estimated,
    })
}

/// Returns the limit that this run or a run above it has used up (C5); `None` if there is budget left.
pub async fn find_used_up_limit(
    store: &Arc<dyn Store>,
    run: &RunId,
) -> Result<Option<UsedUpLimit>, StoreError> {
    record::record_input("overspent", store.used_up_limit(run.clone())).await
}

/// Converts a used-up limit into the event for viewers.
pub fn budget_event(UsedUpLimit { limit, used, most }: UsedUpLimit) -> Event {
    Event::Budget { limit, used, most }
}
