//! Hosts that a run may visit, for the gate and for the browser's URL policy.
//!
//! The person's words name hosts for the whole tree. The first messages of a run that another one called are the
//! words of its caller, and name none.

use crate::gate::flow::named_hosts::hosts_named_in;
use crate::gate::host_kinds::HostContext;
use crate::gate::host_scope::HostScope;
use crate::planning::{HistoryEntry, Speaker};
use crate::programs::conversation::state::ConversationState;
use crate::programs::conversation::visit_context::{ConversationDeps, VisitContext};

/// Returns the hosts that the run may visit and those that the person has named, without the files of the
/// run.
pub fn hosts(cx: &VisitContext) -> HostContext {
    let HostScope { named, allowed } = scope_for_children(&cx.state, &cx.deps);
    HostContext {
        allowed_hosts: allowed.unwrap_or_default(),
        named_hosts: named,
        approved_hosts: cx.state.hosts.clone(),
        private_hosts: cx.deps.hosts.private.clone(),
        own_origin: cx.deps.hosts.own_origin.clone(),
        files: Vec::new(),
    }
}

/// Returns the hosts that hold for the run and that the runs below it inherit.
pub fn scope_for_children(state: &ConversationState, deps: &ConversationDeps) -> HostScope {
    let inherited = &deps.hosts.inherited;
    let mut named = inherited.named.clone();
    let own = person_messages(&state.messages, deps.caller.is_some()).flat_map(hosts_named_in);
    for host in own.chain(state.hosts.iter().cloned()) {
        if !named.contains(&host) {
            named.push(host);
        }
    }
    HostScope { named, allowed: inherited.narrow(deps.hosts.allowed.as_deref()) }
}

/// Returns the messages of the person. Of a called run, those before its first action come from its caller.
pub fn person_messages(messages: &[HistoryEntry], is_called: bool) -> impl Iterator<Item = &str> {
    let is_message = |entry: &&HistoryEntry| matches!(entry, HistoryEntry::Message { .. });
    let from_caller = if is_called { messages.iter().take_while(is_message).count() } else { 0 };
    messages.iter().skip(from_caller).filter_map(|entry| match entry {
        HistoryEntry::Message { by: Speaker::Person, text } => Some(text.as_str()),
        HistoryEntry::Message { by: Speaker::Agent, .. }
        | HistoryEntry::Acted { .. }
        | HistoryEntry::Ended { .. }
        | HistoryEntry::Summary { .. }
        | HistoryEntry::Premove { .. } => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::turn::Turn;

    // Arguments that an agent gives to a child are not the person's words; what the person says later is.
    #[test]
    fn the_first_messages_of_a_called_run_are_not_the_persons() {
        let said = |by, text: &str| HistoryEntry::Message { by, text: text.to_owned() };
        let acted = HistoryEntry::Acted { turn: Turn::default(), results: Vec::new() };
        let messages = [
            said(Speaker::Person, "history"),
            said(Speaker::Agent, "reply"),
            said(Speaker::Person, "opening"),
            acted,
            said(Speaker::Person, "later"),
        ];
        for (is_called, expected) in [(false, &["history", "opening", "later"][..]), (true, &["later"])] {
            assert_eq!(person_messages(&messages, is_called).collect::<Vec<_>>(), expected);
        }
    }
}
