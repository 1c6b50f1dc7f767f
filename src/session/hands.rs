//! The person's hands on the page, as far as their socket goes: it asks for the page, sends what they
//! do, and gives the page back. Who has it is the registry's to know.

use super::replies::flat;
use super::{Context, Session};
use crate::browser::holding::Input;
use crate::ids::RunId;
use crate::protocol::client::Hands;
use crate::run::takeover::{HandBack, TakeOver};
use actix::prelude::*;

impl Session {
    pub(super) fn take_over(&mut self, run: RunId, ctx: &mut Context) {
        let taken = self.lines.registry.send(TakeOver { run, by: self.id.clone() });
        ctx.spawn(taken.into_actor(self).map(|taken, session, ctx| match flat(taken) {
            Ok(hold) => session.hold = Some(hold),
            Err(fault) => session.refused(&fault, None, ctx),
        }));
    }

    pub(super) fn hands(&mut self, run: RunId, hands: Hands, ctx: &mut Context) {
        let Some(hold) = self.hold.as_ref().filter(|hold| hold.run == run || hold.root == run) else {
            return self.error("no_lease", "take the page over first", ctx);
        };
        let sent = hold.input.send(Input { holder: self.id.clone(), hands });
        ctx.spawn(sent.into_actor(self).map(|result, session, ctx| match result {
            Ok(Ok(())) => {}
            Ok(Err(fault)) => session.error("no_lease", &fault.message, ctx),
            Err(_) => session.error("no_lease", "the page is gone", ctx),
        }));
    }

    pub(super) fn hand_back(&mut self, run: RunId, ctx: &mut Context) {
        let back = self.lines.registry.send(HandBack { run, by: self.id.clone() });
        ctx.spawn(back.into_actor(self).map(|back, session, ctx| match flat(back) {
            Ok(()) => session.hold = None,
            Err(fault) => session.refused(&fault, None, ctx),
        }));
    }
}
