//! Calls of a model: answers of `llm` agents, and summaries of conversations.

pub(crate) mod history_summary;
pub(crate) mod llm_answer;
