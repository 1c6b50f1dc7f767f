//! Restoration of a run from its rows: the same for a new run, after an answer, and after a restart.

use crate::engine::program::bounds::TreePosition;
use crate::engine::program::{Program, ProgramError};
use crate::engine::run::checkpoint::Checkpoint;
use crate::engine::run::state::Run;
use crate::protocol::Status;
use crate::store::error::StoreError;
use crate::store::rows::StoredRun;
use actix::prelude::*;
use std::sync::Arc;

type Loaded = Result<Box<dyn Program>, ProgramError>;

impl Run {
    /// Reads the stored rows and loads the program.
    pub(crate) fn restore(&mut self, ctx: &mut Context<Self>) {
        let (engine, id) = (Arc::clone(&self.engine), self.id.clone());
        let restore = async move {
            let Some(mut stored) = engine.store.restore(id).await? else { return Ok(None) };
            let program = engine.load(stored.row.clone(), stored.state.take()).await;
            Ok::<_, StoreError>(Some((stored, program)))
        };
        ctx.spawn(restore.into_actor(self).map(|restored, run, ctx| match restored {
            Ok(Some((stored, program))) => {
                let Err(fault) = run.assemble(stored, program, ctx) else { return };
                // An ended run stays as it ended, unless a message waits for a reply.
                if run.status.is_outcome() && run.hearing.inbox().is_empty() {
                    run.leave(ctx);
                } else {
                    run.fail(&fault, ctx);
                }
            }
            Ok(None) => run.leave(ctx),
            Err(fault) => run.fail_unreadable(fault, ctx),
        }));
    }

    /// Assembles the stored parts and continues the run.
    fn assemble(
        &mut self,
        stored: StoredRun,
        program: Loaded,
        ctx: &mut Context<Self>,
    ) -> Result<(), ProgramError> {
        self.root = stored.row.root.clone();
        self.agent.clone_from(&stored.row.agent);
        self.title.clone_from(&stored.row.title);
        self.place = TreePosition::from_row(&stored.row);
        self.checkpoint = Checkpoint::restored(&stored);
        self.status = Status::from_word(&stored.row.status)
            .ok_or_else(|| ProgramError::Changes(format!("unknown status {}", stored.row.status)))?;
        self.hearing.restore_inbox(stored.inbox);
        stored.wish.into_iter().for_each(|row| self.hearing.receive_command(row));
        let mut program = program?;
        for changes in &stored.changes {
            program.apply(changes)?;
        }
        self.question = stored.question;
        // A paused run has lost its action under way, so it recovers as after a crash. A run that stands at a
        // question or waits for its children had none.
        let goes_on = program.awaited_children().is_empty()
            && (self.status == Status::Running
                || (self.status == Status::Paused
                    && self.hearing.pending().resume
                    && self.question.is_none()
                    && !program.is_resting()));
        let recovery = goes_on.then(|| program.recover(stored.open_effect.as_ref()));
        self.program = Some(program);
        match recovery {
            Some(changes) => self.commit_change("recover", changes, ctx),
            None => self.go_on(ctx),
        }
        Ok(())
    }

    /// Returns the title that the program gives the run now, if it has changed.
    pub(crate) fn retitle(&mut self) -> Option<String> {
        let title = self.program.as_ref()?.title(&self.title).filter(|title| *title != self.title)?;
        self.title.clone_from(&title);
        Some(title)
    }
}
