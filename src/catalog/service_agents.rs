//! Agents without a file, for tasks of the service itself. They cannot be listed, started or changed.

use crate::agent_spec::types::conversation_parts::Vision;
use crate::agent_spec::types::executor::Llm;
use crate::agent_spec::types::spec::{AgentSpec, Kind, Variable};
use crate::programs::conversation::planning::compaction::{INPUT, OUTPUT, SUMMARY};
use std::sync::Arc;

/// Returns the internal agent of this name.
pub fn agent(name: &str) -> Option<Arc<AgentSpec>> {
    (name == SUMMARY).then(|| Arc::new(summary()))
}

/// Summarizes a conversation. `Planner::summarize` chooses the cheap model at temperature 0 (S2.32).
fn summary() -> AgentSpec {
    let variable = |name: &str, of: &str| Variable {
        name: name.to_owned(),
        of: Some(of.to_owned()),
        ..Variable::default()
    };
    let llm = Llm {
        prompt: format!("{{{{ {INPUT} }}}}"),
        system: None,
        parse_json: true,
        model: None,
        temperature: None,
        uses: Vec::new(),
        knowledge: None,
        premoves: None,
        compaction: None,
        tasks: None,
        plan: None,
        thinking: None,
        vision: Vision::default(),
    };
    AgentSpec {
        name: SUMMARY.to_owned(),
        inputs: vec![variable(INPUT, "list")],
        outputs: vec![variable(OUTPUT, "string")],
        llm: Some(llm),
        ..AgentSpec::blank(Kind::Atomic)
    }
}
