//! Judgement of the requests of a browser's pages. The browser holds them and knows what the page did before; what
//! they mean is judged by the run.

use crate::page::outgoing_request::OutgoingRequest;
use futures_util::future::BoxFuture;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A request that may have an effect, with what the browser knows about it.
#[derive(Clone, Debug)]
pub struct RequestFacts {
    pub request: OutgoingRequest,
    /// Chromium's id of the request, which its redirects keep; empty if unknown.
    pub network_id: String,
    pub timing: RequestTiming,
    /// Last body that the page sent by the same method to the same path.
    pub earlier: Option<EarlierBody>,
    /// True if it deletes a thing that the page has stored itself, by a request that left.
    pub stored_before: bool,
    /// True if it goes to a site that was opened as a page, where the browser may be signed in.
    pub to_visited_site: bool,
}

/// Relation of a request to the agent's actions on its page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RequestTiming {
    /// Before any action on the document: the page sends it by itself.
    BeforeAction,
    /// After an action, but of a kind that the page sent before any.
    OfKnownKind,
    /// New in kind after an action, however late: the last action caused it.
    AfterAction,
}

/// Body of an earlier request.
#[derive(Clone, Debug, PartialEq)]
pub struct EarlierBody {
    pub content_type: String,
    pub body: Vec<u8>,
}

/// Judgement of a request.
#[derive(Clone, Debug, PartialEq)]
pub enum RequestDecision {
    Pass,
    /// It fails; the page sees a blocked request.
    Refuse,
    /// It waits for a person. `question` is what the run needs to ask.
    Hold {
        question: Value,
    },
}

/// A file that has arrived and that a system would run. Nobody but the browser has it until it is judged.
#[derive(Clone, Debug)]
pub struct DownloadFacts {
    pub name: String,
    pub url: String,
    pub size: u64,
    /// Kind of the file by its content or name, such as `exe` or `script`.
    pub kind: String,
    /// Address of the page in front.
    pub page: String,
}

/// Judge of the requests of one browser.
pub trait RequestJudge: Send + Sync {
    /// Judges a request. The request stays paused until the future ends.
    fn judge_request(&self, facts: RequestFacts) -> BoxFuture<'static, RequestDecision>;

    /// Judges a downloaded program. The file is kept aside until the future ends.
    fn judge_download(&self, facts: DownloadFacts) -> BoxFuture<'static, RequestDecision>;
}
