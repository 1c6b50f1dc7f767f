//! Requests of a page context that wait for a person. One question covers those of one kind that one action
//! caused.

use crate::browser::cdp::connection::{Connection, Session};
use crate::browser::sockets::guard::HeldMessage;
use crate::browser::sockets::message_report::MessageReport;
use crate::page::outgoing_request::{OutgoingRequest, RequestKind};
use crate::turn::action::Action;
use crate::turn::named_secret;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::cell::RefCell;
use std::collections::{BTreeSet, HashSet, VecDeque};
use std::fmt;
use tokio::sync::watch;

/// Bounds of what waits for a person; a page may send without end.
const MOST_HELD: usize = 200;
const MOST_HELD_KINDS: usize = 10;
const MOST_HELD_BYTES: u64 = 128 * 1024 * 1024;
/// Maximum number of requests that are judged at a time.
const MOST_JUDGED: usize = 500;
/// Maximum number of requests that are remembered as given up.
const MOST_GIVEN_UP: usize = 100;
/// Maximum number of requests whose failure is remembered: as many as may be judged meanwhile.
const MOST_FAILED: usize = MOST_JUDGED;

/// Texts that the last action has typed, by the eids of their fields.
#[derive(Default)]
pub struct TypedTexts {
    texts: Vec<(u32, String)>,
    /// True once a text was typed again: a page that keeps cutting it off would ask the person without end.
    is_completed: bool,
}

impl fmt::Debug for TypedTexts {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("TypedTexts").field("count", &self.texts.len()).finish_non_exhaustive()
    }
}

impl TypedTexts {
    /// Reads the texts of an action. Named secrets and single characters are left out: neither can be cut off.
    pub fn of_action(action: &Action) -> Self {
        let is_text = |text: &str| text.chars().nth(1).is_some() && named_secret::name_in(text).is_none();
        let typed = action.typed_texts().into_iter().filter(|(_, text)| is_text(text));
        let texts = typed.filter_map(|(eid, text)| Some((eid?, text.to_owned()))).collect();
        Self { texts, is_completed: false }
    }

    pub fn texts(&self) -> &[(u32, String)] {
        &self.texts
    }

    /// Records that a text is typed again. Returns false if one was before.
    pub fn begin_completion(&mut self) -> bool {
        !std::mem::replace(&mut self.is_completed, true)
    }
}

/// The held requests of a page context.
#[derive(Debug)]
pub struct HeldRequests {
    /// Identifies the context: after a restart, no request of an earlier one is held.
    context: String,
    state: watch::Sender<HeldState>,
    /// Texts that the last action has typed.
    pub typed: RefCell<TypedTexts>,
}

#[derive(Debug, Default)]
struct HeldState {
    /// In the order in which the pages sent them.
    held: Vec<HeldRequest>,
    /// Positions of the requests that are being judged.
    judged: BTreeSet<u64>,
    /// Number of requests so far.
    arrived: u64,
    /// Network ids of requests that failed last. A page may give a request up while it is judged, and Chromium tells
    /// failures and pauses in events of different sessions, in no order.
    failed: VecDeque<String>,
    /// Held requests that their pages have given up, oldest first: a person may be asked about them.
    given_up: VecDeque<GivenUpRequest>,
}

/// A request that its page has given up while it was held.
#[derive(Debug)]
struct GivenUpRequest {
    id: String,
    kind: String,
    /// Content that an approval of it is bound to.
    approved: Value,
}

impl GivenUpRequest {
    fn from_held(held: &HeldRequest) -> Self {
        let approved = held.question["approved"].clone();
        Self { id: held.id.clone(), kind: held.kind.clone(), approved }
    }

    /// True if an approval or refusal of this request holds for another one.
    fn is_same_as(&self, held: &HeldRequest) -> bool {
        self.kind == held.kind && !self.approved.is_null() && held.question["approved"] == self.approved
    }
}

/// A held request.
#[derive(Clone, Debug)]
pub struct HeldRequest {
    /// Position in the order in which the pages sent them.
    pub arrival: u64,
    /// Identifies it in its page context.
    pub id: String,
    pub held_by: HeldBy,
    pub request: OutgoingRequest,
    /// Kind of the request (`network/history/kind.rs`).
    pub kind: String,
    /// The judge's question about it.
    pub question: Value,
}

impl HeldRequest {
    /// Returns the session in which Chromium has paused it; `None` if something else holds it.
    pub fn pausing_session(&self, connection: &Connection) -> Option<Session> {
        let HeldBy::Chromium { session, .. } = &self.held_by else { return None };
        let session = session.clone().map(|session| connection.session(session));
        Some(session.unwrap_or_else(|| connection.browser()))
    }
}

impl HeldRequest {
    fn has_network_id(&self, network_id: &str) -> bool {
        matches!(&self.held_by, HeldBy::Chromium { network_id: id, .. } if id == network_id)
    }

    /// True if one question is about both: they are of one kind, or the judge says so.
    fn is_asked_with(&self, other: &Self) -> bool {
        let together = |held: &Self| held.question["together"].as_str().unwrap_or_default().to_owned();
        self.kind == other.kind || (!together(self).is_empty() && together(self) == together(other))
    }
}

/// Place in which a request waits.
#[derive(Clone, Debug)]
pub enum HeldBy {
    /// Chromium has paused it.
    Chromium {
        /// Id of the request in CDP's network events; empty if unknown.
        network_id: String,
        /// CDP session that paused it; `None` for the browser's own.
        session: Option<String>,
    },
    /// The wrapper of sockets in the page.
    SocketWrapper(Box<HeldSocketMessage>),
    /// The folder of downloads, in which a program that has arrived waits.
    DownloadFolder,
}

/// A message that the wrapper of sockets holds.
#[derive(Clone, Debug)]
pub struct HeldSocketMessage {
    pub place: HeldMessage,
    /// Session of its document or worker.
    pub session: String,
    pub report: MessageReport,
}

/// Held requests that one question is about, oldest first.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HeldBatch {
    /// Context whose requests these are.
    pub context: String,
    pub ids: Vec<String>,
    /// The judge's question of each.
    pub questions: Vec<Value>,
}

impl Default for HeldRequests {
    fn default() -> Self {
        Self { context: crate::ids::token(), state: watch::Sender::default(), typed: RefCell::default() }
    }
}

impl HeldRequests {
    /// Records that a request is being judged. Returns its position, or `None` if too many are judged already.
    pub fn begin_judgement(&self) -> Option<u64> {
        let mut arrival = None;
        self.state.send_modify(|state| {
            if state.judged.len() < MOST_JUDGED {
                state.arrived += 1;
                state.judged.insert(state.arrived);
                arrival = Some(state.arrived);
            }
        });
        arrival
    }

    /// Records that the request at a position is judged; `held` if it is to wait for a person. Returns it if too many
    /// wait already.
    pub fn end_judgement(&self, arrival: u64, held: Option<HeldRequest>) -> Option<HeldRequest> {
        let mut surplus = None;
        self.state.send_modify(|state| {
            state.judged.remove(&arrival);
            match held.filter(|held| !state.failed.iter().any(|id| held.has_network_id(id))) {
                Some(held) if state.is_full_for(&held) => surplus = Some(held),
                held => state.held.extend(held),
            }
            state.held.sort_by_key(|held| held.arrival);
        });
        surplus
    }

    /// Takes all requests, because their pages go.
    pub fn take_all(&self) -> Vec<HeldRequest> {
        let mut taken = Vec::new();
        self.state.send_modify(|state| taken = std::mem::take(&mut state.held));
        taken
    }

    /// Returns the oldest held request with all others that are asked about with it; `None` if none is held.
    pub fn first_batch(&self) -> Option<HeldBatch> {
        let held = &self.state.borrow().held;
        let first = held.first()?;
        let batch: Vec<&HeldRequest> = held.iter().filter(|other| first.is_asked_with(other)).collect();
        Some(HeldBatch {
            context: self.context.clone(),
            ids: batch.iter().map(|held| held.id.clone()).collect(),
            questions: batch.iter().map(|held| held.question.clone()).collect(),
        })
    }

    /// Takes the requests of a batch, and in place of each that its page has given up since one that the page has sent anew
    /// with the same content. Returns `None` if the batch is of another context, whose requests are gone with it.
    pub fn take(&self, batch: &HeldBatch) -> Option<Vec<HeldRequest>> {
        if batch.context != self.context {
            return None;
        }
        let mut taken = Vec::new();
        self.state.send_modify(|state| taken = state.take(&batch.ids));
        Some(taken)
    }

    /// Waits until the requests of a batch that their pages have given up are sent anew.
    pub async fn wait_for_resent(&self, batch: &HeldBatch) {
        let is_sent =
            |state: &HeldState, gone: &GivenUpRequest| state.held.iter().any(|held| gone.is_same_as(held));
        let is_complete = |state: &HeldState| state.given_up_of(&batch.ids).all(|gone| is_sent(state, gone));
        // An error is impossible: the sender lives as long as this future.
        let _ = self.state.subscribe().wait_for(is_complete).await;
    }

    /// Returns the kinds of the requests of a batch that their pages have given up.
    pub fn given_up_kinds(&self, batch: &HeldBatch) -> Vec<String> {
        let state = self.state.borrow();
        state.given_up_of(&batch.ids).map(|gone| gone.kind.clone()).collect()
    }

    /// Forgets a request that the page has given up, also if it is still to be judged.
    pub fn forget_failed(&self, network_id: &str) {
        if network_id.is_empty() {
            return;
        }
        self.state.send_if_modified(|state| {
            if state.failed.len() == MOST_FAILED {
                state.failed.pop_front();
            }
            state.failed.push_back(network_id.to_owned());
            let failed: Vec<HeldRequest> =
                state.held.extract_if(.., |held| held.has_network_id(network_id)).collect();
            state.given_up.extend(failed.iter().map(GivenUpRequest::from_held));
            let surplus = state.given_up.len().saturating_sub(MOST_GIVEN_UP);
            state.given_up.drain(..surplus);
            !failed.is_empty()
        });
    }

    /// Waits until all requests that have arrived by now are judged.
    pub async fn wait_until_judged(&self) {
        let last = self.state.borrow().arrived;
        let is_complete = |state: &HeldState| state.judged.first().is_none_or(|oldest| *oldest > last);
        // An error is impossible: the sender lives as long as this future.
        let _ = self.state.subscribe().wait_for(is_complete).await;
    }

    /// Waits until a request is held and all others that the pages had sent by then are judged. Later ones are not waited
    /// for: a page may send without end.
    pub async fn wait_for_any(&self) {
        let mut arrived_by_then = None;
        let is_complete = |state: &HeldState| {
            if state.held.is_empty() {
                arrived_by_then = None;
                return false;
            }
            let last = *arrived_by_then.get_or_insert(state.arrived);
            state.judged.first().is_none_or(|oldest| *oldest > last)
        };
        // An error is impossible: the sender lives as long as this future.
        let _ = self.state.subscribe().wait_for(is_complete).await;
    }

    /// True if the next document of a page is held. Chromium passes nothing on to the scripts of the present one until
    /// then, so whatever asks them would wait in vain.
    pub fn hold_navigation(&self) -> bool {
        self.state.borrow().held.iter().any(|held| held.request.kind == RequestKind::Navigation)
    }

    pub fn is_empty(&self) -> bool {
        self.state.borrow().held.is_empty()
    }
}

impl HeldState {
    /// Lists the requests that were given up, of those with these ids.
    fn given_up_of<'a>(&'a self, ids: &'a [String]) -> impl Iterator<Item = &'a GivenUpRequest> {
        self.given_up.iter().filter(|gone| ids.contains(&gone.id))
    }

    /// Takes requests by their ids, and the same ones in the place of those that were given up.
    fn take(&mut self, ids: &[String]) -> Vec<HeldRequest> {
        let mut taken: Vec<HeldRequest> = self.held.extract_if(.., |held| ids.contains(&held.id)).collect();
        for gone in self.given_up.iter().filter(|gone| ids.contains(&gone.id)) {
            if let Some(place) = self.held.iter().position(|held| gone.is_same_as(held)) {
                taken.push(self.held.remove(place));
            }
        }
        taken.sort_by_key(|held| held.arrival);
        taken
    }

    /// Reports whether too many requests wait for another one: in number, in bytes, or of different kinds, each of
    /// which is a question.
    fn is_full_for(&self, another: &HeldRequest) -> bool {
        let size = |held: &HeldRequest| held.request.size.unwrap_or_default();
        let bytes = self.held.iter().map(size).sum::<u64>().saturating_add(size(another));
        let kinds: HashSet<&str> = self.held.iter().chain([another]).map(|held| held.kind.as_str()).collect();
        self.held.len() >= MOST_HELD || bytes > MOST_HELD_BYTES || kinds.len() > MOST_HELD_KINDS
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::browser::network::history::kind::request_kind;
    use futures_util::FutureExt;
    use serde_json::json;

    fn held(id: &str, url: &str) -> HeldRequest {
        let request = OutgoingRequest {
            method: String::from("POST"),
            url: url.to_owned(),
            ..OutgoingRequest::default()
        };
        let held_by = HeldBy::Chromium { network_id: format!("n{id}"), session: None };
        let (arrival, kind) = (id.parse().unwrap(), request_kind(&request));
        HeldRequest { arrival, id: id.to_owned(), held_by, request, kind, question: json!(id) }
    }

    #[test]
    fn a_batch_holds_the_requests_of_one_kind_and_is_taken_once() {
        let requests = HeldRequests::default();
        assert_eq!(requests.first_batch(), None);
        for (id, url) in
            [("1", "http://a.test/item/1"), ("2", "http://a.test/other"), ("3", "http://a.test/item/2")]
        {
            let arrival = requests.begin_judgement().unwrap();
            assert!(requests.end_judgement(arrival, Some(held(id, url))).is_none());
        }
        let batch = requests.first_batch().unwrap();
        assert_eq!(batch.ids, ["1", "3"]);
        let foreign = HeldBatch { context: String::from("gone"), ..batch.clone() };
        assert!(requests.take(&foreign).is_none(), "those of another context are gone");
        assert_eq!(requests.take(&batch).unwrap().len(), 2);
        assert_eq!(requests.take(&batch).unwrap().len(), 0, "nothing is released twice");
        assert_eq!(requests.first_batch().unwrap().ids, ["2"]);
        requests.forget_failed("n2");
        assert!(requests.is_empty(), "the page gave it up");
    }

    // S1.25: a request that is given up while it is judged is in no question.
    #[test]
    fn a_request_that_fails_before_its_judgement_ends_is_not_held() {
        let requests = HeldRequests::default();
        for (id, url) in [("1", "http://a.test/item"), ("2", "http://a.test/item")] {
            let arrival = requests.begin_judgement().unwrap();
            requests.forget_failed("n1");
            assert!(requests.end_judgement(arrival, Some(held(id, url))).is_none());
        }
        assert_eq!(requests.first_batch().unwrap().ids, ["2"]);
        (0..2 * MOST_FAILED).for_each(|number| requests.forget_failed(&format!("other{number}")));
        assert_eq!(requests.state.borrow().failed.len(), MOST_FAILED);
    }

    // S1.25: the answer to a question holds for the same request that a page has sent anew meanwhile, once.
    #[test]
    fn a_request_that_is_sent_anew_takes_the_place_of_the_one_that_was_given_up() {
        let requests = HeldRequests::default();
        let send = |id: &str, content: &str| {
            let arrival = requests.begin_judgement().unwrap();
            let question = json!({"approved": content});
            let sent = HeldRequest { arrival, question, ..held(id, "http://a.test/item/1") };
            assert!(requests.end_judgement(arrival, Some(sent)).is_none());
        };
        let ids = |taken: Vec<HeldRequest>| taken.into_iter().map(|held| held.id).collect::<Vec<_>>();
        send("1", "hello");
        let batch = requests.first_batch().unwrap();
        assert!(requests.wait_for_resent(&batch).now_or_never().is_some(), "nothing was given up");
        requests.forget_failed("n1");
        send("2", "hello");
        requests.forget_failed("n2");
        assert!(requests.wait_for_resent(&batch).now_or_never().is_none(), "it will come once more");
        send("3", "other");
        send("4", "hello");
        send("5", "hello");
        assert!(requests.wait_for_resent(&batch).now_or_never().is_some());
        assert_eq!(ids(requests.take(&batch).unwrap()), ["4"], "an approval covers one request");
        assert_eq!(requests.given_up_kinds(&batch).len(), 1);
        assert_eq!(ids(requests.take_all()), ["3", "5"]);
    }

    #[test]
    fn requests_that_are_sent_later_do_not_delay_the_question() {
        let requests = HeldRequests::default();
        let begin = || requests.begin_judgement().unwrap();
        let (first, second) = (begin(), begin());
        let mut waiting = std::pin::pin!(requests.wait_for_any());
        requests.end_judgement(first, Some(held("1", "http://a.test/item/1")));
        assert!(waiting.as_mut().now_or_never().is_none(), "the second may belong to the same question");
        let third = begin();
        requests.end_judgement(second, None);
        assert!(waiting.as_mut().now_or_never().is_some(), "the third came later");
        requests.end_judgement(third, None);
    }

    #[test]
    fn a_page_that_sends_without_end_is_bounded() {
        let requests = HeldRequests::default();
        let send = |number: usize, kind: usize, size: u64| {
            let arrival = requests.begin_judgement().unwrap();
            let mut sent = held(&number.to_string(), &format!("http://a.test/{}", "x".repeat(kind + 1)));
            sent.request.size = Some(size);
            requests.end_judgement(arrival, Some(sent)).is_none()
        };
        let held = (0..500).filter(|number| send(*number, *number, 10)).count();
        assert_eq!(held, MOST_HELD_KINDS, "each kind is a question");
        assert!(!send(500, 0, MOST_HELD_BYTES) && send(501, 0, 10));
        (0..2 * MOST_HELD).for_each(|number| {
            send(number, 0, 10);
        });
        assert_eq!(requests.take_all().len(), MOST_HELD);
        let judged = (0..2 * MOST_JUDGED).filter_map(|_| requests.begin_judgement()).count();
        assert_eq!(judged, MOST_JUDGED);
    }
}
