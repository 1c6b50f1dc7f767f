//! Take-over by the person at this socket: take the page over, send input to it, and hand it back. The
//! registry decides which socket holds the lease.

use crate::browser::error::{ErrorCode, PageError};
use crate::browser::pool::messages::FindBrowser;
use crate::browser::takeover::holder_dialogs::{DialogChanged, SubscribeDialogs};
use crate::browser::takeover::holder_view::{HolderViewChange, HolderViewChanged, SubscribeHolderView};
use crate::browser::takeover::input_state::HolderInput;
use crate::engine::error::RunRequestError;
use crate::engine::registry::takeovers::{HandBack, TakeOver};
use crate::engine::takeover::pages::PageAccess;
use crate::ids::RunId;
use crate::page::observation::PageDialog;
use crate::protocol::client::{MouseEvent, PersonInput};
use crate::protocol::server::{self, Reply};
use crate::session::replies::{flatten_reply, reply};
use crate::session::state::{Context, Session};
use crate::session::viewer_side::{RequestedPage, find_page};
use actix::prelude::*;
use std::sync::Arc;

/// Number of unfinished inputs above which mouse moves are not sent; only the newest move is kept.
const MAX_PENDING_MOVES: usize = 8;
/// Maximum number of unfinished inputs. A person cannot cause more; further input is dropped.
const MAX_PENDING: usize = 256;

impl Session {
    /// Asks for the page of a run, at this node or at the owner of its tree.
    pub(crate) fn take_over(&mut self, run: RunId, ctx: &mut Context) {
        if self.deps.relay.is_none() {
            return self.take_over_here(run, ctx);
        }
        let access = self.takeover.access.as_ref().map(|access| access.root.clone());
        let asked = access.or_else(|| self.links.takeover().cloned());
        let store = Arc::clone(&self.deps.services.store);
        let page = find_page(store, run.clone(), self.id.clone(), asked);
        ctx.spawn(page.into_actor(self).map(|page, session, ctx| match page {
            Ok(RequestedPage { root: Some(root), .. }) if !session.may_reach(&root) => {
                session.send_refusal(&RunRequestError::UnknownRun(run), None, ctx);
            }
            Ok(RequestedPage { root: Some(root), has_ended: false }) if session.is_elsewhere(&root) => {
                session.take_over_elsewhere(&root, &run, ctx);
            }
            Ok(_) => session.take_over_here(run, ctx),
            Err(fault) => session.send_refusal(&fault, None, ctx),
        }));
    }

    fn take_over_here(&mut self, run: RunId, ctx: &mut Context) {
        let taking = self.deps.registry.send(TakeOver { run, by: self.id.clone() });
        ctx.spawn(taking.into_actor(self).map(|taking, session, ctx| match flatten_reply(taking) {
            Ok(access) => {
                session.subscribe_dialogs(&access, ctx);
                session.takeover.access = Some(access);
                session.links.forget_takeover();
            }
            Err(fault) => session.send_refusal(&fault, None, ctx),
        }));
    }

    /// Subscribes to the dialogs and the view changes of the page for as long as this socket holds it.
    fn subscribe_dialogs(&self, access: &PageAccess, ctx: &mut Context) {
        let found = self.deps.browsers.send(FindBrowser { owner: access.root.clone() });
        let run = access.run.clone();
        ctx.spawn(found.into_actor(self).map(|browser, session, ctx| {
            if let Ok(Some(browser)) = browser {
                let (holder, to) = (session.id.clone(), ctx.address().recipient());
                browser.do_send(SubscribeDialogs { holder: holder.clone(), run: run.clone(), to });
                browser.do_send(SubscribeHolderView { holder, run, to: ctx.address().recipient() });
            }
        }));
    }

    pub(crate) fn handle_input(&mut self, run: RunId, input: PersonInput, ctx: &mut Context) {
        if !self.takeover.access.as_ref().is_some_and(|access| access.run == run || access.root == run) {
            return self.send_error("no_lease", "take the page over first", ctx);
        }
        if is_move(&input) && self.takeover.under_way >= MAX_PENDING_MOVES {
            self.takeover.pending_move = Some(input);
            return;
        }
        if let Some(pending_move) = self.takeover.pending_move.take() {
            self.send_input(pending_move, ctx);
        }
        self.send_input(input, ctx);
    }

    /// Sends input to the page, or drops it if the page does not keep up.
    fn send_input(&mut self, input: PersonInput, ctx: &mut Context) {
        let Some(access) = &self.takeover.access else { return };
        if self.takeover.under_way >= MAX_PENDING {
            if !std::mem::replace(&mut self.takeover.drop_reported, true) {
                self.send_error("busy", "the page does not keep up; what you did last was dropped", ctx);
            }
            return;
        }
        self.takeover.under_way += 1;
        let sent = access.input.send(HolderInput { holder: self.id.clone(), input });
        ctx.spawn(sent.into_actor(self).map(|result, session, ctx| {
            session.finish_input();
            match result {
                Ok(Ok(())) => {}
                Ok(Err(fault)) => session.send_error(refusal_code(&fault), &fault.message, ctx),
                Err(_) => session.send_error("no_lease", "the page is gone", ctx),
            }
            if session.takeover.under_way < MAX_PENDING_MOVES
                && let Some(pending_move) = session.takeover.pending_move.take()
            {
                session.send_input(pending_move, ctx);
            }
        }));
    }

    fn finish_input(&mut self) {
        self.takeover.under_way -= 1;
        self.takeover.drop_reported &= self.takeover.under_way > 0;
    }

    pub(crate) fn hand_back(&mut self, run: RunId, ctx: &mut Context) {
        if self.hand_back_elsewhere(&run, ctx) {
            return;
        }
        let back =
            self.deps.registry.send(HandBack { run, by: self.id.clone(), client: self.client.clone() });
        ctx.spawn(back.into_actor(self).map(|back, session, ctx| match flatten_reply(back) {
            Ok(()) => {
                session.takeover.access = None;
                session.takeover.pending_move = None;
            }
            Err(fault) => session.send_refusal(&fault, None, ctx),
        }));
    }
}

impl Handler<DialogChanged> for Session {
    type Result = ();

    fn handle(&mut self, DialogChanged { run, number, dialog }: DialogChanged, ctx: &mut Context) {
        let to_wire =
            |PageDialog { kind, message, default }| server::Dialog { kind, message, default_text: default };
        reply(&Reply::PageDialog { run_id: run, number, dialog: dialog.map(to_wire) }, ctx);
    }
}

impl Handler<HolderViewChanged> for Session {
    type Result = ();

    fn handle(&mut self, HolderViewChanged { run: run_id, change }: HolderViewChanged, ctx: &mut Context) {
        let frame = match change {
            HolderViewChange::Address(url) => Reply::PageAddress { run_id, url },
            HolderViewChange::Chooser { number, multiple, open } => {
                Reply::FileChooser { run_id, number, multiple, open }
            }
        };
        reply(&frame, ctx);
    }
}

/// Returns the error code for the client. Errors that are not about the person's input become `no_lease`.
fn refusal_code(fault: &PageError) -> &'static str {
    match fault.code {
        ErrorCode::BadUrl
        | ErrorCode::Blocked
        | ErrorCode::NavigationFailed
        | ErrorCode::NoFile
        | ErrorCode::OneFile
        | ErrorCode::NoFileField
        | ErrorCode::DialogOpen => fault.code.word(),
        _ => "no_lease",
    }
}

/// Reports whether the input is a mouse move, which the next move makes superfluous.
pub(crate) fn is_move(input: &PersonInput) -> bool {
    matches!(input, PersonInput::Mouse { event: MouseEvent::Move, .. })
}
