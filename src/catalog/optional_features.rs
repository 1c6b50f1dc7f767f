//! Optional features of an agent, as set by its file: knowledge, premoves, compaction, background tasks,
//! model and thinking.

use crate::agent_spec::types::conversation_parts::{Measured, Part, Switch, Thinking};
use crate::agent_spec::types::spec::AgentSpec;
use crate::knowledge::passage::{CHARACTERS, PASSAGES, Scope};
use crate::knowledge::{Knowledge, KnowledgeAccess};
use crate::planning::ModelPreference;
use crate::programs::conversation::state::memory::premoves::PremoveSettings;
use std::sync::Arc;

/// Returns the agent's access to its knowledge, or `None` if its file disables it.
pub fn knowledge_access(agent: &AgentSpec, index: &Arc<Knowledge>) -> Option<KnowledgeAccess> {
    let part = agent.browser.as_ref().map_or_else(
        || agent.llm.as_ref().and_then(|llm| llm.knowledge.as_ref()),
        |browser| browser.knowledge.as_ref(),
    );
    if Part::is_off(part) {
        return None;
    }
    let settings = Part::settings(part).cloned().unwrap_or_default();
    let scope = Scope {
        agent: agent.name.clone(),
        shared: settings.shared.unwrap_or(true),
        only: settings.relics,
        passages: settings.passages.unwrap_or(PASSAGES),
        characters: settings.characters.unwrap_or(CHARACTERS),
    };
    Some(KnowledgeAccess { index: Arc::clone(index), scope })
}

/// Returns the premove settings, or `None` if the file disables them or the agent has neither a browser nor
/// a model.
pub fn premove_settings(agent: &AgentSpec) -> Option<PremoveSettings> {
    let (part, uses) = match (&agent.browser, &agent.llm) {
        (Some(browser), _) => (browser.premoves.as_ref(), &browser.uses),
        (None, Some(llm)) => (llm.premoves.as_ref(), &llm.uses),
        (None, None) => return None,
    };
    let own = Part::settings(part).cloned().unwrap_or_default();
    (!Part::is_off(part)).then(|| PremoveSettings { own, uses: uses.clone() })
}

/// Reports whether a long history is compacted. The agent's file may disable it.
pub fn compaction_enabled(agent: &AgentSpec) -> bool {
    let browser = agent.browser.as_ref().and_then(|browser| browser.compaction);
    !Switch::is_off(browser.or(agent.llm.as_ref().and_then(|llm| llm.compaction)))
}

/// Reports whether called agents may run in the background. The agent's file may disable it.
pub fn runs_agents_in_background(agent: &AgentSpec) -> bool {
    let browser = agent.browser.as_ref().and_then(|browser| browser.tasks);
    !Switch::is_off(browser.or(agent.llm.as_ref().and_then(|llm| llm.tasks)))
}

/// Returns the model and temperature that the agent's file names.
pub fn model_preference(agent: &AgentSpec) -> ModelPreference {
    let llm = agent.llm.as_ref();
    ModelPreference {
        model: llm.and_then(|llm| llm.model.clone()),
        temperature: llm.and_then(|llm| llm.temperature),
    }
}

/// Returns the settings for thinking, with defaults filled in.
pub fn thinking_settings(agent: &AgentSpec) -> Measured {
    let browser = agent.browser.as_ref().and_then(|browser| browser.thinking.as_ref());
    Thinking::resolve(browser.or(agent.llm.as_ref().and_then(|llm| llm.thinking.as_ref())))
}
