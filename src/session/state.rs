//! State of a session: what its viewer follows, watches and holds.

use crate::browser::actor::Browser;
use crate::browser::pool::supervisor::Supervisor;
use crate::browser::screencast::viewer::ScreencastFrame;
use crate::clock::Stopwatch;
use crate::engine::registry::feed::Feed;
use crate::engine::registry::state::Registry;
use crate::engine::services::RunServices;
use crate::engine::takeover::pages::PageAccess;
use crate::ids::{QuestionId, RunId, SessionId};
use crate::protocol::Locale;
use crate::protocol::caller::Caller;
use crate::protocol::client::PersonInput;
use crate::session::outbox::{Outbox, PictureQueue};
use crate::session::relay::RelayParts;
use crate::session::relay::link_table::LinkTable;
use actix::prelude::*;
use actix_web_actors::ws;
use futures_util::future::BoxFuture;
use std::collections::HashSet;
use std::sync::Arc;

/// Handles that every session needs.
#[derive(Clone)]
pub struct SessionDeps {
    pub services: Arc<RunServices>,
    pub registry: Addr<Registry>,
    pub feed: Addr<Feed>,
    pub browsers: Addr<Supervisor>,
    pub default_agent: String,
    /// Connections to other nodes; `None` if no other service shares the store.
    pub relay: Option<RelayParts>,
}

pub(crate) type Context = ws::WebsocketContext<Session>;

/// Actor of one socket.
pub struct Session {
    pub(crate) id: SessionId,
    /// The client of this socket, as `hello` names it, else by the session's id.
    pub(crate) client: Caller,
    pub(crate) agent: Option<String>,
    pub(crate) count_query: CountQuery,
    pub(crate) deps: SessionDeps,
    pub(crate) has_greeted: bool,
    pub(crate) locale: Option<Locale>,
    pub(crate) outbox: Outbox,
    /// Run trees whose events could not be read; the error has been sent.
    pub(crate) failed_reads: HashSet<RunId>,
    pub(crate) live: Live,
    /// Links to the owners of trees of other nodes.
    pub(crate) links: LinkTable,
    /// Tree that this session is for, if its viewer is at another node.
    pub(crate) relayed: Option<RunId>,
    /// True when the registry has been told that the socket is lost.
    pub(crate) has_released: bool,
    pub(crate) takeover: TakeoverInput,
    pub(crate) last_message_at: Stopwatch,
    /// Resolves when the client's sign-in ends.
    pub(crate) signed_out: Option<BoxFuture<'static, ()>>,
}

/// Subject of a command: names the run tree that the socket has to follow.
pub(crate) enum CommandSubject {
    Run(RunId),
    Question(QuestionId),
}

/// Parameters of a `view` frame.
#[derive(Clone, Copy, Debug)]
pub struct ViewRequest {
    pub on: bool,
    pub max_width: Option<u32>,
    pub max_fps: Option<u32>,
    pub quality: Option<u32>,
    /// Copied into the header of each picture.
    pub tag: u32,
}

/// Live pictures of the page that the socket watches.
#[derive(Default)]
pub struct Live {
    /// Counts `view` frames, so that an answer from the store to an older one is ignored.
    pub(crate) request_number: u64,
    /// The run tree that is watched, whether or not it has a page by now.
    pub(crate) watched: Option<(RunId, ViewRequest)>,
    pub(crate) browser: Option<Addr<Browser>>,
    pub(crate) pictures: PictureQueue<ScreencastFrame>,
}

/// State of the take-over that this socket holds.
#[derive(Default)]
pub struct TakeoverInput {
    /// The page of this socket as of the last reply; the registry decides whether it is still held.
    pub access: Option<PageAccess>,
    pub(crate) under_way: usize,
    /// Newest mouse move that waits for the page to keep up.
    pub(crate) pending_move: Option<PersonInput>,
    /// True if the client has been told that input was dropped.
    pub(crate) drop_reported: bool,
}

/// State of the count for one socket: at most one query runs at a time, and one more follows if a question
/// changed meanwhile.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CountQuery {
    #[default]
    Idle,
    UnderWay,
    Again,
}
