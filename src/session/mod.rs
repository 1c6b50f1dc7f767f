//! Session actor: one WebSocket of one viewer.
//!
//! A session owns the socket, its cursors in the event log and the flow control of its pictures. It holds no
//! business state: closing it neither stops nor pauses a run. It receives frames from the client
//! (`docs/protocol.md`), `FollowedEvent` from the feed and pictures from the browser, and sends the registry commands.
//!
//! Before `hello`, every other frame is refused; then the socket is attached to any number of run trees.
//! Frames behind a `hello` or a command wait until the store has found the run that it names; nothing else
//! blocks. Only this folder and `http::ui::ws` use `actix-web-actors`.

pub(crate) mod event_sending;
pub(crate) mod live_view;
pub(crate) mod question_count;
pub mod state;
pub mod relay;
pub(crate) mod person_input;
pub(crate) mod outbox;
pub(crate) mod owner_side;
pub(crate) mod replies;
pub(crate) mod viewer_side;

use crate::clock::Stopwatch;
use crate::engine::error::RunRequestError;
use crate::engine::registry::answers::{AnswerQuestion, SendMessage};
use crate::engine::registry::feed::{SubscribeDeletions, Unfollow};
use crate::engine::registry::starting::StartRun;
use crate::engine::registry::{Control, view};
use crate::ids::{RunId, SessionId};
use crate::protocol::caller::Caller;
use crate::protocol::client::{self, ClientFrame, Command, UserMessage};
use crate::protocol::server::Reply;
use crate::protocol::{Locale, VERSION};
use crate::session::outbox::Outbox;
use crate::session::relay::link_table::LinkTable;
use crate::session::replies::{flatten_reply, reply};
use crate::session::state::{
    CommandSubject, Context, CountQuery, Live, Session, SessionDeps, TakeoverInput, ViewRequest,
};
use crate::store::Store;
use crate::store::error::StoreError;
use crate::store::rows::user_command::UserCommand;
use actix::prelude::*;
use actix_web_actors::ws;
use futures_util::FutureExt;
use futures_util::future::{BoxFuture, LocalBoxFuture};
use serde_json::{Map, Value, json};
use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

/// Time without any message, not even a pong, after which the client is taken for gone.
const CLIENT_TIMEOUT: Duration = Duration::from_secs(60);
const HEARTBEAT: Duration = Duration::from_secs(20);
/// Maximum size of a text frame from a client, in bytes; a person's message is far smaller.
pub const FRAME_LIMIT: usize = 256 * 1024;

/// Reply of the registry to a command.
type RegistryReply = LocalBoxFuture<'static, Result<Result<(), RunRequestError>, MailboxError>>;

impl Session {
    /// Creates a session. `agent` names the client where `hello` does not; `locale` comes from the upgrade
    /// request, until a `hello` names another.
    pub fn new(deps: SessionDeps, agent: Option<&str>, locale: Option<Locale>) -> Self {
        let id = SessionId::fresh();
        Self {
            client: Caller::from_hello(None, id.as_str(), agent),
            agent: agent.map(str::to_owned),
            count_query: CountQuery::default(),
            id,
            deps,
            has_greeted: false,
            locale,
            outbox: Outbox::default(),
            failed_reads: HashSet::new(),
            live: Live::default(),
            links: LinkTable::default(),
            relayed: None,
            has_released: false,
            takeover: TakeoverInput::default(),
            last_message_at: Stopwatch::start(),
            signed_out: None,
        }
    }

    /// Closes the socket when `signed_out` resolves.
    pub fn end_when(self, signed_out: BoxFuture<'static, ()>) -> Self {
        Self { signed_out: Some(signed_out), ..self }
    }
}

impl Actor for Session {
    type Context = Context;

    fn started(&mut self, ctx: &mut Self::Context) {
        let (heartbeat, timeout) = match self.relayed.clone() {
            Some(root) => {
                self.begin_relayed(root, ctx);
                (relay::HEARTBEAT, relay::SILENCE)
            }
            None => {
                self.deps.feed.do_send(SubscribeDeletions(ctx.address().recipient()));
                (HEARTBEAT, CLIENT_TIMEOUT)
            }
        };
        if let Some(signed_out) = self.signed_out.take() {
            let close = signed_out.into_actor(self).map(|(), _, ctx: &mut Self::Context| {
                ctx.close(Some((ws::CloseCode::Policy, "signed out").into()));
                ctx.stop();
            });
            ctx.spawn(close);
        }
        ctx.run_interval(heartbeat, move |session, ctx| {
            if session.last_message_at.seconds() > timeout.as_secs_f64() {
                ctx.stop();
            } else {
                ctx.ping(b"");
                session.close_if_moved(ctx);
            }
        });
    }

    fn stopped(&mut self, ctx: &mut Self::Context) {
        self.deps.feed.do_send(Unfollow { follower: ctx.address().recipient() });
        self.release_page();
        self.leave_relayed(ctx);
    }
}

impl StreamHandler<Result<ws::Message, ws::ProtocolError>> for Session {
    fn handle(&mut self, message: Result<ws::Message, ws::ProtocolError>, ctx: &mut Self::Context) {
        self.last_message_at = Stopwatch::start();
        match message {
            Ok(ws::Message::Text(text)) => self.handle_frame(&text, ctx),
            Ok(ws::Message::Binary(_)) => {
                self.send_error("bad_message", "send JSON as text frames, not binary ones", ctx);
            }
            Ok(ws::Message::Ping(bytes)) => ctx.pong(&bytes),
            Ok(ws::Message::Pong(bytes)) => self.handle_pong(&bytes, ctx),
            Ok(ws::Message::Close(reason)) => {
                ctx.close(reason);
                ctx.stop();
            }
            Ok(ws::Message::Continuation(_) | ws::Message::Nop) => {}
            Err(ws::ProtocolError::Overflow) => {
                let why = format!("the frame is larger than {FRAME_LIMIT} bytes; send less at once");
                self.send_error("bad_message", &why, ctx);
                // The start of the next frame is unknown, so the socket has to be closed.
                ctx.close(Some((ws::CloseCode::Size, why).into()));
                ctx.stop();
            }
            Err(fault) => {
                tracing::debug!(session_id = %self.id, %fault, "socket failed");
                ctx.stop();
            }
        }
    }
}

impl Session {
    /// Reads a frame and does what it says.
    fn handle_frame(&mut self, text: &str, ctx: &mut Context) {
        let frame = match client::read(text) {
            Ok(frame) => frame,
            Err(why) => return self.send_error("bad_message", &why, ctx),
        };
        if !self.has_greeted && !matches!(frame, ClientFrame::Hello { .. }) {
            return self.send_error("bad_message", "the first frame must be `hello`", ctx);
        }
        if self.relayed.is_some() {
            return self.handle_relayed_frame(frame, text, ctx);
        }
        match frame {
            ClientFrame::Hello { protocol, .. } if protocol != VERSION => {
                let why = format!("this service speaks protocol {VERSION}, not {protocol}");
                self.send_error("bad_message", &why, ctx);
            }
            ClientFrame::Hello { run_id, after_seq, locale, client, waiting, writing, .. } => {
                self.locale = locale.as_deref().map(Locale::from_tag).or(self.locale);
                self.set_client(client);
                self.handle_hello(run_id, after_seq.unwrap_or(0), ctx);
                self.subscribe([waiting, writing], ctx);
            }
            ClientFrame::UserMessage(message) => self.handle_message(message, ctx),
            ClientFrame::Answer { reference, answer } => {
                self.send_command(CommandSubject::Question(reference.clone()), ctx, move |session, _| {
                    let (by, client) = (Some(session.id.clone()), session.client.clone());
                    let answer = AnswerQuestion::new(reference, answer, by, client);
                    Some(session.deps.registry.send(answer).boxed_local())
                });
            }
            ClientFrame::Control { run_id, command } => self.handle_control(run_id, command, ctx),
            frame @ (ClientFrame::View { .. } | ClientFrame::FrameAck { .. } | ClientFrame::Input { .. }) => {
                self.handle_page_frame(frame, text, ctx);
            }
            ClientFrame::Ping => reply(&Reply::Pong, ctx),
        }
    }

    /// Handles a frame about a page that the viewer watches or holds, of this node or another one.
    fn handle_page_frame(&mut self, frame: ClientFrame, text: &str, ctx: &mut Context) {
        match frame {
            ClientFrame::View { run_id, on, max_width, max_fps, quality, tag } => {
                let request = ViewRequest { on, max_width, max_fps, quality, tag: tag.unwrap_or(0) };
                self.set_view(run_id, request, ctx);
            }
            ClientFrame::FrameAck { frame } => {
                if !self.acknowledge_elsewhere(frame) {
                    self.live.acknowledge(frame, ctx);
                }
            }
            ClientFrame::Input { input, .. } if self.links.takeover().is_some() => {
                self.send_input_elsewhere(text, person_input::is_move(&input), ctx);
            }
            ClientFrame::Input { run_id, input } => self.handle_input(run_id, input, ctx),
            ClientFrame::Hello { .. }
            | ClientFrame::UserMessage(_)
            | ClientFrame::Answer { .. }
            | ClientFrame::Control { .. }
            | ClientFrame::Ping => {}
        }
    }

    /// Handles a frame that the viewer's node has passed on, which handles all that is not about a page.
    fn handle_relayed_frame(&mut self, frame: ClientFrame, text: &str, ctx: &mut Context) {
        match frame {
            ClientFrame::Control { run_id, command: Command::TakeOver } => self.take_over(run_id, ctx),
            ClientFrame::Control { run_id, command: Command::HandBack } => self.hand_back(run_id, ctx),
            ClientFrame::Hello { .. }
            | ClientFrame::UserMessage(_)
            | ClientFrame::Answer { .. }
            | ClientFrame::Control { .. }
            | ClientFrame::Ping => {
                self.send_error("bad_message", "the viewer's own node handles such frames", ctx);
            }
            frame => self.handle_page_frame(frame, text, ctx),
        }
    }

    /// Subscribes to the frames that a `hello` asks for.
    fn subscribe(&mut self, [waiting, writing]: [Option<bool>; 2], ctx: &mut Context) {
        if waiting == Some(true) {
            self.subscribe_questions(ctx);
        }
        if writing == Some(true) {
            self.subscribe_drafts(ctx);
        }
    }

    /// Sets the client. A later `hello` without a client keeps the earlier one.
    fn set_client(&mut self, client: Option<Caller>) {
        if client.is_some() {
            self.client = Caller::from_hello(client, self.id.as_str(), self.agent.as_deref());
        }
    }

    fn handle_hello(&mut self, run: Option<RunId>, after: u64, ctx: &mut Context) {
        let Some(run) = run else {
            self.has_greeted = true;
            return self.send_welcome(Value::Null, 0, ctx);
        };
        let services = Arc::clone(&self.deps.services);
        let reading = async move { view::full_run(&services, &run).await.map(|body| (run, body)) };
        // Frames behind a `hello` wait for its answer, because they may concern the run that it names.
        ctx.wait(reading.into_actor(self).map(move |found, session, ctx| match found {
            Ok((_, Some(body))) => {
                session.has_greeted = true;
                let root = RunId::from(body["root_run_id"].as_str().unwrap_or_default());
                let seq = body["last_seq"].as_u64().unwrap_or(0);
                session.send_welcome(body, seq, ctx);
                session.follow(root, after, ctx);
            }
            Ok((run, None)) => {
                session.has_greeted = true;
                session.send_error("unknown_run", &format!("there is no run {run}"), ctx);
            }
            Err(fault) => session.send_internal_error(&fault, ctx),
        }));
    }

    fn send_welcome(&self, run: Value, seq: u64, ctx: &mut Context) {
        reply(&Reply::Welcome { session_id: self.id.clone(), protocol: VERSION, run, seq }, ctx);
    }

    /// Starts a run, or sends a message to an existing one.
    fn handle_message(&mut self, message: UserMessage, ctx: &mut Context) {
        if message.text.trim().is_empty() {
            return self.send_error("bad_message", "the message is empty", ctx);
        }
        match message.run_id {
            Some(run) => self.send_to_run(message.text, run, &message.files, ctx),
            None => {
                let text = message.text.clone();
                self.start_run(text, StartRun::from_message(message, &self.deps.default_agent), ctx);
            }
        }
    }

    fn send_to_run(&mut self, text: String, run: RunId, files: &[String], ctx: &mut Context) {
        if !files.is_empty() {
            let why =
                "`files` is only for new runs; send files to this run with POST /api/runs/{id}/files/{name}";
            return self.send_error("bad_message", why, ctx);
        }
        let client = self.client.clone();
        let sent =
            self.deps.registry.send(SendMessage { run: run.clone(), text, client, idempotency_record: None });
        ctx.spawn(sent.into_actor(self).map(move |result, session, ctx| match flatten_reply(result) {
            Ok(()) => reply(&Reply::Accepted { run_id: run }, ctx),
            Err(fault) => session.send_refusal(&fault, None, ctx),
        }));
    }

    fn start_run(&mut self, text: String, start: StartRun, ctx: &mut Context) {
        let mut input = Map::from_iter([(String::from("text"), json!(text))]);
        if let Some(locale) = self.locale {
            input.insert(String::from("locale"), json!(locale));
        }
        let started = self.deps.registry.send(StartRun { input, client: Some(self.client.clone()), ..start });
        ctx.spawn(started.into_actor(self).map(|result, session, ctx| match flatten_reply(result) {
            Ok(run) => session.follow(run, 0, ctx),
            Err(fault) => session.send_refusal(&fault, None, ctx),
        }));
    }

    fn handle_control(&mut self, run: RunId, command: Command, ctx: &mut Context) {
        self.send_command(CommandSubject::Run(run.clone()), ctx, move |session, ctx| {
            let command = match command {
                Command::Stop => UserCommand::Stop,
                Command::Pause => UserCommand::Pause,
                Command::Resume => UserCommand::Resume,
                Command::TakeOver => {
                    session.take_over(run, ctx);
                    return None;
                }
                Command::HandBack => {
                    session.hand_back(run, ctx);
                    return None;
                }
            };
            Some(session.deps.registry.send(Control { run, command }).boxed_local())
        });
    }

    /// Follows the run tree of a command, then sends the command, also if its run or question does not exist. A
    /// command is answered by events, so the socket receives all events from here on, but none from before the
    /// command. Only a refusal is answered by itself.
    fn send_command(
        &mut self,
        subject: CommandSubject,
        ctx: &mut Context,
        send: impl FnOnce(&mut Self, &mut Context) -> Option<RegistryReply> + 'static,
    ) {
        let (reference, followed) = match &subject {
            CommandSubject::Question(reference) => (Some(reference.clone()), false),
            CommandSubject::Run(run) => (None, self.outbox.is_following(run)),
        };
        let send = move |session: &mut Self, ctx: &mut Context| {
            let Some(reply) = send(session, ctx) else { return };
            ctx.spawn(reply.into_actor(session).map(move |result, session, ctx| {
                if let Err(fault) = flatten_reply(result) {
                    session.send_refusal(&fault, reference, ctx);
                }
            }));
        };
        if followed {
            return send(self, ctx);
        }
        let position = tree_position(Arc::clone(&self.deps.services.store), subject);
        // Later frames wait until this command is sent.
        ctx.wait(position.into_actor(self).map(|position, session, ctx| {
            match position {
                Ok(Some((root, last))) if !session.outbox.is_following(&root) => {
                    session.follow(root, last, ctx)
                }
                Ok(Some(_) | None) => {}
                Err(fault) => return session.send_internal_error(&fault, ctx),
            }
            send(session, ctx);
        }));
    }
}

/// Returns the run tree of a command with the number of its last event.
async fn tree_position(
    store: Arc<dyn Store>,
    subject: CommandSubject,
) -> Result<Option<(RunId, u64)>, StoreError> {
    let root = match subject {
        CommandSubject::Run(run) => store.run(run).await?.map(|row| row.root),
        CommandSubject::Question(reference) => store.question(reference).await?.map(|row| row.root),
    };
    let Some(root) = root else { return Ok(None) };
    let last = store.last_seq(root.clone()).await?;
    Ok(Some((root, last)))
}
