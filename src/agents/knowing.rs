//! What an agent was given to know, what it looks up before it plans, and how much it thinks, as its file says.

use crate::conversation::premoves::Premoving;
use crate::knowledge::{CHARACTERS, Knowledge, Knows, PASSAGES, Scope};
use crate::model::Preferred;
use crate::spec::AgentSpec;
use crate::spec::parts::{Measured, Part, Switch, Thinking};
use std::sync::Arc;

/// None where its file switches it off.
pub fn of(agent: &AgentSpec, index: &Arc<Knowledge>) -> Option<Knows> {
    let said = agent.browser.as_ref().map_or_else(
        || agent.llm.as_ref().and_then(|llm| llm.knowledge.as_ref()),
        |browser| browser.knowledge.as_ref(),
    );
    if Part::is_off(said) {
        return None;
    }
    let set = Part::said(said).cloned().unwrap_or_default();
    let scope = Scope {
        agent: agent.name.clone(),
        shared: set.shared.unwrap_or(true),
        only: set.relics,
        passages: set.passages.unwrap_or(PASSAGES),
        characters: set.characters.unwrap_or(CHARACTERS),
    };
    Some(Knows { index: Arc::clone(index), scope })
}

/// None where its file switches it off.
pub fn premoving(agent: &AgentSpec) -> Option<Premoving> {
    let (said, uses) = match (&agent.browser, &agent.llm) {
        (Some(browser), _) => (browser.premoves.as_ref(), &browser.uses),
        (None, Some(llm)) => (llm.premoves.as_ref(), &llm.uses),
        (None, None) => return None,
    };
    let own = Part::said(said).cloned().unwrap_or_default();
    (!Part::is_off(said)).then(|| Premoving { own, uses: uses.clone() })
}

/// Whether a long history is put together; its file may switch it off.
pub fn compacts(agent: &AgentSpec) -> bool {
    let browser = agent.browser.as_ref().and_then(|browser| browser.compaction);
    !Switch::is_off(browser.or(agent.llm.as_ref().and_then(|llm| llm.compaction)))
}

/// Whether agents that it calls may go on beside it; its file may switch that off.
pub fn works_beside(agent: &AgentSpec) -> bool {
    let browser = agent.browser.as_ref().and_then(|browser| browser.tasks);
    !Switch::is_off(browser.or(agent.llm.as_ref().and_then(|llm| llm.tasks)))
}

/// The model that its file names, and how free that one is.
pub fn preferred(agent: &AgentSpec) -> Preferred {
    let llm = agent.llm.as_ref();
    Preferred {
        model: llm.and_then(|llm| llm.model.clone()),
        temperature: llm.and_then(|llm| llm.temperature),
    }
}

pub fn thinking(agent: &AgentSpec) -> Measured {
    let browser = agent.browser.as_ref().and_then(|browser| browser.thinking.as_ref());
    Thinking::of(browser.or(agent.llm.as_ref().and_then(|llm| llm.thinking.as_ref())))
}
