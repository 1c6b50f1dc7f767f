//! A run comes back from its rows: at its beginning, after an answer, after a restart, always the same way.

use super::Run;
use super::checkpoint::Checkpoint;
use crate::program::bounds::Place;
use crate::program::{Program, ProgramError};
use crate::protocol::Status;
use crate::store::StoreError;
use crate::store::rows::Stored;
use actix::prelude::*;
use std::sync::Arc;

type Loaded = Result<Box<dyn Program>, ProgramError>;

impl Run {
    /// Reads what is stored, with its program.
    pub(super) fn restore(&mut self, ctx: &mut Context<Self>) {
        let (engine, id) = (Arc::clone(&self.engine), self.id.clone());
        let restore = async move {
            let Some(mut stored) = engine.store.restore(id).await? else { return Ok(None) };
            let program = engine.load(stored.row.clone(), stored.state.take()).await;
            Ok::<_, StoreError>(Some((stored, program)))
        };
        ctx.spawn(restore.into_actor(self).map(|restored, run, ctx| match restored {
            Ok(Some((stored, program))) => {
                let Err(fault) = run.restored(stored, program, ctx) else { return };
                // What has ended stays as it ended, unless somebody waits for an answer.
                if run.status.is_outcome() && run.hearing.inbox().is_empty() {
                    run.leave(ctx);
                } else {
                    run.fail(&fault, ctx);
                }
            }
            Ok(None) => run.leave(ctx),
            Err(fault) => run.broken(fault, ctx),
        }));
    }

    /// Puts together what is stored and decides whether there is something to do.
    fn restored(
        &mut self,
        stored: Stored,
        program: Loaded,
        ctx: &mut Context<Self>,
    ) -> Result<(), ProgramError> {
        self.root = stored.row.root.clone();
        self.agent.clone_from(&stored.row.agent);
        self.title.clone_from(&stored.row.title);
        self.place = Place::of(&stored.row);
        self.checkpoint = Checkpoint::restored(&stored);
        self.status = Status::from_word(&stored.row.status)
            .ok_or_else(|| ProgramError::Changes(format!("unknown status {}", stored.row.status)))?;
        self.hearing.restore(stored.inbox);
        stored.wish.into_iter().for_each(|row| self.hearing.wish(row));
        let mut program = program?;
        for changes in &stored.changes {
            program.apply(changes)?;
        }
        self.question = stored.question;
        // What a paused run had in hand is gone as well, so it goes on as after a crash.
        // One that stands at a question, or waits for its children, had nothing in hand.
        let goes_on = program.awaits().is_empty()
            && (self.status == Status::Running
                || (self.status == Status::Paused
                    && self.hearing.orders().resume
                    && self.question.is_none()
                    && !program.rests()));
        let recovery = goes_on.then(|| program.recover(stored.open_effect.as_ref()));
        self.program = Some(program);
        match recovery {
            Some(changes) => self.change("recover", changes, ctx),
            None => self.go_on(ctx),
        }
        Ok(())
    }

    /// Takes the title that its program has for it now, if that is another one.
    pub(super) fn retitle(&mut self) -> Option<String> {
        let title = self.program.as_ref()?.title(&self.title).filter(|title| *title != self.title)?;
        self.title.clone_from(&title);
        Some(title)
    }
}
