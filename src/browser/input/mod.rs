//! Performing one action on the page with a person's input events, and waiting until the page has settled.

pub(crate) mod dialog;
pub(crate) mod isolation;
pub(crate) mod select_option;
pub mod activity;
pub mod outcome;
pub mod keyboard;
pub mod navigate;
pub mod pointer;
pub mod settle;
pub mod upload;

use crate::browser::error::{ErrorCode, PageError};
use crate::browser::input::isolation::InputIsolation;
use crate::browser::input::navigate::NavigationTarget;
pub(in crate::browser) use crate::browser::input::outcome::ActionOutcome;
use crate::browser::input::outcome::{finish, unless_held};
use crate::browser::input::settle::SettleWait;
use crate::browser::page::context::PageContext;
use crate::browser::page::frames::query_all;
use crate::browser::page::tab::Tab;
use crate::turn::action::{Action, BrowserAction, Direction, PageAction, TabOperation};
use crate::turn::named_secret;
use serde_json::Value;
use std::rc::Rc;
use std::time::Duration;

const TEXT_CHECK: Duration = Duration::from_millis(100);

/// Conditions and permissions of an action.
#[derive(Clone, Copy, Debug, Default)]
pub struct ActionOptions {
    /// For a key: the element that must have the focus.
    pub focus_eid: Option<u32>,
    /// True if the action may download a program.
    pub programs: bool,
    /// True if the page is left even if it asks whether it may be left.
    pub for_good: bool,
}

/// Performs an action. If the future is dropped at any moment, no key stays down and no load keeps running.
pub async fn perform(
    context: Rc<PageContext>,
    action: Action,
    ActionOptions { focus_eid, programs, for_good }: ActionOptions,
    load_timeout: Duration,
) -> Result<ActionOutcome, PageError> {
    context.tabs.drop_initial_events();
    context.notes.forget_read();
    let _allowing = context.downloads.begin_action(programs);
    if let Action::Page(PageAction::Dialog { accept, text }) = action {
        return dialog::answer(&context, accept, text, load_timeout).await;
    }
    let _leaving = match context.pending_dialog().open_dialog() {
        Some(held) if may_run_during_dialog(&action) => Some(context.leave(&held)),
        Some(held) => return Err(PageError::dialog_open(&held.dialog)),
        None if for_good => context.leave_for_good(),
        None => None,
    };
    let work = async {
        match action {
            Action::Browser(BrowserAction::Tab { operation, tab, url }) => {
                unless_held(&context, None, change_tab(&context, operation, tab, url, load_timeout)).await
            }
            action => act(&context, action, focus_eid, load_timeout).await,
        }
    };
    dialog::run_until_dialog(&context, work).await
}

/// Performs an action in the tab in front and waits until it has settled. Meanwhile frames of other sites
/// receive no input.
async fn act(
    context: &PageContext,
    action: Action,
    focus_eid: Option<u32>,
    load_timeout: Duration,
) -> Result<ActionOutcome, PageError> {
    let (tab, action) = ensure_responsive(context, action).await?;
    if let Some(eid) = focus_eid {
        keyboard::check_focus(&tab, eid).await?;
    }
    let done = async {
        let mut settling = SettleWait::begin(&tab, load_timeout);
        let isolated = match input_targets(&tab, &action, focus_eid) {
            Some((what, targets)) => Some((InputIsolation::shut(&tab, &targets).await?, what)),
            None => None,
        };
        let text = carry_out_until_held(context, &tab, &mut settling, action).await?;
        if let Some((isolation, what)) = isolated {
            isolation.open(what).await?;
        }
        finish(context, &tab, settling, text, load_timeout).await
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
    Some(match action {
        PageAction::Click { eid, .. } | PageAction::Select { eid, .. } | PageAction::Upload { eid, .. } => {
            ("the click", vec![tab.frame_of_element(*eid)])
        }
        PageAction::Type { eid, .. } => ("what was typed", vec![tab.frame_of_element(*eid)]),
        PageAction::Press { .. } => ("the key", vec![tab.frame_of_element(focus_eid?)]),
        PageAction::Drag { from_eid, to_eid } => {
            ("what was dragged", vec![tab.frame_of_element(*from_eid), tab.frame_of_element(*to_eid)])
        }
        PageAction::Hover { .. }
        | PageAction::Scroll { .. }
        | PageAction::Wait { .. }
        | PageAction::Extract { .. }
        | PageAction::Dialog { .. } => return None,
    })
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
    let mut settling = SettleWait::begin(&tab, limit);
    if let (TabOperation::New, Some(url)) = (operation, url) {
        navigate::navigate(&tab, &mut settling, &url).await?;
    }
    finish(context, &tab, settling, None, limit).await
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

/// Carries out an action. A navigation ends when its request is held: Chromium replies only when it has left.
async fn carry_out_until_held(
    context: &PageContext,
    tab: &Tab,
    settling: &mut SettleWait,
    action: Action,
) -> Result<Option<String>, PageError> {
    if navigate::goal_of_action(&action).is_none() {
        return carry_out(context, tab, settling, action).await;
    }
    tokio::select! {
        biased;
        () = context.held_requests.wait_for_any() => Ok(None),
        done = carry_out(context, tab, settling, action) => done,
    }
}

async fn carry_out(
    context: &PageContext,
    tab: &Tab,
    settling: &mut SettleWait,
    action: Action,
) -> Result<Option<String>, PageError> {
    let viewport = context.viewport;
    if let Some(goal) = navigate::goal_of_action(&action) {
        return navigate_tab(tab, settling, goal).await.map(|()| None);
    }
    let not_here = || PageError::new(ErrorCode::NotABrowserAction, "this is nothing that a browser does");
    let Action::Page(action) = action else { return Err(not_here()) };
    match action {
        PageAction::Click { eid, button, count } => {
            pointer::click(tab, eid, viewport, button, count).await?;
        }
        PageAction::Hover { eid } => pointer::hover(tab, eid).await?,
        PageAction::Drag { from_eid, to_eid } => pointer::drag(tab, from_eid, to_eid, viewport).await?,
        PageAction::Type { eid, text, clear, submit } => type_text(tab, eid, &text, clear, submit).await?,
        PageAction::Select { eid, options } => select_option::choose(tab, eid, &options, viewport).await?,
        PageAction::Upload { eid, files } => upload::upload(context, tab, eid, &files).await?,
        PageAction::Press { key } => keyboard::press(tab, &key).await?,
        PageAction::Scroll { direction, amount, eid } => {
            scroll(tab, direction, amount, eid.unwrap_or(0)).await?
        }
        PageAction::Wait { seconds, text } => wait(tab, seconds, text).await?,
        PageAction::Extract { eid } => return query_all::extract(tab, eid.unwrap_or(0)).await.map(Some),
        PageAction::Dialog { .. } => return Err(not_here()),
    }
    Ok(None)
}

async fn type_text(tab: &Tab, eid: u32, text: &str, clear: bool, submit: bool) -> Result<(), PageError> {
    pointer::wait_until_ready(tab, eid).await?;
    match named_secret::name_in(text) {
        Some(name) => keyboard::type_named(tab, eid, name, clear).await?,
        None => keyboard::type_text(tab, eid, text, clear).await?,
    }
    if submit { keyboard::press(tab, "Enter").await } else { Ok(()) }
}

async fn scroll(tab: &Tab, direction: Direction, amount: f64, eid: u32) -> Result<(), PageError> {
    // A frame is scrolled by its own document.
    let (frame_tab, eid) = match tab.frames.owned_by(eid) {
        Some(frame) => (tab.for_frame(frame), 0),
        None => (tab.frame_of_element(eid), eid),
    };
    let call = format!("scroll({eid}, \"{}\", {amount})", direction_word(direction));
    frame_tab.call_script::<Value>(&call).await.map(|_| ())
}

async fn navigate_tab(tab: &Tab, settling: &mut SettleWait, goal: NavigationTarget) -> Result<(), PageError> {
    match goal {
        NavigationTarget::Address(url) => {
            return navigate::navigate(tab, settling, &navigate::parse_url(&url)?).await;
        }
        NavigationTarget::Steps(0) => navigate::reload(tab).await?,
        NavigationTarget::Steps(steps) => navigate::travel_history(tab, steps).await?,
    }
    settling.wait_for_navigation_start().await;
    Ok(())
}

async fn wait(tab: &Tab, seconds: f64, text: Option<String>) -> Result<(), PageError> {
    let limit = Duration::from_secs_f64(seconds.clamp(0.0, 60.0));
    let Some(text) = text else {
        tokio::time::sleep(limit).await;
        return Ok(());
    };
    let shown = async {
        while !query_all::has_text(tab, &text).await? {
            tokio::time::sleep(TEXT_CHECK).await;
        }
        Ok(())
    };
    tokio::time::timeout(limit, shown).await.unwrap_or_else(|_| {
        Err(PageError::new(
            ErrorCode::Timeout,
            format!("\"{text}\" did not show within {seconds} s; look again"),
        ))
    })
}

fn direction_word(direction: Direction) -> &'static str {
    match direction {
        Direction::Up => "up",
        Direction::Down => "down",
        Direction::Left => "left",
        Direction::Right => "right",
        Direction::Top => "top",
        Direction::Bottom => "bottom",
    }
}
