//! Answering a JavaScript dialog of the page, and ending an action when a dialog opens.

use crate::browser::error::{ErrorCode, PageError};
use crate::browser::input::outcome::{ActionOutcome, ActionRun, ReadContent, settle_and_collect};
use crate::browser::input::settle::Settled;
use crate::browser::page::context::PageContext;
use crate::browser::page::pending_dialog::OpenDialog;
use crate::protocol::action_effect::ActionEffect;
use std::time::Duration;

/// Accepts or dismisses the open dialog and waits until the page has settled.
pub async fn answer(
    context: &PageContext,
    accept: bool,
    text: Option<String>,
    limit: Duration,
) -> Result<ActionOutcome, PageError> {
    let none = || PageError::new(ErrorCode::NoDialog, "the page has no dialog open; look again");
    let held = context.pending_dialog().open_dialog().ok_or_else(none)?;
    let tab = context.tabs.find_by_session(&held.session).ok_or_else(PageError::tab_closed)?;
    let leaves = accept && held.dialog.is_leave();
    let mut run = ActionRun::begin(context, &tab, limit);
    context.pending_dialog().forget_session(&held.session);
    tab.session.call(held.answer(accept, text)).await.map_err(|_| none())?;
    let work = async {
        if leaves {
            // The navigation was held until this answer.
            run.settling.wait_for_navigation_start().await;
        }
        settle_and_collect(run, ReadContent::Nothing).await
    };
    run_until_dialog(context, work).await
}

/// Runs an action until it finishes or a dialog opens. A page with an open dialog runs no scripts, so the
/// action ends there.
pub async fn run_until_dialog(
    context: &PageContext,
    work: impl Future<Output = Result<ActionOutcome, PageError>>,
) -> Result<ActionOutcome, PageError> {
    let done = tokio::select! {
        biased;
        done = work => done,
        held = context.pending_dialog().wait_for_any() => return dialog_outcome(context, held).await,
    };
    match (done, context.pending_dialog().open_dialog()) {
        (Err(fault), Some(held)) if fault.code == ErrorCode::DialogOpen => {
            dialog_outcome(context, held).await
        }
        (done, _) => done,
    }
}

async fn dialog_outcome(context: &PageContext, held: OpenDialog) -> Result<ActionOutcome, PageError> {
    let tab = context.tabs.find_by_session(&held.session).ok_or_else(PageError::tab_closed)?;
    let address = context.read_tab_address(&tab).await?;
    let message = held.dialog.message;
    let mut outcome = ActionOutcome::collect(context, address, Settled::DialogOpen);
    outcome.notes.push(format!("the page asks: \"{message}\""));
    outcome.effects.push(ActionEffect::DialogAsks { message });
    Ok(outcome)
}
