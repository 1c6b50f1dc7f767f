//! Checks the knowledge and premoves of an agent.

use crate::agent_spec::agent_lookup::is_agent_name;
use crate::agent_spec::parse::fault::SpecFault;
use crate::agent_spec::types::conversation_parts::{Knowledge, Part, Premove};
use std::collections::BTreeSet;

/// Most premoves of one agent.
const PREMOVES: usize = 16;

pub fn check(
    section: &str,
    knowledge: Option<&Part<Knowledge>>,
    premoves: Option<&Part<Vec<Premove>>>,
    found: &mut Vec<SpecFault>,
) {
    if let Some(knowledge) = Part::settings(knowledge) {
        let sizes = [("passages", knowledge.passages), ("characters", knowledge.characters)];
        for (name, _) in sizes.iter().filter(|(_, most)| *most == Some(0)) {
            let message = "must be more than 0; to know nothing, write knowledge: off";
            found.push(SpecFault::new(format!("{section}.knowledge.{name}"), message));
        }
    }
    let Some(premoves) = Part::settings(premoves) else { return };
    if premoves.len() > PREMOVES {
        let message = format!("has more than {PREMOVES}; each is run before the model is asked");
        found.push(SpecFault::new(format!("{section}.premoves"), message));
    }
    let mut seen = BTreeSet::new();
    for (index, premove) in premoves.iter().enumerate() {
        let path = format!("{section}.premoves[{index}]");
        if !seen.insert(&premove.name) {
            let message = format!("\"{}\" appears twice", premove.name);
            found.push(SpecFault::new(format!("{path}.name"), message));
        }
        check_premove(&path, premove, found);
    }
}

fn check_premove(path: &str, premove: &Premove, found: &mut Vec<SpecFault>) {
    if !is_agent_name(&premove.agent) {
        found.push(SpecFault::new(
            format!("{path}.agent"),
            format!("\"{}\" is not an agent name", premove.agent),
        ));
    }
    if !is_agent_name(&premove.name) {
        let message = "must be a-z, 0-9 and _, begin with a letter, and have at most 64 characters";
        found.push(SpecFault::new(format!("{path}.name"), message));
    }
    if premove.tokens == Some(0) {
        let message = "must be more than 0; leave it out for the default";
        found.push(SpecFault::new(format!("{path}.tokens"), message));
    }
}
