//! The built-in policy stands and every rule of it is a rule.

use askfirst::gate::rules::{DEFAULT, Rules};

#[test]
fn the_built_in_policy_is_well_formed() {
    let rules = Rules::parse(DEFAULT).expect("the built-in policy");
    assert!(rules.iter().count() > 20);
}
