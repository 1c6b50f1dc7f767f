//! Model calls as they are recorded with their step, and as a replayed step returns them.

use crate::config::prices::Prices;
use crate::model::endpoint::error::CallError;
use crate::model::endpoint::reply::Completion;
use crate::record;
use crate::record::Tokens;
use serde_json::{Value, json};

/// Role of a model call, and the prices for its cost.
#[derive(Clone, Copy)]
pub struct CallContext<'a> {
    pub role: &'a str,
    pub prices: &'a Prices,
}

impl CallContext<'_> {
    pub(crate) fn record(self, call: &mut record::RecordedCall, answer: &Result<Completion, CallError>) {
        match answer {
            Ok(completion) => {
                let usage = completion.usage(self.role, &call.model, self.prices);
                call.tokens = Tokens {
                    input: usage.input_tokens,
                    cached: usage.cached_tokens,
                    output: usage.output_tokens,
                };
                (call.model, call.cost, call.currency) = (usage.model, usage.cost, usage.currency);
                call.answer = Some(json!(completion));
            }
            Err(fault) => {
                call.error = Some(fault.to_string());
                call.fault = Some(json!(fault));
            }
        }
    }
}

/// Returns the recorded result of a call.
pub(crate) fn recorded_result(mut answer: Value) -> Result<Completion, CallError> {
    let unreadable = |fault: serde_json::Error| CallError::Unreadable(fault.to_string());
    match answer["fault"].take() {
        Value::Null => serde_json::from_value(answer["answer"].take()).map_err(unreadable),
        fault => Err(serde_json::from_value(fault).unwrap_or_else(unreadable)),
    }
}
