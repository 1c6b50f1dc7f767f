//! Outcome of an action: the settled page, and notes and files from the way there.

use crate::browser::error::{ErrorCode, PageError};
use crate::browser::input::settle::{SettleWait, Settled, SettledPage};
use crate::browser::page::context::PageContext;
use crate::browser::page::tab::Tab;
use crate::clock::Stopwatch;
use crate::files::StoredFile;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// Time that an announced tab may take to appear.
const NEW_TAB: Duration = Duration::from_secs(3);
const COMING: &str = "a download is still on its way; wait for it, and look again";
const BUSY: &str = "the page still changes or waits for answers; wait if what you need is not here yet";

/// Outcome of an action.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ActionOutcome {
    /// Text that `extract` read.
    pub text: Option<String>,
    pub url: String,
    pub title: String,
    pub settled: Settled,
    pub settled_in: Duration,
    /// Events worth reporting to the model: dialogs and their texts, new tabs, refused downloads.
    pub notes: Vec<String>,
    /// Files that the action downloaded.
    pub files: Vec<StoredFile>,
}

/// Waits until the page has settled and collects the outcome.
pub async fn finish(
    context: &PageContext,
    tab: &Tab,
    settling: SettleWait,
    text: Option<String>,
    load_timeout: Duration,
) -> Result<ActionOutcome, PageError> {
    let watch = Stopwatch::start();
    let (rest, notes) = come_to_rest(context, tab, settling, load_timeout).await?;
    let settled_in = Duration::from_secs_f64(watch.seconds());
    if context.downloads.wait_for_downloads().await {
        context.notes.add(String::from(COMING));
    }
    if rest.settled == Settled::Busy {
        context.notes.add(String::from(BUSY));
    }
    let later_notes =
        context.notes.all().into_iter().filter(|note| !notes.contains(note)).collect::<Vec<_>>();
    let notes = notes.into_iter().chain(later_notes).collect();
    let files = context.downloads.kept_files();
    Ok(ActionOutcome {
        text,
        url: rest.url,
        title: rest.title,
        settled: rest.settled,
        settled_in,
        notes,
        files,
    })
}

/// Reports whether the error says that the tab was closed, while the context has others.
fn is_other_tab_left(context: &PageContext, fault: &PageError) -> bool {
    fault.code == ErrorCode::NoPage && context.tabs.count() > 0
}

/// Waits until the page, and a tab that it opened, have settled.
async fn come_to_rest(
    context: &PageContext,
    tab: &Tab,
    mut settling: SettleWait,
    limit: Duration,
) -> Result<(SettledPage, Vec<String>), PageError> {
    let rest = match settling.settle().await {
        // A tab that closed itself has settled too; another tab is in front now.
        Err(fault) if is_other_tab_left(context, &fault) => {
            let _ = tokio::time::timeout(NEW_TAB, context.wait_for_other_tab(tab)).await;
            SettleWait::begin(&context.current()?, limit).settle().await?
        }
        result => result?,
    };
    let mut notes = std::mem::take(&mut settling.activity.notes);
    if settling.activity.window_opened || context.has_pages_in_setup() {
        let _ = tokio::time::timeout(NEW_TAB, context.wait_for_other_tab(tab)).await;
    }
    let now = context.current()?;
    let Some(born) = context.tabs.take_initial_events().filter(|_| now.target != tab.target) else {
        return Ok((rest, notes));
    };
    let (number, count) = context.tabs.position();
    let opened = format!("a new tab opened and is in front now ({number} of {count})");
    let mut settling = SettleWait::with_events(&now, born, limit);
    settling.wait_for_navigation_start().await;
    let rest = match settling.settle().await {
        // A tab led to a blocked address shows nothing, so it is closed again.
        Err(fault) if fault.code == ErrorCode::Blocked => {
            context.close_target(&now.target);
            let _ = tokio::time::timeout(NEW_TAB, context.wait_for_other_tab(&now)).await;
            return Err(fault);
        }
        // The new tab closed itself, as tabs opened for a download do.
        Err(fault) if is_other_tab_left(context, &fault) => return Ok((rest, notes)),
        result => {
            context.notes.add(opened);
            result?
        }
    };
    notes.append(&mut settling.activity.notes);
    Ok((rest, notes))
}
