//! Messages to the person that are not the final response.

use crate::protocol::markdown;
use crate::protocol::server::Fact;

/// Returns the event for a message to the person that is not the final response.
pub fn agent_message(text: &str) -> Fact {
    let html = markdown::safe_html(text);
    Fact::AgentMessage { text: text.to_owned(), html, r#final: false }
}
