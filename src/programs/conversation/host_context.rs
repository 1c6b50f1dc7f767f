//! Hosts that a run may visit, for the gate and for the browser's URL policy.

use crate::gate::flow::named_hosts::hosts_named_in;
use crate::gate::host_kinds::HostContext;
use crate::planning::{HistoryEntry, Speaker};
use crate::programs::conversation::visit_context::VisitContext;

/// Returns the hosts that the run may visit and those that the person has named, without the files of the
/// run.
pub fn hosts(cx: &VisitContext) -> HostContext {
    let named_hosts = cx.state.messages.iter().filter_map(|entry| match entry {
        HistoryEntry::Message { by: Speaker::Person, text } => Some(hosts_named_in(text)),
        HistoryEntry::Message { by: Speaker::Agent, .. }
        | HistoryEntry::Acted { .. }
        | HistoryEntry::Ended { .. }
        | HistoryEntry::Summary { .. }
        | HistoryEntry::Premove { .. } => None,
    });
    HostContext {
        allowed_hosts: cx.deps.hosts.allowed.clone().unwrap_or_default(),
        named_hosts: named_hosts.flatten().chain(cx.state.hosts.iter().cloned()).collect(),
        private_hosts: cx.deps.hosts.private.clone(),
        own_origin: cx.deps.hosts.own_origin.clone(),
        files: Vec::new(),
    }
}
