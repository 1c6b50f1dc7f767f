//! What a conversation may spend, and what it has spent (C5): a warning when most of it is used, a question
//! when all of it is.

use super::allowance::Used;
use super::change::Change;
use super::cx::Cx;
use crate::model;
use crate::program::ProgramError;
use crate::program::spending::{overspent, spent};
use crate::record;
use crate::store::StoreError;
use crate::store::rows::Usage;

/// Whether it goes on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Purse {
    Enough,
    /// The conversation's own limit; a person may raise it.
    Empty(Used),
    /// Whoever called it has nothing left, or its time is up.
    Over,
}

/// What is left, and for which limit it is tight.
pub async fn purse(cx: &Cx) -> Result<(Purse, Option<Used>), ProgramError> {
    let limited = &cx.deps.limits;
    // Mostly there is no limit, and nothing to add up.
    let counts = limited.tokens.is_some() || limited.money.is_some();
    let spent = if counts { heard_spent(cx).await? } else { Usage::default() };
    let own = limits(cx, spent);
    let tight = own.iter().copied().filter(Used::is_most).max_by(|a, b| a.share().total_cmp(&b.share()));
    if let Some(up) = own.iter().copied().find(Used::is_up) {
        let asks = cx.deps.caller.is_none() && up.limit != "wall_s";
        return Ok((if asks { Purse::Empty(up) } else { Purse::Over }, tight));
    }
    if let Some(caller) = &cx.deps.caller
        && let Some(above) = overspent(&cx.deps.store, caller).await?
    {
        return Ok((Purse::Over, Some(Used::of(&above))));
    }
    Ok((Purse::Enough, tight))
}

async fn heard_spent(cx: &Cx) -> Result<Usage, StoreError> {
    let told = record::heard("spent", async {
        let Usage { calls, unpriced, input, cached, output, cost } =
            cx.deps.store.spent(cx.run.clone()).await?;
        Ok((calls, unpriced, input, cached, output, cost))
    });
    let (calls, unpriced, input, cached, output, cost) = told.await?;
    Ok(Usage { calls, unpriced, input, cached, output, cost })
}

fn limits(cx: &Cx, spent: Usage) -> Vec<Used> {
    let (tokens, money) = (spent.input + spent.output, spent.cost);
    let (state, limits) = (&cx.state, &cx.deps.limits);
    let seconds = crate::clock::Moment::now().millis().saturating_sub(state.begun_at) / 1000;
    let of = |limit, used, most: Option<f64>| most.map(|most| Used { limit, used, most });
    let extended = &state.extended;
    [
        // What this visit took is not in the store yet.
        of(
            "tokens",
            count(tokens.max(state.tokens)),
            limits.tokens.map(|most| count(most + extended.tokens)),
        ),
        of("money", money.max(state.money), limits.money.map(|most| most + extended.money)),
        of("wall_s", count(seconds.unsigned_abs()), limits.wall_s.map(count)),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// Exact far beyond what any run uses.
fn count(n: u64) -> f64 {
    n as f64
}

impl Cx {
    /// Counts and tells what model calls have cost.
    pub fn used(&mut self, usage: &[model::Usage]) {
        let (facts, total) = spent(usage);
        facts.into_iter().for_each(|fact| self.fact(fact));
        if let Some(total) = total {
            self.change(Change::Used { tokens: total.input + total.output, money: total.cost });
            self.record.usage = Some(total);
        }
    }
}
