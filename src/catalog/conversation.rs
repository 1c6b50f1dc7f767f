//! The initial state of a conversation: its opening is the person's message, or the agent's prompt filled in
//! with its inputs.

use crate::agent_spec::input_check;
use crate::agent_spec::types::executor::Llm;
use crate::agent_spec::types::spec::AgentSpec;
use crate::catalog::run_inputs::RunInputs;
use crate::engine::program::ProgramError;
use crate::engine::program::run_start::RunStart;
use crate::planning::{HistoryEntry, Speaker};
use crate::programs::conversation::Conversation;
use crate::programs::conversation::ending::title::opening_title;
use crate::programs::conversation::state::ConversationState;
use crate::programs::conversation::state::node::ConversationNode;
use crate::script::rendering;
use serde_json::{Map, Value, json};

/// Name of the input with the earlier messages of a chat: `[{role, content}]`.
pub const HISTORY: &str = "history";

/// Returns the beginning of a conversation. Fails if the input does not fit, or the prompt cannot be filled in.
pub fn conversation(spec: &AgentSpec, input: &Map<String, Value>) -> Result<RunStart, ProgramError> {
    let message = message_text(spec, input)?;
    let RunInputs { values: mut inputs_by_name, locale, title: run_title } =
        RunInputs::complete(spec, input)?;
    // Every conversation has these two inputs, declared or not.
    inputs_by_name.entry("text").or_insert_with(|| json!(message));
    inputs_by_name.entry("locale").or_insert_with(|| json!(locale.tag()));
    let messages = take_history(spec, &mut inputs_by_name);
    let inputs = input_check::context(spec, inputs_by_name);
    let prompt = spec.llm.as_ref().map(|llm| render_prompt(llm, &inputs)).transpose()?;
    let opening = prompt.unwrap_or_else(|| message.to_owned());
    let program = if spec.browser.is_some() { Conversation::NAME } else { Conversation::WITHOUT_PAGE };
    let state = ConversationState { inputs, messages, ..ConversationState::begin(opening, locale) };
    let title = if message.is_empty() { run_title } else { opening_title(message) };
    Ok(RunStart::without_limits(program, ConversationNode::IngestUserInput.word(), json!(state), title))
}

/// Takes the messages of an earlier chat out of the inputs, unless the agent declares an input of that name.
/// Messages with the role `assistant` are never treated as a person's.
fn take_history(spec: &AgentSpec, inputs_by_name: &mut Map<String, Value>) -> Vec<HistoryEntry> {
    if spec.inputs.iter().any(|input| input.name == HISTORY) {
        return Vec::new();
    }
    let history = inputs_by_name.remove(HISTORY);
    let to_entry = |one: &Value| {
        let by = if one["role"] == "assistant" { Speaker::Agent } else { Speaker::Person };
        Some(HistoryEntry::Message { by, text: one["content"].as_str()?.to_owned() })
    };
    history.iter().flat_map(|history| history.as_array().into_iter().flatten()).filter_map(to_entry).collect()
}

/// Returns the person's message, trimmed. It may be empty for agents that have a script or a prompt.
fn message_text<'i>(spec: &AgentSpec, input: &'i Map<String, Value>) -> Result<&'i str, ProgramError> {
    match input.get("text") {
        Some(Value::String(text)) if !text.trim().is_empty() => Ok(text.trim()),
        Some(Value::Null) | None if !input_check::wants_text(spec) => Ok(""),
        Some(Value::String(_)) => Err(ProgramError::BadInput(String::from("`text` is empty"))),
        Some(Value::Null) | None => {
            Err(ProgramError::BadInput(String::from("`text` (what to do) is missing")))
        }
        Some(_) => Err(ProgramError::BadInput(String::from("`text` must be a string"))),
    }
}

fn render_prompt(llm: &Llm, inputs: &Map<String, Value>) -> Result<String, ProgramError> {
    let prompt = rendering::render_text(&llm.prompt, inputs).map_err(ProgramError::Failed)?;
    if prompt.trim().is_empty() {
        return Err(ProgramError::BadInput(String::from(
            "the agent's prompt comes out empty with this input",
        )));
    }
    Ok(prompt.trim().to_owned())
}
