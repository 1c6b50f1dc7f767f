//! Performing one action on the page with a person's input events, and waiting until the page has settled.

pub(crate) mod dialog;
pub(crate) mod isolation;
mod operation;
pub mod action_trace;
pub mod activity;
pub mod fields;
pub mod gestures;
pub mod outcome;
pub mod keyboard;
pub mod navigate;
pub mod pointer;
pub mod reading;
pub mod settle;
pub mod upload;

use crate::browser::error::{ErrorCode, PageError};
use crate::browser::input::fields::{fill, select_option, typing};
use crate::browser::input::gestures::points::PointCheck;
use crate::browser::input::gestures::{drag, points, scroll, text_selection};
use crate::browser::input::navigate::NavigationTarget;
use crate::browser::input::operation::{BrowserOperation, InputAction, InputOrder, IsolatedEvents, OnDialog};
pub(in crate::browser) use crate::browser::input::outcome::ActionOutcome;
use crate::browser::input::outcome::{ActionRun, ReadContent, run_until_held, settle_and_collect};
use crate::browser::input::reading::extract_rows::{self, RowsOutcome};
use crate::browser::input::reading::wait::TextWait;
use crate::browser::input::reading::{PageReading, embedded_pdf};
use crate::browser::input::settle::SettleWait;
use crate::browser::page::context::PageContext;
use crate::browser::page::frames::query_all;
use crate::browser::page::tab::Tab;
use crate::browser::page_tools::registry::ShownTool;
use crate::turn::action::{Action, TabOperation};
use crate::turn::page_input::points::PointAction;
use serde_json::{Map, Value};
use std::rc::Rc;
use std::time::Duration;

/// Note about a wait that ended before the page was as wanted.
const WAIT_ENDED: &str = "the wait ended when the page was about to send something that a person is asked about; look \
                          whether the page is as you expected";

/// Conditions and permissions of an action.
#[derive(Clone, Debug, Default)]
pub struct ActionOptions {
    /// For a key: the element that must have the focus.
    pub focus_eid: Option<u32>,
    /// For points: the picture that they were chosen on.
    pub picture: Option<PointCheck>,
    /// For a tool of the page: the digest of the declaration that the planner was shown.
    pub tool_digest: Option<String>,
    /// True if the action may download a program.
    pub programs: bool,
    /// True if a model may fill in missing columns of extracted rows.
    pub model_completes_rows: bool,
    /// True for every action of a turn but the first. Notes are kept, since the planner has not seen them.
    pub continues_turn: bool,
    /// True to leave without honouring a `beforeunload` dialog.
    pub skip_leave_dialog: bool,
}

/// Performs an action. If the future is dropped at any moment, no key stays down and no load keeps running.
pub async fn perform(
    context: Rc<PageContext>,
    action: Action,
    options: ActionOptions,
    limit: Duration,
) -> Result<ActionOutcome, PageError> {
    let operation = BrowserOperation::parse(action)?;
    context.tabs.drop_initial_events();
    context.notes.begin_action(options.continues_turn);
    let _allowing = context.downloads.begin_action(options.programs);
    let on_dialog = operation.on_dialog();
    // Boxed, since it is large.
    let work = Box::pin(carry_out(&context, operation, &options, limit));
    if on_dialog == OnDialog::Answer {
        return work.await;
    }
    // Except for answers to dialogs, an earlier tool call no longer belongs to the current action.
    context.tools.mark_late();
    let _leaving = match context.pending_dialog().open_dialog() {
        Some(held) if on_dialog == OnDialog::Leave => Some(context.leave(&held)),
        Some(held) => return Err(PageError::dialog_open(&held.dialog)),
        None if options.skip_leave_dialog => context.leave_for_good(),
        None => None,
    };
    dialog::run_until_dialog(&context, work).await
}

async fn carry_out(
    context: &PageContext,
    operation: BrowserOperation,
    options: &ActionOptions,
    limit: Duration,
) -> Result<ActionOutcome, PageError> {
    match operation {
        BrowserOperation::AnswerDialog { accept, text } => dialog::answer(context, accept, text, limit).await,
        BrowserOperation::CallTool { name, arguments } => {
            call_tool(context, &name, &arguments, options, limit).await
        }
        BrowserOperation::ChangeTab { change, number, url } => {
            let work = change_tab(context, change, number, url, limit);
            run_until_held(context, ReadContent::Nothing, work).await
        }
        BrowserOperation::Navigate(target) => navigate_tab(context, target, limit).await,
        BrowserOperation::SendInput(order) => send_input(context, order, options, limit).await,
        BrowserOperation::Read(reading) => {
            let model_completes_rows = options.model_completes_rows;
            run_in_front(context, limit, async |run| read(run, reading, model_completes_rows).await).await
        }
        BrowserOperation::Sleep(duration) => {
            run_in_front(context, limit, async |_| {
                tokio::time::sleep(duration).await;
                Ok(ReadContent::Nothing)
            })
            .await
        }
        BrowserOperation::WaitForText(wait) => wait_for_text(context, wait, limit).await,
    }
}

/// Runs the work of an action in the tab in front.
async fn run_in_front(
    context: &PageContext,
    limit: Duration,
    work: impl AsyncFnOnce(&mut ActionRun<'_>) -> Result<ReadContent, PageError>,
) -> Result<ActionOutcome, PageError> {
    run_in_tab(context, &context.current()?, limit, work).await
}

/// Runs the work of an action in a tab, waits until the page has settled, and collects the outcome.
async fn run_in_tab(
    context: &PageContext,
    tab: &Tab,
    limit: Duration,
    work: impl AsyncFnOnce(&mut ActionRun<'_>) -> Result<ReadContent, PageError>,
) -> Result<ActionOutcome, PageError> {
    let done = async {
        let mut run = ActionRun::begin(context, tab, limit);
        let read = work(&mut run).await?;
        settle_and_collect(run, read).await
    };
    let done = done.await;
    if let Err(fault) = &done
        && fault.code == ErrorCode::Unresponsive
    {
        // Lets the next observation succeed.
        tab.stop_scripts().await;
    }
    done
}

/// Runs a part of an action until it finishes or a request of the page is held, for which it returns `None`: it would
/// wait for the person's answer.
async fn run_unless_held<T>(context: &PageContext, work: impl Future<Output = T>) -> Option<T> {
    tokio::select! {
        biased;
        () = context.held_requests.wait_for_any() => None,
        done = work => Some(done),
    }
}

/// Navigates the tab in front, and waits until the page has settled. A navigation ends when its request is held: Chromium
/// replies only when it has left.
async fn navigate_tab(
    context: &PageContext,
    target: NavigationTarget,
    limit: Duration,
) -> Result<ActionOutcome, PageError> {
    let (tab, target) = ensure_responsive(context, target).await?;
    run_in_tab(context, &tab, limit, async |run| {
        run_unless_held(context, begin_navigation(run, target)).await.unwrap_or(Ok(()))?;
        Ok(ReadContent::Nothing)
    })
    .await
}

/// Returns a tab that answers. Leaving a page that never yields or keeps opening dialogs stops its scripts,
/// or else replaces the page by a new one.
async fn ensure_responsive(
    context: &PageContext,
    target: NavigationTarget,
) -> Result<(Tab, NavigationTarget), PageError> {
    let tab = context.current()?;
    let answers = tab.is_responsive().await || tab.stop_scripts().await;
    if answers && !context.pending_dialog().reopens_dialogs().await {
        return Ok((tab, target));
    }
    let url = navigate::resolve_target(&tab, target).await?;
    Ok((context.replace(&tab).await?, NavigationTarget::Address(url)))
}

async fn begin_navigation(run: &mut ActionRun<'_>, target: NavigationTarget) -> Result<(), PageError> {
    match target {
        NavigationTarget::Address(url) => {
            return navigate::navigate(&run.tab, &mut run.settling, &navigate::parse_url(&url)?).await;
        }
        NavigationTarget::Reload => navigate::reload(&run.tab).await?,
        NavigationTarget::History(step) => navigate::travel_history(&run.tab, step).await?,
    }
    run.settling.wait_for_navigation_start().await;
    Ok(())
}

/// Reads the page of a run.
async fn read(
    run: &mut ActionRun<'_>,
    reading: PageReading,
    model_completes_rows: bool,
) -> Result<ReadContent, PageError> {
    let (context, tab) = (run.context, &run.tab);
    let order = match reading {
        PageReading::Find { text, role } => {
            return query_all::find(tab, &text, role.as_deref()).await.map(ReadContent::Text);
        }
        PageReading::Text { eid } => {
            return embedded_pdf::read_text_or_save(context, tab, eid).await.map(ReadContent::Text);
        }
        PageReading::Rows(order) => order,
    };
    Ok(match extract_rows::extract(context, tab, order, model_completes_rows).await? {
        RowsOutcome::Stored { text, effects } => {
            run.settling.effects.extend(effects);
            ReadContent::Text(text)
        }
        RowsOutcome::Lacking(rows) => ReadContent::LackingRows(rows),
    })
}

/// Waits for a text in the tab in front. The wait ends when a request is held: the page may change only after the answer.
async fn wait_for_text(
    context: &PageContext,
    wait: TextWait,
    limit: Duration,
) -> Result<ActionOutcome, PageError> {
    run_in_front(context, limit, async |run| {
        match run_unless_held(context, wait.wait(&run.tab)).await {
            Some(done) => done?,
            None => context.notes.add(String::from(WAIT_ENDED)),
        }
        Ok(ReadContent::Nothing)
    })
    .await
}

/// Sends input to the tab in front, and waits until the page has settled. Frames of other sites do not receive the events
/// that `InputAction::isolated_events` lists.
async fn send_input(
    context: &PageContext,
    InputOrder { action, eids, typed }: InputOrder,
    options: &ActionOptions,
    limit: Duration,
) -> Result<ActionOutcome, PageError> {
    let tab = context.current()?;
    if let (InputAction::Point(pointed), Some(seen)) = (&action, &options.picture) {
        points::check_picture(&tab, pointed, seen).await?;
    }
    if let Some(eid) = options.focus_eid {
        keyboard::check_focus(&tab, eid).await?;
    }
    run_in_tab(context, &tab, limit, async |run| {
        run.settling.traced = Some(action.traced());
        action_trace::begin(&tab, &eids);
        if action.begins_with_input() {
            // The renderer takes input before a script that was sent just before it.
            let _ = tab.run_once::<bool>("true").await;
        }
        context.held_requests.typed.replace(typed);
        match action.isolated_events(options.focus_eid) {
            Some(IsolatedEvents { what, eids }) => {
                let targets: Vec<Tab> = eids.iter().map(|eid| tab.frame_of_element(*eid)).collect();
                isolation::send_isolated(&tab, &targets, what, send(run, action)).await?;
            }
            None => send(run, action).await?,
        }
        Ok(ReadContent::Nothing)
    })
    .await
}

async fn send(run: &mut ActionRun<'_>, action: InputAction) -> Result<(), PageError> {
    let (context, tab, viewport) = (run.context, &run.tab, run.context.viewport);
    match action {
        InputAction::Click { eid, click } => pointer::click_isolated(tab, eid, viewport, &click).await,
        InputAction::Point(action) => send_at_point(tab, action).await,
        InputAction::Hover { eid } => pointer::hover(tab, eid).await,
        InputAction::Drag { from_eid, to_eid } => drag::drag(tab, from_eid, to_eid, viewport).await,
        InputAction::SelectText { text } => {
            let effect = text_selection::select(tab, &text).await?;
            run.settling.effects.push(effect);
            Ok(())
        }
        InputAction::Type { eid, text, clear, submit } => {
            typing::type_into(tab, eid, &text, clear, submit).await
        }
        InputAction::Fill { fields, submit } => fill::fill(run, &fields, submit).await,
        InputAction::Select { eid, options } => select_option::choose(tab, eid, &options, viewport).await,
        InputAction::Upload { eid, files } => upload::upload(context, tab, eid, &files).await,
        InputAction::Press { key } => keyboard::press(tab, &key).await,
        InputAction::Scroll { direction, amount, eid } => {
            scroll::scroll(tab, direction, amount, eid, viewport).await
        }
    }
}

async fn send_at_point(tab: &Tab, action: PointAction) -> Result<(), PageError> {
    match action {
        PointAction::Click { at, click } => points::click(tab, at, &click).await,
        PointAction::Hover { at } => points::hover(tab, at).await,
        PointAction::Type { at, text, clear, submit } => {
            points::type_text(tab, at, &text, clear, submit).await
        }
        PointAction::Drag { from, to } => points::drag(tab, from, to).await,
    }
}

/// Calls a tool of the page in front, and waits until it has returned and the page has settled.
async fn call_tool(
    context: &PageContext,
    name: &str,
    arguments: &Map<String, Value>,
    options: &ActionOptions,
    limit: Duration,
) -> Result<ActionOutcome, PageError> {
    let tab = context.current()?;
    let tool = ShownTool { name, digest: options.tool_digest.as_deref().unwrap_or_default() };
    let run = ActionRun::begin(context, &tab, limit);
    context.tools.call(&tab.session, &tab.target, tool, arguments).await?;
    settle_and_collect(run, ReadContent::Nothing).await
}

/// Opens, switches to or closes a tab, and waits until the tab then in front has settled.
async fn change_tab(
    context: &PageContext,
    operation: TabOperation,
    number: Option<u32>,
    url: Option<String>,
    limit: Duration,
) -> Result<ActionOutcome, PageError> {
    let url = url.map(|url| navigate::parse_url(&url)).transpose()?;
    let tab = match operation {
        TabOperation::New => context.first_tab().await?,
        TabOperation::Switch => context.switch(number.unwrap_or_default()).await?,
        TabOperation::Close => close_tab(context, number, limit).await?,
    };
    context.tabs.drop_initial_events();
    let mut run = ActionRun::begin(context, &tab, limit);
    if let (TabOperation::New, Some(url)) = (operation, url) {
        navigate::navigate(&tab, &mut run.settling, &url).await?;
    }
    settle_and_collect(run, ReadContent::Nothing).await
}

/// Closes the tab of this number, or the one in front, unless its leave dialog is dismissed. A blank tab
/// replaces the last one.
async fn close_tab(context: &PageContext, number: Option<u32>, limit: Duration) -> Result<Tab, PageError> {
    let tab = context.to_close(number)?;
    if context.tabs.count() > 1 {
        return context.close_tab(&tab).await;
    }
    if tab.is_responsive().await {
        // The page opens its leave dialog on the way to the blank page.
        navigate::navigate(&tab, &mut SettleWait::begin(&tab, limit), &navigate::parse_url("about:blank")?)
            .await?;
    }
    context.replace(&tab).await
}
