//! Messages of sockets: held like requests, by the wrapper in the page.

use crate::browser::actor::Browser;
use crate::browser::actor::requests::document_url;
use crate::browser::cdp::message::{CdpEvent, REPLY_TIMEOUT};
use crate::browser::network::history::kind::request_kind;
use crate::browser::network::request_judge::{RequestDecision, RequestFacts, RequestTiming};
use crate::browser::page::context::PageContext;
use crate::browser::page::held_requests::{HeldBy, HeldRequest, HeldSocketMessage};
use crate::browser::sockets::guard::{HeldMessage, SocketEvent};
use crate::browser::sockets::message_report::MessageReport;
use crate::page::outgoing_request::{OutgoingRequest, RequestKind};
use actix::{ActorFutureExt, AsyncContext, Context, WrapFuture};
use serde_json::Value;
use std::rc::Rc;

impl Browser {
    /// Follows the sockets of pages and workers.
    pub(in crate::browser::actor) fn handle_socket_event(
        &mut self,
        context: &Rc<PageContext>,
        event: &CdpEvent,
        ctx: &mut Context<Self>,
    ) {
        match context.sockets().handle_event(event) {
            None => {}
            Some(SocketEvent::ControlsArrived(document)) => self.keep_controls(context, document, ctx),
            Some(SocketEvent::Held { message, session, report }) => {
                self.judge_message(context, (message, session, report), ctx);
            }
            Some(SocketEvent::Opened { session, url }) => self.judge_handshake(context, &session, url, ctx),
            Some(SocketEvent::SentAround(request)) => self.record_sent_around(context, *request),
            Some(SocketEvent::ConsoleFull(session)) => {
                if let Some(command) = context.sockets().release_console_command() {
                    context.connection.session(session).post(command);
                }
            }
        }
    }

    fn keep_controls(&self, context: &Rc<PageContext>, document: u64, ctx: &mut Context<Self>) {
        let sockets = Rc::clone(context.sockets());
        let Some((session, command)) = sockets.keep_controls_command(&context.connection, document) else {
            return;
        };
        let kept = session.send(command, REPLY_TIMEOUT);
        ctx.spawn(kept.into_actor(self).map(move |reply, _, _| {
            sockets.controls_kept(document, reply.ok().as_ref());
        }));
    }

    fn judge_message(
        &mut self,
        context: &Rc<PageContext>,
        (place, session, report): (HeldMessage, String, MessageReport),
        ctx: &mut Context<Self>,
    ) {
        let page = context.sockets().page_of(&session);
        let page_url = document_url(context, page.as_deref());
        let request = report.request(&context.sockets().sender_url(&session), page_url);
        let held = HeldRequest {
            arrival: 0,
            id: format!("message {} {}", place.document, place.number),
            kind: request_kind(&request),
            held_by: HeldBy::SocketWrapper(Box::new(HeldSocketMessage { place, session, report })),
            request,
            question: Value::Null,
        };
        // Without a page, an action on any page counts: a window or worker that it has opened goes on with it.
        self.judge_held(context, held, None, ctx);
    }

    /// Has the opening of a socket judged like a request by GET. Chromium pauses none, so that one with a grave effect can
    /// only be told.
    fn judge_handshake(
        &mut self,
        context: &Rc<PageContext>,
        session: &str,
        url: String,
        ctx: &mut Context<Self>,
    ) {
        let Some(judge) = self.judge.clone().filter(|_| self.takeover.holder().is_none()) else { return };
        let page = context.sockets().page_of(session);
        let page_url = document_url(context, page.as_deref());
        let sender = context.sockets().sender_url(session);
        let request = OutgoingRequest {
            method: String::from("GET"),
            // "ws" becomes "http", "wss" "https".
            url: url.replacen("ws", "http", 1),
            document: if sender.is_empty() { page_url.clone() } else { sender },
            page: page_url,
            kind: RequestKind::Socket,
            ..OutgoingRequest::default()
        };
        let mut history = context.history.borrow_mut();
        let facts = RequestFacts {
            timing: history.timing(&request_kind(&request), page.as_deref(), ""),
            network_id: String::new(),
            earlier: None,
            stored_before: false,
            to_visited_site: history.visited.contains_site_of(&request.url),
            request,
        };
        drop(history);
        let context = Rc::downgrade(context);
        let judged = async move { judge.judge_request(facts).await };
        ctx.spawn(judged.into_actor(self).map(move |decision, browser, _| {
            if let Some(context) = context.upgrade().filter(|_| must_be_told(&decision)) {
                tracing::warn!(run_id = %browser.owner, "a socket was opened with an effect");
                context.unasked.borrow_mut().push(url);
            }
        }));
    }

    /// Records a message that got around the wrapper, unless the page sends such ones by itself or a person holds it.
    /// Chromium does not tell the address of a socket that was opened before its session was attached.
    fn record_sent_around(&self, context: &PageContext, request: OutgoingRequest) {
        // The person's own messages are no kinds that the page sends by itself.
        if self.judge.is_none() || self.takeover.holder().is_some() {
            return;
        }
        let timing = match request.url.as_str() {
            "" => context.history.borrow().timing_of_unknown(),
            _ => context.history.borrow_mut().timing(&request_kind(&request), None, &request.document),
        };
        if timing == RequestTiming::AfterAction {
            tracing::warn!(run_id = %self.owner, "a message of a socket got around the gate");
            context.unasked.borrow_mut().push(request.url);
        }
    }
}

/// True for the opening of a socket that a person would have been asked about. Addresses of sockets say what one listens
/// to by the words of lighter effects: `/subscribe`, `/chat/join`.
fn must_be_told(decision: &RequestDecision) -> bool {
    const GRAVE: [&str; 4] = ["purchase", "permission", "delete", "account"];
    match decision {
        RequestDecision::Pass => false,
        RequestDecision::Refuse => true,
        RequestDecision::Hold { question } => {
            let effect = question["effect"].as_str().unwrap_or_default();
            GRAVE.contains(&effect) || !question["flow"].is_null()
        }
    }
}
