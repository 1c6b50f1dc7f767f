//! Policy that a connection applies to the pages of one Chromium: paused requests, the password of the proxy,
//! and what a person types.

use crate::browser::cdp::message::{CdpEvent, RawCommand};
use crate::browser::cdp::request_policy::RequestPolicy;
use crate::browser::network::egress_proxy::{Proxy, USER};
use crate::browser::network::url_policy::{UrlLimits, UrlPolicy};
use crate::secrets::named_secrets::NamedSecrets;
use crate::secrets::typed_by_person::BINDING;
use serde_json::json;
use std::sync::Arc;
use url::Url;

#[derive(Clone, Debug)]
pub struct ChromiumPolicy {
    pub urls: UrlPolicy,
    /// Proxy of this Chromium; `None` for one on another machine.
    pub proxy: Option<Arc<Proxy>>,
}

impl ChromiumPolicy {
    /// Returns the policy of a Chromium that uses this proxy.
    pub fn new(urls: &UrlPolicy, proxy: Option<Arc<Proxy>>) -> Self {
        let urls = match &proxy {
            Some(proxy) => urls.with_failures(proxy.failures.clone()),
            None => urls.clone(),
        };
        Self { urls, proxy }
    }

    /// Returns the policy for the pages of one context, with secrets and limits of its own.
    pub fn for_context(&self, secrets: NamedSecrets, limits: UrlLimits) -> Self {
        Self { urls: self.urls.for_context(secrets, limits), proxy: self.proxy.clone() }
    }
}

impl RequestPolicy for ChromiumPolicy {
    /// Aborting a document request leaves the page where it is; other reasons would show an error page.
    fn decide_paused_request(&self, paused: &CdpEvent, is_main_frame: bool) -> (RawCommand, bool) {
        let id = paused.text("/requestId");
        let url = paused.text("/request/url");
        let document = paused.text("/resourceType") == "Document";
        let open = if is_main_frame && document {
            self.urls.page_block_message(url).is_none()
        } else {
            self.urls.block_reason(url).is_none()
        };
        if open {
            return (RawCommand::new("Fetch.continueRequest", json!({"requestId": id})), true);
        }
        let reason = if document { "Aborted" } else { "BlockedByClient" };
        // Only the host is logged: a page can put anything into the rest.
        let host = Url::parse(url).ok().and_then(|url| url.host_str().map(str::to_owned));
        tracing::info!(host, kind = paused.text("/resourceType"), "request blocked");
        (RawCommand::new("Fetch.failRequest", json!({"requestId": id, "errorReason": reason})), false)
    }

    /// Returns the password for our proxy, and no credentials for anyone else.
    fn answer_challenge(&self, challenge: &CdpEvent) -> RawCommand {
        let id = challenge.text("/requestId");
        let ours = self.proxy.as_ref().filter(|_| challenge.text("/authChallenge/source") == "Proxy");
        let response = match ours {
            Some(proxy) => {
                json!({"response": "ProvideCredentials", "username": USER, "password": proxy.password})
            }
            None => json!({"response": "Default"}),
        };
        RawCommand::new("Fetch.continueWithAuth", json!({"requestId": id, "authChallengeResponse": response}))
    }

    fn store_typed(&self, event: &CdpEvent) {
        if event.text("/name") == BINDING {
            self.urls.secrets().typed().add_report(event.text("/payload"));
        }
    }
}
