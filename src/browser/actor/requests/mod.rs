//! Requests that pages want to send: the actor keeps them paused while the run's judge decides, holds those that a
//! person must be asked about, and releases or fails them.

pub(super) mod answers;
mod messages;

use crate::browser::actor::Browser;
use crate::browser::actor::requests::answers::read_answer;
use crate::browser::cancel_on_drop::CancelOnDrop;
use crate::browser::cdp::connection::{Connection, Session};
use crate::browser::cdp::message::{CdpEvent, RawCommand};
use crate::browser::cdp::request_policy::PausedRequest;
use crate::browser::error::{ErrorCode, PageError};
use crate::browser::input::fields::cut_off_text;
use crate::browser::input::outcome::{ActionOutcome, ActionRun, ReadContent, settle_and_collect};
use crate::browser::messages::{
    FailRequests, JudgeRequests, ListHeldRequests, ReleaseOutcome, ReleaseRequests,
};
use crate::browser::network::called_method::called_method;
use crate::browser::network::chromium_policy::{continue_command, refuse_command};
use crate::browser::network::history::document_addresses::tells_only_origin;
use crate::browser::network::history::kind::request_kind;
use crate::browser::network::history::senders::HiddenSender;
use crate::browser::network::request_judge::{RequestDecision, RequestFacts, RequestTiming};
use crate::browser::page::context::PageContext;
use crate::browser::page::held_requests::{HeldBatch, HeldBy, HeldRequest};
use crate::clock::Stopwatch;
use crate::page::outgoing_request::{HIDDEN_DOCUMENT, OutgoingRequest, RequestKind, WITHHELD_SIZE};
use actix::{ActorFutureExt, AsyncContext, Context, Handler, ResponseFuture, WrapFuture};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;
use std::rc::Rc;
use std::time::Duration;

/// Milliseconds for which the next request to the same address waits for the answer to the last one.
const ANSWER_MS: u64 = 2000;
const ANSWER_CHECK: Duration = Duration::from_millis(10);
/// Milliseconds for which a request waits until Chromium has told its sender.
const SENDER_MS: u64 = 300;
const SENDER_CHECK: Duration = Duration::from_millis(10);
/// Time to wait for the judge of requests that have arrived, before the held ones are listed.
const JUDGED_WITHIN: Duration = Duration::from_secs(1);
/// Time within which a page sends anew what it has given up.
const RESENT_WITHIN: Duration = Duration::from_secs(2);
/// Number of times that a page may give a request up at the moment at which it is released.
const RELEASE_TRIES: u32 = 3;
/// Notes to the planner about requests that fail without a question.
const DECLINED_AGAIN: &str =
    "the page sent again by itself what the person had declined; it failed, and nothing was sent";
const TOO_MANY: &str =
    "the page sent more at once than a person can be asked about; the rest failed, and none of it was sent";

impl Handler<JudgeRequests> for Browser {
    type Result = ();

    fn handle(&mut self, message: JudgeRequests, _: &mut Context<Self>) {
        let JudgeRequests { judge, acts_on_page, may_repeat, is_new_request } = message;
        self.judge = Some(judge);
        let context = self.shared.context.borrow();
        let Some(context) = context.as_ref() else { return };
        if is_new_request {
            context.history.borrow_mut().declined.forget();
        }
        if acts_on_page && let Ok(tab) = context.current() {
            context.history.borrow_mut().begin_action(&tab.target, may_repeat);
        }
    }
}

impl Browser {
    /// Has a paused request judged. While a person holds the pages, what they send is the person's own.
    pub(super) fn judge_request(
        &mut self,
        context: &Rc<PageContext>,
        paused: PausedRequest,
        ctx: &mut Context<Self>,
    ) {
        let sender = hidden_sender(context, &paused);
        if sender != Some(HiddenSender::Unknown) {
            return self.judge_request_of(context, &paused, sender, ctx);
        }
        let shared = Rc::clone(context);
        let known = async move {
            let clock = Stopwatch::start();
            loop {
                tokio::time::sleep(SENDER_CHECK).await;
                let sender = hidden_sender(&shared, &paused);
                if sender != Some(HiddenSender::Unknown) || clock.millis() > SENDER_MS {
                    return (shared, paused, sender);
                }
            }
        };
        ctx.spawn(known.into_actor(self).map(|(context, paused, sender), browser, ctx| {
            browser.judge_request_of(&context, &paused, sender, ctx);
        }));
    }

    /// Has a paused request judged. `sender` is the document that sends it, if it does not tell its address.
    fn judge_request_of(
        &mut self,
        context: &Rc<PageContext>,
        paused: &PausedRequest,
        sender: Option<HiddenSender>,
        ctx: &mut Context<Self>,
    ) {
        let page_url = document_url(context, paused.page.as_deref());
        let mut held = held_request(paused, page_url);
        match sender {
            Some(HiddenSender::Present) => held.request.document.clone_from(&held.request.page),
            Some(HiddenSender::Left | HiddenSender::Unknown) => {
                held.request.document = String::from(HIDDEN_DOCUMENT);
            }
            None => {}
        }
        self.judge_held(context, held, paused.page.as_deref(), ctx);
    }

    /// Has a request or message judged that is held until then.
    fn judge_held(
        &mut self,
        context: &Rc<PageContext>,
        held: HeldRequest,
        page: Option<&str>,
        ctx: &mut Context<Self>,
    ) {
        // The person's own requests are no kinds that the page sends by itself.
        if self.takeover.holder().is_some() {
            return release(context, &held);
        }
        let timing = context.history.borrow_mut().timing(&held.kind, page, &held.request.document);
        let Some(judge) = self.judge.clone() else {
            return release(context, &held);
        };
        if context.history.borrow().declined.contains(&held.request, &held.kind) {
            context.notes.add(String::from(DECLINED_AGAIN));
            return fail(context, &held);
        }
        let Some(arrival) = context.held_requests.begin_judgement() else {
            context.notes.add(String::from(TOO_MANY));
            return fail(context, &held);
        };
        let mut facts = request_facts(context, &held, timing);
        let answer =
            context.history.borrow().bodies.find_answer(&held.request).filter(|_| facts.earlier.is_none());
        let held = HeldRequest { arrival, ..held };
        let connection = context.connection.clone();
        let answer = answer.map(|place| (connection.session(place.session), place.network_id));
        let judged = async move {
            if let Some((session, network_id)) = answer {
                facts.earlier = read_answer(session, network_id).await;
            }
            judge.judge_request(facts).await
        };
        let context = Rc::downgrade(context);
        ctx.spawn(judged.into_actor(self).map(move |decision, _, _| match context.upgrade() {
            Some(context) => carry_out_decision(&context, decision, held),
            None => fail_without_context(&connection, &held),
        }));
    }
}

/// Releases or fails a request as it was judged, or holds it for a person.
pub(super) fn carry_out_decision(context: &PageContext, decision: RequestDecision, held: HeldRequest) {
    let arrival = held.arrival;
    let held = match decision {
        RequestDecision::Pass => {
            release(context, &held);
            None
        }
        RequestDecision::Refuse => {
            fail(context, &held);
            None
        }
        RequestDecision::Hold { question } => Some(HeldRequest { question, ..held }),
    };
    if let Some(surplus) = context.held_requests.end_judgement(arrival, held) {
        context.notes.add(String::from(TOO_MANY));
        fail(context, &surplus);
    }
}

/// Returns a request with what the pages did before it.
fn request_facts(context: &PageContext, held: &HeldRequest, timing: RequestTiming) -> RequestFacts {
    let (history, request) = (context.history.borrow(), &held.request);
    let network_id = match &held.held_by {
        HeldBy::Chromium { network_id, .. } => network_id.clone(),
        HeldBy::SocketWrapper(_) | HeldBy::DownloadFolder => String::new(),
    };
    RequestFacts {
        request: request.clone(),
        network_id,
        timing,
        earlier: history.bodies.find_earlier(request),
        stored_before: history.bodies.has_stored(request),
        to_visited_site: history.visited.contains_site_of(&request.url),
    }
}

fn document_url(context: &PageContext, page: Option<&str>) -> String {
    page.map(|page| context.history.borrow().reach.document_url(page).to_owned()).unwrap_or_default()
}

/// Reads a paused request from its event.
fn held_request(paused: &PausedRequest, page: String) -> HeldRequest {
    let event = &paused.event;
    let kind = RequestKind::from_resource_type(event.text("/resourceType"), paused.is_main_frame);
    let body = read_body(event);
    let withheld = event.params.pointer("/request/hasPostData").and_then(Value::as_bool);
    let withheld = withheld.unwrap_or_default().then_some(WITHHELD_SIZE);
    let request = OutgoingRequest {
        method: called_method(event),
        url: event.text("/request/url").to_owned(),
        document: sending_document(event, paused.is_main_frame),
        page,
        kind,
        content_type: header(event, "content-type").unwrap_or_default().to_owned(),
        size: body.as_ref().map(|body| body.len() as u64).or(withheld),
        body,
    };
    HeldRequest {
        arrival: 0,
        id: event.text("/requestId").to_owned(),
        held_by: HeldBy::Chromium {
            network_id: event.text("/networkId").to_owned(),
            session: event.session.clone(),
        },
        kind: request_kind(&request),
        request,
        question: Value::Null,
    }
}

/// Returns which document of a page sends a request of its top document, if the request does not tell; `None` if it does.
fn hidden_sender(context: &PageContext, paused: &PausedRequest) -> Option<HiddenSender> {
    let page = paused.page.as_deref().filter(|_| paused.is_main_frame)?;
    let kind = RequestKind::from_resource_type(paused.event.text("/resourceType"), true);
    let (document, history) = (sending_document(&paused.event, true), context.history.borrow());
    let is_hidden = document.is_empty() || tells_only_origin(&document) && history.reach.has_left(page);
    let network_id = paused.event.text("/networkId");
    (is_hidden && !kind.is_navigation()).then(|| history.senders.find_sender(page, network_id))
}

/// Returns the address of the document that sends a request, as far as Chromium tells. Pages can leave out the
/// `Referer`, but not the `Origin` of a request that may have an effect.
fn sending_document(event: &CdpEvent, is_main_frame: bool) -> String {
    let referer = header(event, "referer").filter(|referer| !referer.is_empty());
    match (header(event, "origin"), referer) {
        (Some(origin), Some(referer)) if referer.starts_with(origin) => referer.to_owned(),
        (Some("null") | None, Some(referer)) => referer.to_owned(),
        (Some("null") | None, None) if is_main_frame => String::new(),
        (Some("null") | None, None) => String::from(HIDDEN_DOCUMENT),
        (Some(origin), _) => origin.to_owned(),
    }
}

fn header<'a>(event: &'a CdpEvent, name: &str) -> Option<&'a str> {
    let headers = event.params.pointer("/request/headers")?.as_object()?;
    headers.iter().find(|(key, _)| key.eq_ignore_ascii_case(name))?.1.as_str()
}

/// Returns the body as far as Chromium reports it: files that were chosen from the disk are left out.
fn read_body(event: &CdpEvent) -> Option<Vec<u8>> {
    let entries = event.params.pointer("/request/postDataEntries").and_then(Value::as_array);
    let parts: Vec<Vec<u8>> = entries
        .into_iter()
        .flatten()
        .filter_map(|entry| STANDARD.decode(entry.get("bytes")?.as_str()?).ok())
        .collect();
    if !parts.is_empty() {
        return Some(parts.concat());
    }
    event.params.pointer("/request/postData").and_then(Value::as_str).map(|text| text.as_bytes().to_vec())
}

/// Session in which to send a command, and the command.
type SessionCommand = (Session, RawCommand);

/// Returns the command that lets a request leave; `None` if it waits in no page, or if its document is gone.
fn release_command(context: &PageContext, held: &HeldRequest) -> Option<SessionCommand> {
    match &held.held_by {
        HeldBy::Chromium { .. } => {
            held.pausing_session(&context.connection).map(|session| (session, continue_command(&held.id)))
        }
        HeldBy::SocketWrapper(message) => {
            context.sockets().expect_frame(&message.session, &message.report);
            context.sockets().settle_command(&context.connection, message.place, true)
        }
        HeldBy::DownloadFolder => None,
    }
}

/// Lets a request leave, or keeps a download, without waiting for the reply.
fn release(context: &PageContext, held: &HeldRequest) {
    if matches!(held.held_by, HeldBy::DownloadFolder) {
        keep_download(context, held);
        return;
    }
    context.history.borrow_mut().bodies.record_sent(&held.request);
    if let Some((session, command)) = release_command(context, held) {
        session.post(command);
    }
}

/// Keeps a program that has arrived. Returns false if it is gone.
fn keep_download(context: &PageContext, held: &HeldRequest) -> bool {
    let kept = context.downloads.accept_waiting(&held.id);
    let is_kept = kept.is_some();
    kept.into_iter().for_each(|note| context.notes.add(note));
    is_kept
}

/// Fails a request. A document that fails as aborted leaves the page as it is; a message is dropped, a download
/// deleted.
pub(super) fn fail(context: &PageContext, held: &HeldRequest) {
    let failure = match &held.held_by {
        HeldBy::Chromium { .. } => {
            held.pausing_session(&context.connection).map(|session| (session, failure(held)))
        }
        HeldBy::SocketWrapper(message) => {
            context.sockets().settle_command(&context.connection, message.place, false)
        }
        HeldBy::DownloadFolder => {
            context.downloads.discard_waiting(&held.id).into_iter().for_each(|note| context.notes.add(note));
            None
        }
    };
    if let Some((session, command)) = failure {
        session.post(command);
    }
}

/// Fails a request whose pages are gone. Messages and downloads are gone with them.
fn fail_without_context(connection: &Connection, held: &HeldRequest) {
    if let Some(session) = held.pausing_session(connection) {
        session.post(failure(held));
    }
}

fn failure(held: &HeldRequest) -> RawCommand {
    let reason = if held.request.kind.is_navigation() { "Aborted" } else { "BlockedByClient" };
    refuse_command(&held.id, reason)
}

impl Handler<ListHeldRequests> for Browser {
    type Result = ResponseFuture<Option<HeldBatch>>;

    fn handle(&mut self, message: ListHeldRequests, _: &mut Context<Self>) -> Self::Result {
        let context = self.shared.context.borrow().clone();
        Box::pin(async move {
            let context = context?;
            if let Ok(tab) = context.current()
                && message.before_end
                && !tab.waits_for_answer()
            {
                // Requests that the page has sent by now have mostly arrived when it replies.
                tab.is_responsive().await;
            }
            let judged = context.held_requests.wait_until_judged();
            let _ = tokio::time::timeout(JUDGED_WITHIN, judged).await;
            context.held_requests.first_batch()
        })
    }
}

impl Handler<FailRequests> for Browser {
    type Result = ();

    fn handle(&mut self, FailRequests { batch }: FailRequests, _: &mut Context<Self>) {
        let context = self.shared.context.borrow();
        let Some(context) = context.as_ref() else { return };
        let Some(declined) = context.held_requests.take(&batch) else { return };
        context.tools.forget_call();
        for kind in context.held_requests.given_up_kinds(&batch) {
            context.history.borrow_mut().declined.record_kind(&kind);
        }
        for held in declined {
            context.history.borrow_mut().declined.record(&held.request, &held.kind);
            fail(context, &held);
        }
    }
}

impl Handler<ReleaseRequests> for Browser {
    type Result = CancelOnDrop<Result<ReleaseOutcome, PageError>>;

    fn handle(&mut self, ReleaseRequests { batch }: ReleaseRequests, _: &mut Context<Self>) -> Self::Result {
        if let Err(fault) = self.takeover.check_free() {
            return CancelOnDrop::now(Err(fault));
        }
        let shared = self.shared.clone();
        CancelOnDrop::by(async move {
            let _turn = shared.turn.lock().await;
            // The context is not opened again: a new one holds none of these requests.
            let Some(context) = shared.context.borrow().clone() else { return Ok(ReleaseOutcome::Void) };
            release_or_resent(&context, &batch, shared.config.load_timeout).await
        })
    }
}

/// Lets the requests of a batch leave. A page that gives its requests up and sends them anew is waited for.
async fn release_or_resent(
    context: &PageContext,
    batch: &HeldBatch,
    limit: Duration,
) -> Result<ReleaseOutcome, PageError> {
    let mut tries = RELEASE_TRIES;
    loop {
        tries -= 1;
        let _ = tokio::time::timeout(RESENT_WITHIN, context.held_requests.wait_for_resent(batch)).await;
        let Some(taken) = context.held_requests.take(batch) else { return Ok(ReleaseOutcome::Void) };
        let is_last = tries == 0 || taken.is_empty();
        match release_batch(context, taken, limit).await? {
            // The page has given it up just now.
            ReleaseOutcome::GivenUp if !is_last => {}
            outcome @ (ReleaseOutcome::GivenUp | ReleaseOutcome::Sent(_) | ReleaseOutcome::Void) => {
                return Ok(outcome);
            }
        }
    }
}

/// Lets requests leave in the order in which the page sent them.
async fn release_batch(
    context: &PageContext,
    requests: Vec<HeldRequest>,
    limit: Duration,
) -> Result<ReleaseOutcome, PageError> {
    // A page on its way to another document may not answer.
    let leaves = requests.iter().any(|held| held.request.kind.is_navigation());
    let typed = if leaves { Vec::new() } else { cut_off_text::read_typed_fields(context).await };
    // A request may outlive its page, as beacons do.
    let mut run = context.current().ok().map(|tab| ActionRun::begin(context, &tab, limit));
    let mut any_left = false;
    for (index, held) in requests.iter().enumerate() {
        let is_same = |other: &HeldRequest| other.request.url == held.request.url;
        if let Some(run) = run.as_mut().filter(|_| requests[..index].iter().any(is_same)) {
            wait_for_answers(run).await;
        }
        any_left |= release_held(context, held, run.as_mut()).await?;
    }
    match run {
        _ if !any_left => Ok(ReleaseOutcome::GivenUp),
        Some(run) => {
            let outcome = settle_and_collect(run, ReadContent::Nothing).await?;
            let outcome = cut_off_text::complete(context, &requests, &typed, outcome, limit).await?;
            Ok(ReleaseOutcome::Sent(Box::new(outcome)))
        }
        None => Ok(ReleaseOutcome::Sent(Box::new(ActionOutcome::without_page()))),
    }
}

/// Lets a request leave, or keeps a download. Returns false if the page has given it up meanwhile.
async fn release_held(
    context: &PageContext,
    held: &HeldRequest,
    run: Option<&mut ActionRun<'_>>,
) -> Result<bool, PageError> {
    if matches!(held.held_by, HeldBy::DownloadFolder) {
        return Ok(keep_download(context, held));
    }
    let Some((session, command)) = release_command(context, held) else { return Ok(false) };
    match session.call(command).await {
        // Zero for a message says that the page has given it up meanwhile.
        Ok(reply) if reply.pointer("/result/value").is_none_or(|left| left != 0) => {
            context.history.borrow_mut().bodies.record_sent(&held.request);
            if let (Some(run), HeldBy::Chromium { network_id, .. }) = (run, &held.held_by)
                && !network_id.is_empty()
            {
                run.settling.activity.expect_released(network_id);
            }
            Ok(true)
        }
        Ok(_) => Ok(false),
        // Chromium does not know it any more: the page has given it up meanwhile.
        Err(fault) if fault.code == ErrorCode::Protocol => Ok(false),
        Err(_) => Err(PageError::outcome_unknown()),
    }
}

/// Waits for the answers to the requests that have left. A server that works on two states of one thing at a time may
/// keep the older one.
async fn wait_for_answers(run: &mut ActionRun<'_>) {
    let clock = Stopwatch::start();
    loop {
        run.settling.drain();
        if !run.settling.activity.awaits_released() || clock.millis() > ANSWER_MS {
            return;
        }
        tokio::time::sleep(ANSWER_CHECK).await;
    }
}
