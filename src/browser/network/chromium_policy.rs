//! Policy that a connection applies to the pages of one Chromium: paused requests, the password of the proxy,
//! and what a person types.

use crate::browser::cdp::message::{CdpEvent, RawCommand};
use crate::browser::cdp::request_policy::{PausedDecision, PausedRequest, RequestPolicy};
use crate::browser::network::called_method::called_method;
use crate::browser::network::egress_proxy::{Proxy, USER};
use crate::browser::network::url_policy::{UrlLimits, UrlPolicy};
use crate::secrets::named_secrets::NamedSecrets;
use crate::secrets::typed_by_person::BINDING;
use serde_json::{Value, json};
use std::sync::Arc;
use tokio::sync::mpsc;
use url::Url;

#[derive(Clone, Debug)]
pub struct ChromiumPolicy {
    pub urls: UrlPolicy,
    /// Proxy of this Chromium; `None` for one on another machine.
    pub proxy: Option<Arc<Proxy>>,
    /// Receives the requests that may have an effect; `None` where nobody judges them.
    judged: Option<mpsc::UnboundedSender<PausedRequest>>,
}

impl ChromiumPolicy {
    /// Returns the policy of a Chromium that uses this proxy.
    pub fn new(urls: &UrlPolicy, proxy: Option<Arc<Proxy>>) -> Self {
        let urls = match &proxy {
            Some(proxy) => urls.with_failures(proxy.failures.clone()),
            None => urls.clone(),
        };
        Self { urls, proxy, judged: None }
    }

    /// Returns the policy for the pages of one context, with secrets and limits of its own. Requests that may
    /// have an effect are sent to `judged`.
    pub fn for_context(
        &self,
        secrets: NamedSecrets,
        limits: UrlLimits,
        judged: mpsc::UnboundedSender<PausedRequest>,
    ) -> Self {
        let urls = self.urls.for_context(secrets, limits);
        Self { urls, proxy: self.proxy.clone(), judged: Some(judged) }
    }
}

/// Builds the command that lets a paused request leave as it is.
pub(in crate::browser) fn continue_command(id: &str) -> RawCommand {
    RawCommand::new("Fetch.continueRequest", json!({"requestId": id}))
}

/// Builds the command that fails a paused request; `reason` is a CDP error reason.
pub(in crate::browser) fn refuse_command(id: &str, reason: &str) -> RawCommand {
    RawCommand::new("Fetch.failRequest", json!({"requestId": id, "errorReason": reason}))
}

/// True if the request carries a body, by whatever method. Chromium's own preflights carry none.
fn has_body(paused: &CdpEvent) -> bool {
    paused.params.pointer("/request/hasPostData").and_then(Value::as_bool).unwrap_or_default()
}

impl RequestPolicy for ChromiumPolicy {
    /// Aborting a document request leaves the page where it is; other reasons would show an error page.
    fn decide_paused_request(&self, paused: &CdpEvent, is_main_frame: bool) -> PausedDecision {
        let id = paused.text("/requestId");
        let url = paused.text("/request/url");
        let document = paused.text("/resourceType") == "Document";
        let open = if is_main_frame && document {
            self.urls.page_block_message(url).is_none()
        } else {
            self.urls.block_reason(url).is_none()
        };
        let is_judged =
            document || has_body(paused) || self.urls.may_have_effect(&called_method(paused), url);
        if open && self.judged.is_some() && is_judged {
            return PausedDecision::Judge;
        }
        if open {
            return PausedDecision::Continue(continue_command(id));
        }
        let reason = if document { "Aborted" } else { "BlockedByClient" };
        // Only the host is logged: a page can put anything into the rest.
        let host = Url::parse(url).ok().and_then(|url| url.host_str().map(str::to_owned));
        tracing::info!(host, kind = paused.text("/resourceType"), "request blocked");
        PausedDecision::Refuse(refuse_command(id, reason))
    }

    fn forward_for_judgement(&self, paused: PausedRequest) -> Result<(), PausedRequest> {
        match &self.judged {
            Some(judged) => judged.send(paused).map_err(|unsent| unsent.0),
            None => Err(paused),
        }
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
