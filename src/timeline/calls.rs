//! Model calls as spans. Of what only the `usage` facts tell, when it began is a guess.

use super::assemble::Steps;
use super::{Span, What};
use crate::clock::Moment;
use crate::ids::RunId;
use crate::store::rows::{Told, Traced};
use std::collections::HashMap;

pub fn spans(rows: &Traced, steps: &Steps<'_>) -> Vec<Span> {
    let mut before: HashMap<&RunId, Moment> = HashMap::new();
    let told = rows.facts.iter().filter(|fact| fact.event == "usage");
    told.map(|fact| {
        let around = steps.around(&fact.run, fact.at);
        let begin = around.map_or(fact.at, |step| step.begin);
        let begin = before.insert(&fact.run, fact.at).map_or(begin, |last| begin.max(last)).min(fact.at);
        guessed(fact, around.map(|step| step.id()), begin)
    })
    .collect()
}

fn guessed(fact: &Told, step: Option<String>, begin: Moment) -> Span {
    let word = |name: &str| fact.data[name].as_str().unwrap_or_default().to_owned();
    let count = |name: &str| fact.data[name].as_u64().unwrap_or_default();
    Span {
        id: format!("{}/u{}", fact.run, fact.seq),
        parent: Some(step.unwrap_or_else(|| fact.run.to_string())),
        run: fact.run.clone(),
        name: word("role"),
        status: String::from("ok"),
        begin,
        end: Some(fact.at),
        what: What::Call {
            n: None,
            model: word("model"),
            input_tokens: count("input_tokens"),
            cached_tokens: count("cached_tokens"),
            output_tokens: count("output_tokens"),
            cost: fact.data["cost"].as_f64(),
            error: None,
            estimated: true,
        },
    }
}
