//! Attribute names of the OpenTelemetry semantic conventions, version 1.37.0. Their part on generative AI is
//! still in development, so the version is pinned here and nowhere else. Attributes without a conventional
//! name begin with `askfirst.`.

use crate::observability::otlp::span::{Attribute, AttributeValue};
use std::sync::OnceLock;

pub const SCHEMA_URL: &str = "https://opentelemetry.io/schemas/1.37.0";

pub const OPERATION: &str = "gen_ai.operation.name";
pub const PROVIDER: &str = "gen_ai.provider.name";
pub const AGENT_NAME: &str = "gen_ai.agent.name";
pub const AGENT_ID: &str = "gen_ai.agent.id";
pub const CONVERSATION: &str = "gen_ai.conversation.id";
pub const REQUEST_MODEL: &str = "gen_ai.request.model";
pub const INPUT_TOKENS: &str = "gen_ai.usage.input_tokens";
pub const OUTPUT_TOKENS: &str = "gen_ai.usage.output_tokens";
pub const TOOL_NAME: &str = "gen_ai.tool.name";
pub const TOOL_CALL: &str = "gen_ai.tool.call.id";
pub const TOOL_TYPE: &str = "gen_ai.tool.type";
pub const INPUT_MESSAGES: &str = "gen_ai.input.messages";
pub const OUTPUT_MESSAGES: &str = "gen_ai.output.messages";
pub const ERROR: &str = "error.type";

pub const INVOKE_AGENT: &str = "invoke_agent";
pub const CHAT: &str = "chat";
pub const EXECUTE_TOOL: &str = "execute_tool";
/// Every endpoint uses the protocol of OpenAI.
pub const OPENAI: &str = "openai";

pub const RUN: &str = "askfirst.run.id";
pub const ROOT: &str = "askfirst.run.root_id";
pub const PROGRAM: &str = "askfirst.run.program";
pub const STATUS: &str = "askfirst.status";
pub const NODE: &str = "askfirst.step.node";
pub const OUTCOME: &str = "askfirst.step.outcome";
pub const STEP: &str = "askfirst.step.number";
pub const ROLE: &str = "askfirst.model.role";
pub const CACHED_TOKENS: &str = "askfirst.usage.cached_tokens";
pub const COST: &str = "askfirst.usage.cost";
pub const KIND: &str = "askfirst.question.kind";
pub const REFERENCE: &str = "askfirst.question.reference";
pub const TASK: &str = "askfirst.task.id";
pub const EFFECT: &str = "askfirst.effect";

/// Selects whether inputs and responses are exported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ContentExport {
    Included,
    Omitted,
}

/// Returns the resource attributes of this service.
pub fn resource() -> &'static [Attribute] {
    static RESOURCE: OnceLock<Vec<Attribute>> = OnceLock::new();
    RESOURCE.get_or_init(|| {
        vec![
            ("service.name", AttributeValue::from("askfirst")),
            ("service.version", AttributeValue::from(env!("CARGO_PKG_VERSION"))),
        ]
    })
}

/// Formats a message as the conventions require.
pub fn message(role: &str, text: &str) -> AttributeValue {
    let parts = serde_json::json!([{"role": role, "parts": [{"type": "text", "content": text}]}]);
    AttributeValue::Text(parts.to_string())
}
