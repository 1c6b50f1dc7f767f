//! Prices of models by name, for endpoints that do not report costs.

use crate::config::error::ConfigError;
use config::{Map, Value};
use std::collections::BTreeMap;

const SECTION: &str = "prices.";
const MILLION: f64 = 1_000_000.0;

/// The price table, with the one currency of all costs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Prices {
    pub currency: String,
    /// Prices by model name in lower case, because environment variables cannot express upper case.
    models: BTreeMap<String, Price>,
}

/// Prices per million tokens.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Price {
    pub input: f64,
    /// Price of input tokens that the endpoint had cached.
    pub cached: f64,
    pub output: f64,
}

impl Price {
    /// Returns the cost of one call. `cached` is the number of cached tokens within `input`.
    pub fn cost(&self, input: u64, cached: u64, output: u64) -> f64 {
        let cached = cached.min(input);
        let sum =
            tokens(input - cached) * self.input + tokens(cached) * self.cached + tokens(output) * self.output;
        sum / MILLION
    }
}

impl Prices {
    /// Creates a table of prices. Names of models match in any case.
    pub fn new(currency: &str, models: impl IntoIterator<Item = (String, Price)>) -> Self {
        let models = models.into_iter().map(|(name, price)| (name.to_lowercase(), price)).collect();
        Self { currency: currency.to_owned(), models }
    }

    /// Returns the price of a model; `None` if it is unknown, which is not the same as free.
    pub fn price_for(&self, model: &str) -> Option<Price> {
        self.models.get(&model.to_lowercase()).copied()
    }

    /// Removes the section from the settings and returns it. The names of models have dots and slashes, which
    /// the code that reads the other settings would change.
    pub(super) fn take_from(all: &mut Map<String, Value>) -> Result<Self, ConfigError> {
        let names: Vec<String> = all.keys().filter(|name| name.starts_with(SECTION)).cloned().collect();
        let mut found: BTreeMap<String, BTreeMap<String, f64>> = BTreeMap::new();
        let mut currency = String::new();
        for name in names {
            let Some(value) = all.remove(&name) else { continue };
            match name[SECTION.len()..].rsplit_once('.') {
                None => currency = value.into_string().unwrap_or_default(),
                Some((model, field)) => {
                    let amount =
                        value.into_float().map_err(|fault| ConfigError::Misfit(fault.to_string()))?;
                    found.entry(model.to_lowercase()).or_default().insert(field.to_owned(), amount);
                }
            }
        }
        let models = found.into_iter().map(|(model, fields)| Ok((model.clone(), price(&model, &fields)?)));
        Ok(Self { currency, models: models.collect::<Result<_, ConfigError>>()? })
    }
}

fn price(model: &str, fields: &BTreeMap<String, f64>) -> Result<Price, ConfigError> {
    let price = |field: &str| fields.get(field).copied();
    let (Some(input), Some(output)) = (price("input"), price("output")) else {
        let words = format!("prices.\"{model}\" needs `input` and `output`, each for a million tokens");
        return Err(ConfigError::Misfit(words));
    };
    Ok(Price { input, cached: price("cached").unwrap_or(input), output })
}

/// Converts a count of tokens. Exact up to 2^53, far beyond any call.
fn tokens(count: u64) -> f64 {
    count as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    const MINI: Price = Price { input: 0.25, cached: 0.025, output: 2.0 };

    fn is(found: f64, expected: f64) {
        assert!((found - expected).abs() < 1e-12, "{found} is not {expected}");
    }

    #[test]
    fn cached_tokens_are_a_part_of_the_input_and_have_a_price_of_their_own() {
        is(MINI.cost(1200, 1000, 80), (200.0 * 0.25 + 1000.0 * 0.025 + 80.0 * 2.0) / 1e6);
        is(MINI.cost(1_000_000, 0, 0), 0.25);
        is(MINI.cost(0, 0, 1_000_000), 2.0);
        is(MINI.cost(0, 0, 0), 0.0);
    }

    // Some endpoints report more cached tokens than input tokens.
    #[test]
    fn no_call_costs_less_than_nothing() {
        is(MINI.cost(100, 5_000, 0), 100.0 * 0.025 / 1e6);
    }

    #[test]
    fn a_model_without_a_price_has_none_rather_than_nothing() {
        let prices = Prices::new("USD", [(String::from("Org/Model-4.1"), MINI)]);
        assert_eq!(prices.price_for("org/model-4.1"), Some(MINI));
        assert_eq!(prices.price_for("org/model-4"), None);
    }
}
