//! Hosts that a run may visit, for the gate and for the browser.

use crate::browser::messages::RestrictUrls;
use crate::browser::network::url_policy::UrlCheck;
use crate::gate::host_kinds::HostContext;
use crate::gate::{host_kinds, url_refusals};
use crate::planning::{HistoryEntry, Speaker};
use crate::programs::conversation::visit_context::VisitContext;
use std::sync::Arc;

/// Returns the hosts that the run may visit and those that the person has named, without the files of the
/// run.
pub fn hosts(cx: &VisitContext) -> HostContext {
    let named_hosts = cx.state.messages.iter().filter_map(|entry| match entry {
        HistoryEntry::Said { by: Speaker::Person, text } => Some(host_kinds::named_in(text)),
        HistoryEntry::Said { by: Speaker::Agent, .. }
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

/// Returns the URL policy for navigations that pages start themselves or that an action causes. The host
/// of the current page is allowed.
pub fn url_policy(cx: &VisitContext) -> RestrictUrls {
    let mut context = hosts(cx);
    let current_url = cx
        .state
        .last_observation
        .as_ref()
        .and_then(|observed| host_kinds::parse_typed_url(&observed.url))
        .map(host_kinds::page_url);
    context.named_hosts.extend(current_url.as_ref().map(host_kinds::display_host));
    let is_restricted = !context.allowed_hosts.is_empty();
    let judge = move |url: &str| url_refusals::new_host_refusal(url, &context);
    RestrictUrls { judge: is_restricted.then(|| Arc::new(judge) as Arc<UrlCheck>) }
}
