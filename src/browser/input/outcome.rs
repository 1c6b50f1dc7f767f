//! Run of one action, and its outcome: the settled page, and notes and files from the way there.

use crate::browser::error::{ErrorCode, PageError};
use crate::browser::input::action_trace::{self, ActionTrace, TraceFacts, TracedAction};
use crate::browser::input::reading::extract_rows::LackingRows;
use crate::browser::input::settle::{SettleWait, Settled, SettledPage};
use crate::browser::page::context::PageContext;
use crate::browser::page::held_requests::HeldBatch;
use crate::browser::page::tab::Tab;
use crate::browser::page_tools::registry::PendingCall;
use crate::clock::Stopwatch;
use crate::files::{DownloadedFile, StoredFile};
use crate::page::text::quoted;
use crate::protocol::action_effect::ActionEffect;
use crate::texts::effects::describe_for_planner;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// Time that an announced tab may take to appear.
const NEW_TAB: Duration = Duration::from_secs(3);
/// Time that a tool of the page may take to return.
const TOOL_TIMEOUT: Duration = Duration::from_secs(20);
/// Time that a tool may take to fill in its form, which it does not send itself.
const FORM_FILLING: Duration = Duration::from_millis(300);
/// Time within which a page that sends what is typed replaces its request by one with more of it.
const REPLACING: Duration = Duration::from_millis(350);
/// Time that a page may take to answer before the person is asked all the same.
const REPLY_WAIT: Duration = Duration::from_secs(1);
/// Time for events that Chromium has already sent to be handled.
const EVENT_GRACE: Duration = Duration::from_millis(10);
const FORM_FILLED: &str =
    "the form of the tool is filled in and not sent; look at it, and press its button to send it";
const DOWNLOAD_COMING: &str = "a download is still on its way; wait for it, and look again";

/// Outcome of an action.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ActionOutcome {
    /// Text that `extract` read.
    pub text: Option<String>,
    /// Rows for a model to complete, in place of a text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lacking_rows: Option<LackingRows>,
    pub url: String,
    pub title: String,
    pub settled: Settled,
    pub settled_in: Duration,
    /// Effect of the action on the page, in words; `None` for actions that only read or go elsewhere.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effect_summary: Option<String>,
    /// The same, and what is to be known about a reading, for the texts that people read.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub effects: Vec<ActionEffect>,
    /// Events worth reporting to the model: dialogs and their texts, new tabs, refused downloads.
    pub notes: Vec<String>,
    /// Files that the action downloaded.
    pub files: Vec<StoredFile>,
    /// Files that were downloaded since the last action, with their addresses.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub downloads: Vec<DownloadedFile>,
    /// Requests that the action caused and that wait for a person.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub held: Option<HeldBatch>,
    /// Addresses of messages of sockets that got around the gate.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unasked: Vec<String>,
}

impl ActionOutcome {
    /// Outcome on a page at this address, of an action that read, changed and sent nothing.
    fn new((url, title): (String, String), settled: Settled) -> Self {
        Self {
            text: None,
            lacking_rows: None,
            url,
            title,
            settled,
            settled_in: Duration::ZERO,
            effect_summary: None,
            effects: Vec::new(),
            notes: Vec::new(),
            files: Vec::new(),
            downloads: Vec::new(),
            held: None,
            unasked: Vec::new(),
        }
    }

    /// Outcome with the notes, files and unasked messages of the action so far.
    pub(super) fn collect(context: &PageContext, address: (String, String), settled: Settled) -> Self {
        Self {
            notes: context.notes.since_action(),
            files: context.downloads.kept_files(),
            downloads: context.downloads.take_arrived(),
            unasked: context.take_unasked(),
            ..Self::new(address, settled)
        }
    }

    /// Outcome where no page is left.
    pub fn without_page() -> Self {
        Self {
            notes: vec![String::from("the page has closed itself")],
            ..Self::new((String::new(), String::new()), Settled::Still)
        }
    }
}

/// Action under way in a tab of a page context.
pub struct ActionRun<'a> {
    pub context: &'a PageContext,
    pub tab: Tab,
    /// Wait for the page to settle, begun before the action, so that no event is missed.
    pub settling: SettleWait,
}

impl<'a> ActionRun<'a> {
    pub fn begin(context: &'a PageContext, tab: &Tab, load_timeout: Duration) -> Self {
        Self { context, tab: tab.clone(), settling: SettleWait::begin(tab, load_timeout) }
    }
}

/// Content that an action has read from the page.
#[derive(Clone, Debug, Default)]
pub enum ReadContent {
    #[default]
    Nothing,
    Text(String),
    LackingRows(LackingRows),
}

impl ReadContent {
    fn into_parts(self) -> (Option<String>, Option<LackingRows>) {
        match self {
            Self::Nothing => (None, None),
            Self::Text(text) => (Some(text), None),
            Self::LackingRows(rows) => (None, Some(rows)),
        }
    }
}

/// Waits until the page has settled, or until a request of it is held, and collects the outcome.
pub async fn settle_and_collect(run: ActionRun<'_>, read: ReadContent) -> Result<ActionOutcome, PageError> {
    let context = run.context;
    run_until_held(context, read.clone(), collect_outcome(run, read)).await
}

/// Runs a part of an action until it finishes or a request of the page is held: until the answer, the page does
/// not settle, and a navigation does not go on.
pub(super) async fn run_until_held(
    context: &PageContext,
    read: ReadContent,
    work: impl Future<Output = Result<ActionOutcome, PageError>>,
) -> Result<ActionOutcome, PageError> {
    let done = {
        tokio::pin!(work);
        loop {
            let done = tokio::select! {
                biased;
                () = context.held_requests.wait_for_any() => None,
                done = &mut work => Some(done),
            };
            if done.is_some() || !may_be_replaced(context).await {
                break done;
            }
        }
    };
    match (done, context.held_requests.first_batch()) {
        (Some(done), None) => done,
        (_, Some(held)) => held_outcome(context, read, held).await,
        (None, None) => Err(PageError::new(ErrorCode::Timeout, "the page took its request back; look again")),
    }
}

/// Waits for a page that is being typed into to replace its request by a longer one, so that the person is asked about
/// the final request. Returns true if every held request was cancelled.
async fn may_be_replaced(context: &PageContext) -> bool {
    if context.held_requests.typed.borrow().texts().is_empty() {
        return false;
    }
    tokio::time::sleep(REPLACING).await;
    // A busy page reports cancelled requests late, but before it replies to this call.
    if let Ok(tab) = context.current()
        && !tab.has_dialog_open()
    {
        let _ = tokio::time::timeout(REPLY_WAIT, tab.run_once::<u32>("0")).await;
        tokio::time::sleep(EVENT_GRACE).await;
    }
    context.held_requests.is_empty()
}

async fn held_outcome(
    context: &PageContext,
    read: ReadContent,
    held: HeldBatch,
) -> Result<ActionOutcome, PageError> {
    let outcome = ActionOutcome::collect(context, context.read_address().await?, Settled::RequestHeld);
    let (text, lacking_rows) = read.into_parts();
    Ok(ActionOutcome { text, lacking_rows, held: Some(held), ..outcome })
}

/// Waits until the page has settled and collects the outcome.
async fn collect_outcome(mut run: ActionRun<'_>, read: ReadContent) -> Result<ActionOutcome, PageError> {
    let (context, load_timeout) = (run.context, run.settling.load_timeout);
    let watch = Stopwatch::start();
    let called = wait_for_tool(context, load_timeout).await;
    let rest = settle_with_new_tab(&mut run).await?;
    if let Some(fault) = action_trace::find_missed_press(&rest.traces.traces) {
        action_trace::end(&run.tab);
        return Err(fault);
    }
    let settled_in = Duration::from_secs_f64(watch.seconds());
    let ((text, lacking_rows), tool_effect) = match called {
        Some(call) => {
            let result = take_tool_result(context, &call, load_timeout)?;
            let effect = result.effect();
            ((Some(result.into_text()), None), effect)
        }
        None => (read.into_parts(), None),
    };
    let download_effect = wait_for_downloads(context).await;
    let SettledPage { settled, url, title } = rest.page.clone();
    settled.note().into_iter().for_each(|note| context.notes.add(String::from(note)));
    let mut outcome = ActionOutcome::collect(context, (url, title), settled);
    outcome.notes = join_notes(rest.notes.clone(), outcome.notes);
    let has_notes = !outcome.notes.is_empty() || !outcome.files.is_empty();
    let is_told = has_notes || !outcome.downloads.is_empty() || !outcome.unasked.is_empty();
    let action = run.settling.traced.take();
    let traced = action.clone().map(|action| list_traced_effects(&run.tab, action, &rest, has_notes));
    if let (Some(action), Some(effects)) = (&action, &traced)
        && rest.traces.sent == 0
        && !is_told
        && let Some(fault) = action_trace::find_missing_effect(&rest.traces.traces, effects, action)
    {
        return Err(fault);
    }
    let effect_summary = traced.as_deref().map(describe_for_planner);
    let reported = rest.traces.reported_effects.into_iter().chain(download_effect).chain(tool_effect);
    let effects = traced.into_iter().flatten().chain(reported).collect();
    Ok(ActionOutcome { text, lacking_rows, settled_in, effect_summary, effects, ..outcome })
}

/// Waits for the downloads of the action. Notes and returns the effect if one is still on its way.
async fn wait_for_downloads(context: &PageContext) -> Option<ActionEffect> {
    let is_coming = context.downloads.wait_for_downloads().await;
    is_coming.then(|| {
        context.notes.add(String::from(DOWNLOAD_COMING));
        ActionEffect::DownloadComing
    })
}

/// Joins the notes from the way of an action with those of the page as it has settled.
fn join_notes(mut notes: Vec<String>, later: Vec<String>) -> Vec<String> {
    let new: Vec<String> = later.into_iter().filter(|note| !notes.contains(note)).collect();
    notes.extend(new);
    notes
}

/// Waits for the tool of the page that the action called, if it called one. What a tool returns after its action has
/// ended becomes a note.
async fn wait_for_tool(context: &PageContext, load_timeout: Duration) -> Option<PendingCall> {
    let call = context.tools.pending()?;
    if call.is_late {
        if let Some((call, end)) = context.tools.take_end() {
            context.notes.add(end.late_note(&call.tool));
        }
        return None;
    }
    let limit = if call.waits_for_button { FORM_FILLING } else { TOOL_TIMEOUT.min(load_timeout) };
    let _ = tokio::time::timeout(limit, context.tools.wait_for_end()).await;
    Some(call)
}

/// Result of a call of a tool of the page.
enum ToolResult {
    Returned(String),
    /// The tool has filled in its form, which waits for its button.
    FormFilled,
}

impl ToolResult {
    fn effect(&self) -> Option<ActionEffect> {
        match self {
            Self::Returned(_) => None,
            Self::FormFilled => Some(ActionEffect::ToolFormFilled),
        }
    }

    fn into_text(self) -> String {
        match self {
            Self::Returned(text) => text,
            Self::FormFilled => String::from(FORM_FILLED),
        }
    }
}

/// Returns what the tool returned, on the page as it has settled: the tool may have opened a document that returns the result.
fn take_tool_result(
    context: &PageContext,
    call: &PendingCall,
    load_timeout: Duration,
) -> Result<ToolResult, PageError> {
    if let Some((call, end)) = context.tools.take_end() {
        return end.into_result(&call.tool).map(ToolResult::Returned);
    }
    context.tools.mark_late();
    if call.waits_for_button {
        Ok(ToolResult::FormFilled)
    } else {
        Err(slow_tool(&call.tool, TOOL_TIMEOUT.min(load_timeout)))
    }
}

fn slow_tool(name: &str, limit: Duration) -> PageError {
    let message = format!(
        "the tool {} has not returned within {} s and goes on; it may wait for something on the page: look at it. A later result will be reported",
        quoted(name),
        limit.as_secs()
    );
    PageError::new(ErrorCode::Timeout, message)
}

/// Reports whether the error says that the tab was closed, while the context has others.
fn has_another_tab(context: &PageContext, fault: &PageError) -> bool {
    fault.code == ErrorCode::NoPage && context.tabs.count() > 0
}

/// The page as it came to rest after an action.
struct SettledResult {
    page: SettledPage,
    /// Notes from the way there.
    notes: Vec<String>,
    traces: Traces,
}

/// Traces of an action and of its requests.
#[derive(Default)]
struct Traces {
    /// Effects that the action reported itself, and that notes tell planners.
    reported_effects: Vec<ActionEffect>,
    traces: Vec<ActionTrace>,
    sent: usize,
    waiting: bool,
}

impl Traces {
    fn take(settling: &mut SettleWait) -> Self {
        Self {
            reported_effects: std::mem::take(&mut settling.effects),
            traces: std::mem::take(&mut settling.traces),
            sent: settling.activity.sent,
            waiting: settling.activity.is_waiting(),
        }
    }
}

/// Ends the trace of an action, and lists what it did. `has_notes` is true if notes or files tell of an effect.
fn list_traced_effects(
    tab: &Tab,
    action: TracedAction,
    rest: &SettledResult,
    has_notes: bool,
) -> Vec<ActionEffect> {
    action_trace::end(tab);
    let SettledResult { page, traces, .. } = rest;
    let loaded = page.settled == Settled::Loaded;
    let facts =
        TraceFacts { url: &page.url, loaded, sent: traces.sent, waiting: traces.waiting, has_notes, action };
    action_trace::list_effects(&traces.traces, &facts)
}

/// Waits until the page has settled. A tab that closed itself has settled too; another tab is in front then.
async fn settle_page(run: &mut ActionRun<'_>) -> Result<SettledPage, PageError> {
    match run.settling.settle().await {
        Err(fault) if has_another_tab(run.context, &fault) => {
            let _ = tokio::time::timeout(NEW_TAB, run.context.wait_for_other_tab(&run.tab)).await;
            SettleWait::begin(&run.context.current()?, run.settling.load_timeout).settle().await
        }
        result => result,
    }
}

/// Waits until the page, and a tab that it opened, have settled.
async fn settle_with_new_tab(run: &mut ActionRun<'_>) -> Result<SettledResult, PageError> {
    let page = settle_page(run).await?;
    let ActionRun { context, tab, settling } = run;
    let notes = std::mem::take(&mut settling.activity.notes);
    let rest = SettledResult { page, notes, traces: Traces::take(settling) };
    if settling.activity.window_opened || context.has_pages_in_setup() {
        let _ = tokio::time::timeout(NEW_TAB, context.wait_for_other_tab(tab)).await;
    }
    let now = context.current()?;
    match context.tabs.take_initial_events().filter(|_| now.target != tab.target) {
        Some(initial_events) => {
            let settling = SettleWait::with_events(&now, initial_events, settling.load_timeout);
            settle_opened_tab(context, settling, &now, rest).await
        }
        None => Ok(rest),
    }
}

/// Waits until a tab that the action opened has settled. `rest` is that of the page that opened it.
async fn settle_opened_tab(
    context: &PageContext,
    mut settling: SettleWait,
    opened: &Tab,
    rest: SettledResult,
) -> Result<SettledResult, PageError> {
    let (number, count) = context.tabs.position();
    let note = format!("a new tab opened and is in front now ({number} of {count})");
    settling.wait_for_navigation_start().await;
    let page = match settling.settle().await {
        // A tab led to a blocked address shows nothing, so it is closed again.
        Err(fault) if fault.code == ErrorCode::Blocked => {
            context.close_target(&opened.target);
            let _ = tokio::time::timeout(NEW_TAB, context.wait_for_other_tab(opened)).await;
            return Err(fault);
        }
        // The new tab closed itself, as tabs opened for a download do.
        Err(fault) if has_another_tab(context, &fault) => return Ok(rest),
        result => {
            context.notes.add(note);
            result?
        }
    };
    let mut notes = rest.notes;
    notes.append(&mut settling.activity.notes);
    let mut reported_effects = rest.traces.reported_effects;
    reported_effects.push(ActionEffect::TabOpened { number, count });
    Ok(SettledResult { page, notes, traces: Traces { reported_effects, ..Traces::default() } })
}
