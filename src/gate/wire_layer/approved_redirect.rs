//! Pages to which the answer to an approved request leads: a site that has done what was asked shows what comes of it. Pure.

use crate::gate::wire_layer::proposed_request::ProposedRequest;
use crate::gate::wording::address_words::{decode_segments, is_id, split_words};
use crate::page::outgoing_request::OutgoingRequest;
use url::{Url, form_urlencoded};

/// A request that left for an approval.
#[derive(Clone, Debug, PartialEq)]
pub struct ApprovedSending {
    network_id: String,
    origin: String,
    /// Address and values, in lower case.
    said: String,
}

impl ApprovedSending {
    /// Reads a request that an approval may cover; `None` if there is no approval.
    pub fn of_approved(network_id: &str, proposed: &ProposedRequest) -> Option<Self> {
        if proposed.approved.is_empty() {
            return None;
        }
        Self::read(network_id, &proposed.request)
    }

    /// Reads a request; `None` if its redirects cannot be told, or if not all of it is known.
    fn read(network_id: &str, request: &OutgoingRequest) -> Option<Self> {
        let is_whole = request.body.is_some() || request.size.is_none();
        let url = Url::parse(&request.url).ok().filter(|_| is_whole && !network_id.is_empty())?;
        let body = request.body.as_deref().unwrap_or_default();
        let fields = form_urlencoded::parse(body).map(|(name, value)| format!("{name} {value}"));
        let mut said: Vec<String> = decode_segments(&url);
        said.extend(url.query_pairs().map(|(name, value)| format!("{name} {value}")));
        said.extend(fields);
        said.push(String::from_utf8_lossy(body).into_owned());
        Some(Self {
            network_id: network_id.to_owned(),
            origin: url.origin().ascii_serialization(),
            said: said.join(" ").to_lowercase(),
        })
    }

    /// True for a redirect of the request to a page of the same site that the site itself has chosen: what its address
    /// says last stands nowhere in the request, which a page may have written.
    pub fn leads_to(&self, network_id: &str, request: &OutgoingRequest) -> bool {
        let is_page = request.is_safe_method() && request.kind.is_navigation();
        let Some(url) = Url::parse(&request.url).ok().filter(|_| is_page && self.network_id == network_id)
        else {
            return false;
        };
        let segments = decode_segments(&url);
        let Some(last) = segments.iter().rev().find(|part| !is_id(part)) else { return false };
        let words = split_words(last);
        url.origin().ascii_serialization() == self.origin
            && url.query().is_none()
            && !words.is_empty()
            && words.iter().all(|word| !self.said.contains(word.as_str()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::outgoing_request::RequestKind;

    fn request(method: &str, url: &str, body: &str) -> OutgoingRequest {
        OutgoingRequest {
            method: method.to_owned(),
            url: url.to_owned(),
            kind: RequestKind::Navigation,
            body: Some(body.as_bytes().to_vec()),
            ..OutgoingRequest::default()
        }
    }

    #[test]
    fn a_site_may_lead_to_its_own_page_and_no_page_may_choose_it() {
        let lead = |body: &str, to: &str| {
            let sent =
                ApprovedSending::read("n1", &request("POST", "https://a.test/pages/5/move/", body)).unwrap();
            sent.leads_to("n1", &request("GET", to, ""))
        };
        assert!(lead("dest=7", "https://a.test/pages/5/move/7/confirm/"));
        assert!(!lead("dest=7&next=%2Faccount%2Fdelete", "https://a.test/account/delete"));
        assert!(!lead("dest=7", "https://a.test/go?action=delete"));
        assert!(!lead("dest=7", "https://b.test/pages/5/move/7/confirm/"));
        let sent = ApprovedSending::read("n1", &request("POST", "https://a.test/pages/", "")).unwrap();
        let confirm = "https://a.test/pages/7/confirm/";
        assert!(!sent.leads_to("n2", &request("GET", confirm, "")), "another request");
        assert!(!sent.leads_to("n1", &request("POST", confirm, "")), "the method was kept");
    }
}
