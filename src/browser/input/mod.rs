//! Performing one action on the page with a person's input events, and waiting until the page has settled.

pub(crate) mod dialog;
mod embedded_pdf;
pub(crate) mod isolation;
pub mod action_trace;
pub mod activity;
pub mod extract_rows;
pub mod fields;
pub mod gestures;
pub mod outcome;
pub mod keyboard;
pub mod navigate;
pub mod pointer;
pub mod settle;
pub mod upload;

use crate::browser::error::{ErrorCode, PageError};
use crate::browser::input::extract_rows::{RowsOrder, RowsOutcome};
use crate::browser::input::fields::{fill, select_option, typing};
use crate::browser::input::gestures::points::PointCheck;
use crate::browser::input::gestures::{drag, points, scroll, text_selection};
use crate::browser::input::isolation::InputIsolation;
use crate::browser::input::navigate::NavigationTarget;
pub(in crate::browser) use crate::browser::input::outcome::ActionOutcome;
use crate::browser::input::outcome::{ActionRun, ReadContent, run_until_held, settle_and_collect};
use crate::browser::input::settle::SettleWait;
use crate::browser::page::context::PageContext;
use crate::browser::page::frames::query_all;
use crate::browser::page::held_requests::TypedTexts;
use crate::browser::page::tab::Tab;
use crate::browser::page_tools::registry::ShownTool;
use crate::turn::action::{Action, BrowserAction, PageAction, TabOperation};
use crate::turn::page_input::points::PointAction;
use serde_json::{Map, Value};
use std::rc::Rc;
use std::time::Duration;

/// Pause between two checks for a text.
const TEXT_CHECK: Duration = Duration::from_millis(100);

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
    /// True if a model reads what extracted rows lack.
    pub rows_for_model: bool,
    /// True after another action of the same turn: the planner saw no observation in between, so the
    /// next one repeats their notes.
    pub continues_turn: bool,
    /// True if the page is left even if it asks whether it may be left.
    pub for_good: bool,
}

/// Performs an action. If the future is dropped at any moment, no key stays down and no load keeps running.
pub async fn perform(
    context: Rc<PageContext>,
    action: Action,
    options: ActionOptions,
    load_timeout: Duration,
) -> Result<ActionOutcome, PageError> {
    context.tabs.drop_initial_events();
    context.notes.begin_action(options.continues_turn);
    let _allowing = context.downloads.begin_action(options.programs);
    if let Action::Page(PageAction::Dialog { accept, text }) = action {
        return dialog::answer(&context, accept, text, load_timeout).await;
    }
    // Only a dialog may be that of the tool that was called before.
    context.tools.mark_late();
    let _leaving = match context.pending_dialog().open_dialog() {
        Some(held) if may_run_during_dialog(&action) => Some(context.leave(&held)),
        Some(held) => return Err(PageError::dialog_open(&held.dialog)),
        None if options.for_good => context.leave_for_good(),
        None => None,
    };
    let work = async {
        if let (Action::Page(PageAction::Point(pointed)), Some(seen)) = (&action, &options.picture) {
            points::check_picture(&context.current()?, pointed, seen).await?;
        }
        match action {
            Action::Page(PageAction::Tool { name, arguments }) => {
                let digest = options.tool_digest.as_deref().unwrap_or_default();
                call_tool(&context, ShownTool { name: &name, digest }, &arguments, load_timeout).await
            }
            Action::Browser(BrowserAction::Tab { operation, tab, url }) => {
                let work = change_tab(&context, operation, tab, url, load_timeout);
                run_until_held(&context, ReadContent::Nothing, work).await
            }
            action => act(&context, action, &options, load_timeout).await,
        }
    };
    dialog::run_until_dialog(&context, work).await
}

/// Performs an action in the tab in front and waits until it has settled. Meanwhile frames of other sites
/// receive no input.
async fn act(
    context: &PageContext,
    action: Action,
    options: &ActionOptions,
    load_timeout: Duration,
) -> Result<ActionOutcome, PageError> {
    let (tab, action) = ensure_responsive(context, action).await?;
    let focus_eid = options.focus_eid;
    if let Some(eid) = focus_eid {
        keyboard::check_focus(&tab, eid).await?;
    }
    let done = async {
        let mut run = ActionRun::begin(context, &tab, load_timeout);
        run.settling.traced = action_trace::traced_action(&action);
        if run.settling.traced.is_some() {
            begin_trace(&tab, &action).await;
        }
        if matches!(&action, Action::Page(action) if action.sends_input()) {
            context.held_requests.typed.replace(TypedTexts::of_action(&action));
        }
        let isolated = match input_targets(&tab, &action, focus_eid) {
            Some((what, targets)) => Some((InputIsolation::shut(&tab, &targets).await?, what)),
            None => None,
        };
        let read = carry_out_until_held(&mut run, action, options).await?;
        if let Some((isolation, what)) = isolated {
            isolation.open(what).await?;
        }
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

/// Begins the trace of an action before its input. The renderer takes input before a script that was sent just before it, so
/// actions whose first command is input wait for an answer.
async fn begin_trace(tab: &Tab, action: &Action) {
    action_trace::begin(tab, &action.eids());
    if matches!(action, Action::Page(PageAction::Press { .. } | PageAction::Point(_))) {
        let _ = tab.run_once::<bool>("true").await;
    }
}

/// Reports whether the action may run while a dialog is open. Going elsewhere dismisses the dialog.
fn may_run_during_dialog(action: &Action) -> bool {
    matches!(action, Action::Browser(_))
}

/// Returns a tab that answers. Leaving a page that never yields or keeps opening dialogs stops its scripts,
/// or else replaces the page by a new one.
async fn ensure_responsive(context: &PageContext, action: Action) -> Result<(Tab, Action), PageError> {
    let tab = context.current()?;
    let Some(goal) = navigate::goal_of_action(&action) else { return Ok((tab, action)) };
    let answers = tab.is_responsive().await || tab.stop_scripts().await;
    if answers && !context.pending_dialog().reopens_dialogs().await {
        return Ok((tab, action));
    }
    let url = navigate::resolve_goal(&tab, goal).await?;
    Ok((context.replace(&tab).await?, Action::Browser(BrowserAction::Navigate { url })))
}

/// Returns the targets of an action's mouse and key events, and the name for those events in messages. `None`
/// if the action sends none.
fn input_targets(tab: &Tab, action: &Action, focus_eid: Option<u32>) -> Option<(&'static str, Vec<Tab>)> {
    let Action::Page(action) = action else { return None };
    let frame_of = |eid: u32| tab.frame_of_element(eid);
    Some(match action {
        PageAction::Click { eid, .. } | PageAction::Select { eid, .. } | PageAction::Upload { eid, .. } => {
            ("the click", vec![frame_of(*eid)])
        }
        PageAction::Type { eid, .. } => ("what was typed", vec![frame_of(*eid)]),
        PageAction::Fill { fields, .. } => {
            ("what was typed", fields.iter().map(|field| frame_of(field.eid)).collect())
        }
        PageAction::Press { .. } => ("the key", vec![frame_of(focus_eid?)]),
        PageAction::Drag { from_eid, to_eid } => {
            ("what was dragged", vec![frame_of(*from_eid), frame_of(*to_eid)])
        }
        // A point stands for what the picture shows there, a frame of another site too.
        PageAction::Point(_)
        | PageAction::SelectText { .. }
        | PageAction::Hover { .. }
        | PageAction::Scroll { .. }
        | PageAction::Wait { .. }
        | PageAction::Find { .. }
        | PageAction::Extract { .. }
        | PageAction::Tool { .. }
        | PageAction::Dialog { .. } => return None,
    })
}

/// Calls a tool of the page in front, and waits until it has returned and the page has settled.
async fn call_tool(
    context: &PageContext,
    tool: ShownTool<'_>,
    arguments: &Map<String, Value>,
    load_timeout: Duration,
) -> Result<ActionOutcome, PageError> {
    let tab = context.current()?;
    let run = ActionRun::begin(context, &tab, load_timeout);
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

/// Note about a wait that ended before the page was as wanted.
const WAIT_ENDED: &str = "the wait ended when the page was about to send something that a person is asked about; look \
                          whether the page is as you expected";

/// Carries out an action. A navigation ends when its request is held: Chromium replies only when it has left. So does a
/// wait for a text, as the page may change only after the answer.
async fn carry_out_until_held(
    run: &mut ActionRun<'_>,
    action: Action,
    options: &ActionOptions,
) -> Result<ReadContent, PageError> {
    let waits = matches!(&action, Action::Page(PageAction::Wait { text, gone, .. }) if text.is_some() || gone.is_some());
    if navigate::goal_of_action(&action).is_none() && !waits {
        return carry_out(run, action, options).await;
    }
    let context = run.context;
    tokio::select! {
        biased;
        () = context.held_requests.wait_for_any() => {
            if waits {
                context.notes.add(String::from(WAIT_ENDED));
            }
            Ok(ReadContent::Nothing)
        }
        done = carry_out(run, action, options) => done,
    }
}

async fn carry_out(
    run: &mut ActionRun<'_>,
    action: Action,
    options: &ActionOptions,
) -> Result<ReadContent, PageError> {
    if let Some(goal) = navigate::goal_of_action(&action) {
        return navigate_tab(run, goal).await.map(|()| ReadContent::Nothing);
    }
    let (context, tab, viewport) = (run.context, &run.tab, run.context.viewport);
    let Action::Page(action) = action else { return Err(not_for_browser()) };
    match action {
        PageAction::Click { eid, click } => pointer::click(tab, eid, viewport, &click).await?,
        PageAction::Point(action) => perform_at_point(tab, action).await?,
        PageAction::Hover { eid } => pointer::hover(tab, eid).await?,
        PageAction::Drag { from_eid, to_eid } => drag::drag(tab, from_eid, to_eid, viewport).await?,
        PageAction::SelectText { text } => {
            let effect = text_selection::select(tab, &text).await?;
            run.settling.effects.push(effect);
        }
        PageAction::Type { eid, text, clear, submit } => {
            typing::type_into(tab, eid, &text, clear, submit).await?
        }
        PageAction::Fill { fields, submit } => fill::fill(run, &fields, submit).await?,
        PageAction::Select { eid, options } => select_option::choose(tab, eid, &options, viewport).await?,
        PageAction::Upload { eid, files } => upload::upload(context, tab, eid, &files).await?,
        PageAction::Press { key } => keyboard::press(tab, &key).await?,
        PageAction::Scroll { direction, amount, eid } => {
            scroll::scroll(tab, direction, amount, eid, viewport).await?
        }
        PageAction::Wait { .. }
        | PageAction::Find { .. }
        | PageAction::Extract { .. }
        | PageAction::Tool { .. }
        | PageAction::Dialog { .. } => return read_page(run, action, options).await,
    }
    Ok(ReadContent::Nothing)
}

/// Carries out an action that reads the page or waits for it.
async fn read_page(
    run: &mut ActionRun<'_>,
    action: PageAction,
    options: &ActionOptions,
) -> Result<ReadContent, PageError> {
    let (context, tab) = (run.context, &run.tab);
    let text = match action {
        PageAction::Wait { seconds, text, gone } => {
            return wait(tab, seconds, text, gone).await.map(|()| ReadContent::Nothing);
        }
        PageAction::Extract { eid, schema, format } if schema.is_some() || format.is_some() => {
            let order = RowsOrder { eid, schema, format, for_model: options.rows_for_model };
            return Ok(match extract_rows::extract(context, tab, order).await? {
                RowsOutcome::Stored { text, effects } => {
                    run.settling.effects.extend(effects);
                    ReadContent::Text(text)
                }
                RowsOutcome::Lacking(rows) => ReadContent::LackingRows(rows),
            });
        }
        PageAction::Find { text, role } => query_all::find(tab, &text, role.as_deref()).await,
        PageAction::Extract { eid, .. } => embedded_pdf::read_text_or_save(context, tab, eid).await,
        _ => Err(not_for_browser()),
    };
    text.map(ReadContent::Text)
}

fn not_for_browser() -> PageError {
    PageError::new(ErrorCode::NotABrowserAction, "a browser cannot do this action")
}

async fn perform_at_point(tab: &Tab, action: PointAction) -> Result<(), PageError> {
    match action {
        PointAction::Click { at, click } => points::click(tab, at, &click).await,
        PointAction::Hover { at } => points::hover(tab, at).await,
        PointAction::Type { at, text, clear, submit } => {
            points::type_text(tab, at, &text, clear, submit).await
        }
        PointAction::Drag { from, to } => points::drag(tab, from, to).await,
    }
}

async fn navigate_tab(run: &mut ActionRun<'_>, goal: NavigationTarget) -> Result<(), PageError> {
    match goal {
        NavigationTarget::Address(url) => {
            return navigate::navigate(&run.tab, &mut run.settling, &navigate::parse_url(&url)?).await;
        }
        NavigationTarget::Steps(0) => navigate::reload(&run.tab).await?,
        NavigationTarget::Steps(steps) => navigate::travel_history(&run.tab, steps).await?,
    }
    run.settling.wait_for_navigation_start().await;
    Ok(())
}

/// Waits until the page shows `text` and does not show `gone`, at most so many seconds; without both, so long.
async fn wait(tab: &Tab, seconds: f64, text: Option<String>, gone: Option<String>) -> Result<(), PageError> {
    let limit = Duration::from_secs_f64(seconds.clamp(0.0, 60.0));
    if text.is_none() && gone.is_none() {
        tokio::time::sleep(limit).await;
        return Ok(());
    }
    let is_as_wanted = || async {
        let shown = match &text {
            Some(text) => query_all::has_text(tab, text).await?,
            None => true,
        };
        let still = match &gone {
            Some(gone) => query_all::has_text(tab, gone).await?,
            None => false,
        };
        Ok::<_, PageError>(shown && !still)
    };
    let waiting = async {
        while !is_as_wanted().await? {
            tokio::time::sleep(TEXT_CHECK).await;
        }
        Ok(())
    };
    tokio::time::timeout(limit, waiting).await.unwrap_or_else(|_| Err(late_error(text, gone, seconds)))
}

fn late_error(text: Option<String>, gone: Option<String>, seconds: f64) -> PageError {
    let missing = text.map(|text| format!("\"{text}\" did not show"));
    let staying = gone.map(|gone| format!("\"{gone}\" still shows"));
    let what = Vec::from_iter(missing.into_iter().chain(staying)).join(", or ");
    PageError::new(ErrorCode::Timeout, format!("{what} within {seconds} s; look again"))
}
