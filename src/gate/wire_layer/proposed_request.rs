//! A request that is about to leave, with what it is judged by.

use crate::browser::network::request_judge::{EarlierBody, RequestTiming};
use crate::gate::host_kinds::HostContext;
use crate::gate::request::ProposedAction;
use crate::page::outgoing_request::OutgoingRequest;
use crate::page::target::Form;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Kind of a field that stands for an argument of a page's tool; its name is the place of the argument.
pub const ARGUMENT: &str = "argument";

/// A request that a page is about to send.
#[derive(Clone, Debug)]
pub struct ProposedRequest {
    pub request: OutgoingRequest,
    pub timing: RequestTiming,
    /// Last body that the page sent by the same method to the same path.
    pub earlier: Option<EarlierBody>,
    /// True if it deletes a thing that the page has stored itself, by a request that left.
    pub stored_before: bool,
    /// True if it goes to a site that was opened as a page, where the browser may be signed in.
    pub to_visited_site: bool,
    /// Last action of the agent.
    pub cause: Arc<RequestCause>,
    /// Approvals of the person that no request has used yet.
    pub approved: Vec<ApprovedEffect>,
    /// Texts that the agent has typed.
    pub typed: Arc<Vec<String>>,
    pub context: HostContext,
}

/// An action that causes requests.
#[derive(Clone, Debug)]
pub struct RequestCause {
    pub action_id: String,
    pub proposed: ProposedAction,
}

/// An effect that the person has approved, for the comparison with what leaves.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ApprovedEffect {
    /// Reference of the question.
    pub reference: String,
    pub content: ApprovedContent,
}

/// Contents that the person has seen.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ApprovedContent {
    /// A form of the page, before it was sent.
    Form(Box<ApprovedForm>),
    /// Requests that were held and that the page gave up before the answer.
    Requests(Vec<ApprovedRequest>),
    /// Files that were given to a page.
    Files(ApprovedFiles),
    /// Another action: a navigation, a download. It approves no request but that of its own address.
    Address(String),
}

/// Files that a page may send to its own site.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ApprovedFiles {
    /// Names and sizes in bytes; the size is `None` if unknown.
    pub files: Vec<(String, Option<u64>)>,
    /// Address of the page.
    pub page: String,
}

/// A form as it was shown, with the control that sends it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ApprovedForm {
    pub form: Form,
    /// Texts that the action itself enters: names of fields and their values.
    #[serde(default)]
    pub entered: Vec<(String, String)>,
    /// Address of the page.
    pub page: String,
}

/// A held request as it was shown.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ApprovedRequest {
    pub method: String,
    pub url: String,
    /// Values in the order of the body; secrets as hashes.
    pub values: Vec<(String, String)>,
    /// Hash of a body of which the values are not all of it; empty for others.
    #[serde(default)]
    pub digest: String,
}
