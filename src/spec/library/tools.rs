//! Agents without files: the tools of other servers, by their names.

use super::Library;
use crate::spec::AgentSpec;
use crate::spec::tool::{Missing, Patience, ToolRef, Tools};
use futures_util::future::BoxFuture;
use std::collections::BTreeSet;
use std::sync::Arc;

impl Library {
    /// Tools of other servers are found here, too.
    pub fn with_tools(&self, tools: Arc<dyn Tools>) {
        let _ = self.tools.set(tools);
    }

    /// Done once these servers have said what they offer, or were silent for too long. Holds no thread.
    pub fn heard(&self, servers: BTreeSet<String>, patience: Patience) -> BoxFuture<'static, ()> {
        match self.tools.get() {
            Some(tools) if !servers.is_empty() => tools.heard(servers, patience),
            Some(_) | None => Box::pin(std::future::ready(())),
        }
    }

    /// The tool of another server as an agent, if that is its name, as far as is known now.
    pub fn tool(&self, name: &str) -> Option<Result<Arc<AgentSpec>, Missing>> {
        let (tool, tools) = (ToolRef::read(name)?, self.tools.get()?);
        Some(tools.agent(&tool))
    }
}
